import { fromMinor } from '../../contract/money.js';
import { momentText } from '../../contract/notation.js';
import { DECIMALS } from '../catalog/catalog.js';
import type { HiddenData } from '../machine/operation.js';
import type { IdempotencyUse } from '../store/companies.js';
import { faultMembersOf, selectionOf, type ArmedFault, type ArmedDeliveryFault } from '../store/faults.js';
import { eventJson } from '../store/feed.js';
import type { Store } from '../store/store.js';

export const STATE_VERSION = 1;

type Row<TextName extends string, NumberName extends string> = Readonly<
  Record<TextName, string> & Record<NumberName, number>
>;

export function stateText(store: Store, nowMs: number): string {
  const { snapshot, companies, settings, webhooks, deliveries, faults } = store;
  const operationRows = snapshot.rows<Row<'id' | 'json' | 'hidden', 'row' | 'company'>>(
    'SELECT row, id, company, json, hidden FROM operations ORDER BY row',
  );
  const companyRows = companies.all();
  const ownerMembers = new Map(
    companyRows.map(({ id, name, environment }) => [
      id,
      `"company":${JSON.stringify(name)},"environment":"${environment}"`,
    ]),
  );
  const operations = new Map(operationRows.map((operation) => [operation.row, operation]));
  const idJson = (row: number): string => JSON.stringify(operations.get(row)?.id);
  const balances = Map.groupBy(
    snapshot.rows<Row<'currency' | 'available' | 'reserved', 'company'>>(
      'SELECT company, currency, available, reserved FROM balances ORDER BY company, currency',
    ),
    ({ company }) => company,
  );
  const idempotency = Map.groupBy(
    snapshot.rows<IdempotencyUse & Row<'key', 'company' | 'expires_at'>>(
      'SELECT company, key, fingerprint, operation, expires_at FROM idempotency ORDER BY company, key',
    ),
    ({ company }) => company,
  );
  const counters = snapshot.rows<Row<'name', 'value'>>('SELECT name, value FROM counters');
  const eventRows = snapshot.rows<Row<'id' | 'type' | 'occurred_iso', 'sequence' | 'operation'>>(
    'SELECT sequence, id, type, occurred_iso, operation FROM events ORDER BY sequence',
  );
  const moneyText = (minor: string, currency: string) =>
    fromMinor(BigInt(minor), DECIMALS.get(currency) ?? 0);
  const counterOf = (environment: string): number =>
    counters.find(({ name }) => name === `bank_reference.${environment}`)?.value ?? 0;
  const movedUntilMs = settings.movedUntilMs();
  const bodies = new Map<string, string>();
  const eventTexts = eventRows.map(({ sequence, id, type, occurred_iso: occurredIso, operation }) => {
    bodies.set(id, eventJson(id, type, occurredIso, operations.get(operation)?.json ?? ''));
    return `{"sequence":${String(sequence)},"id":"${id}","type":"${type}","occurred_at":"${occurredIso}","operation":${idJson(operation)}}`;
  });
  const companyTexts = companyRows.map((company) => {
    const { id, name, environment } = company;
    const keys = companies
      .keysOf(company)
      .map(({ key, scopes, createdBy }) => JSON.stringify({ key, scopes, created_by: createdBy }));
    const funds = (balances.get(id) ?? []).map(({ currency, available, reserved }) =>
      JSON.stringify({
        currency,
        available: moneyText(available, currency),
        reserved: moneyText(reserved, currency),
      }),
    );
    const uses = (idempotency.get(id) ?? []).map(
      ({ key, operation, fingerprint, expires_at: untilMs }) =>
        `{"key":${JSON.stringify(key)},"operation":${operation === null ? 'null' : idJson(operation)},"fingerprint":"${Buffer.from(fingerprint).toString('hex')}","expires_at":${timeJson(untilMs)}}`,
    );
    const urls = webhooks
      .all(id)
      .map(({ id: urlId, url, secret, created_at, replaced_at: replacedMs }) =>
        JSON.stringify({ id: urlId, url, secret, created_at, replaced_at: momentOrNull(replacedMs) }),
      );
    const parts = [
      `"name": ${JSON.stringify(name)}, "environment": "${environment}"`,
      listText('"keys": ', '      ', keys),
      listText('"balances": ', '      ', funds),
      listText('"idempotency": ', '      ', uses),
      listText('"webhook_endpoints": ', '      ', urls),
    ];
    return `{ ${parts.join(',\n      ')} }`;
  });
  const operationTexts = operationRows.map(
    ({ company, json, hidden }) =>
      `{${ownerMembers.get(company) ?? ''},"operation":${json},"internal":${hiddenJson(JSON.parse(hidden) as HiddenData)}}`,
  );
  const deliveryTexts = deliveries.all().map((delivery) => {
    const { id, company, event_id: event, type, body, next_attempt_at: nextMs, fault, behind } = delivery;
    const bodyMember = bodies.get(event) === body ? '' : `"body":${JSON.stringify(body)},`;
    const { url, status, attempts, wait } = delivery;
    const progress = JSON.stringify({ url, status, attempts, wait }).slice(1, -1);
    const faultMember = fault === null ? '' : `,"fault":"${fault}"`;
    const behindMember = behind === null ? '' : `,"behind":"${behind}"`;
    return `{"id":"${id}",${ownerMembers.get(company) ?? ''},"event":"${event}","type":"${type}",${bodyMember}${progress},"next_attempt_at":${timeJson(nextMs)}${faultMember}${behindMember}}`;
  });
  const faultTexts = faults.all().map((fault) => JSON.stringify(faultStateOf(fault)));
  const members = [
    `"svc_sandbox_state": ${String(STATE_VERSION)}`,
    `"now": ${timeJson(nowMs)}`,
    `"moved_until": ${timeJson(movedUntilMs === 0 ? null : movedUntilMs)}`,
    `"api_key": ${JSON.stringify(settings.readFixed('ready_key'))}`,
    `"cursor_secret": ${JSON.stringify(settings.readFixed('cursor_secret'))}`,
    `"bank_references": ${JSON.stringify({ sandbox: counterOf('sandbox'), live: counterOf('live') })}`,
    listText('"companies": ', '  ', companyTexts),
    listText('"operations": ', '  ', operationTexts),
    listText('"events": ', '  ', eventTexts),
    listText('"deliveries": ', '  ', deliveryTexts),
    listText('"faults": ', '  ', faultTexts),
  ];
  return `{\n  ${members.join(',\n  ')}\n}\n`;
}

function listText(name: string, indent: string, lines: readonly string[]): string {
  if (lines.length === 0) return `${name}[]`;
  return `${name}[\n${indent}  ${lines.join(`,\n${indent}  `)}\n${indent}]`;
}

const momentOrNull = (ms: number | null): string | null => (ms === null ? null : momentText(ms));

const timeJson = (ms: number | null): string => JSON.stringify(momentOrNull(ms));

const hiddenJson = (hidden: HiddenData): string =>
  JSON.stringify({
    ...{ ...hidden, decimals: undefined },
    code_expires_at: momentOrNull(hidden.code_expires_at),
    due_at: momentOrNull(hidden.due_at),
  });

function faultStateOf(armedFault: ArmedFault | ArmedDeliveryFault): object {
  const count = armedFault.remaining;
  if ('delivery' in armedFault) {
    const { delivery, until } = armedFault;
    return { delivery, until: momentOrNull(until), count };
  }
  const { route, fault } = armedFault;
  return { route, kind: fault.kind, ...faultMembersOf(fault), ...selectionOf(armedFault), count };
}
