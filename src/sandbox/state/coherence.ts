import { ISSUED_KEY_PREFIX, SCOPES, type Environment } from '../../contract/access.js';
import { eventTypeOf } from '../../contract/events.js';
import { FAILURES, isFailure } from '../../contract/failures.js';
import { fromMinor, toMinor } from '../../contract/money.js';
import { DECIMALS } from '../catalog/catalog.js';
import { compactJson } from '../http/creates.js';
import { isReceiverUrl } from '../http/endpoints.js';
import { applyEntry, NO_FUNDS, type Funds, type OperationRecord } from '../machine/operation.js';
import { entriesOf } from '../machine/settle.js';
import { faultOf, faultRow, membersOfOtherKinds } from '../store/faults.js';
import { eventJson } from '../store/feed.js';
import { operationJson, operationRow } from '../store/operations.js';
import type { CompanyState, StateDelivery, EventState, FaultState, OperationState } from './document.js';
import type { StateDocument } from './document.js';
import type { Findings } from './findings.js';
import { msOf, recordOf } from './operation-state.js';
import type { JsonPath } from './places.js';

interface NumberedOperation {
  readonly row: number;
  readonly company: number;
  readonly record: OperationRecord;
  readonly metadata: string;
  readonly json: string;
}

interface CheckContext {
  readonly nowMs: number;
  readonly findings: Findings;
  readonly companyIds: Map<string, number>;
  readonly operations: Map<string, NumberedOperation>;
  readonly makeId: () => string;
}

export function checkCoherence(
  document: StateDocument,
  metadata: readonly string[],
  findings: Findings,
  makeId: () => string,
) {
  const nowMs = Date.parse(document.now);
  const context: CheckContext = { nowMs, findings, companyIds: new Map(), operations: new Map(), makeId };
  const companies = document.companies.map((company, index) => {
    findings.within(['companies', index], () => checkCompany(company, index + 1, context));
    return { id: index + 1, environment: company.environment, name: company.name };
  });
  const keyEntries = document.companies.flatMap(({ keys = [] }, index) =>
    keys.map(({ key }, place) => [key, ['companies', index, 'keys', place, 'key']] as const),
  );
  checkDistinct(findings, keyEntries, 'Two keys are the same.');
  const urlEntries = document.companies.flatMap(({ webhook_endpoints: urls = [] }, index) =>
    urls.map(({ id }, place) => [id, ['companies', index, 'webhook_endpoints', place, 'id']] as const),
  );
  checkDistinct(findings, urlEntries, 'Two URLs have this id.');
  checkReadyKey(document, findings);
  const operations = (document.operations ?? []).map((operation, index) =>
    findings.within(['operations', index], () =>
      operationOf(operation, index + 1, metadata[index] ?? '{}', context),
    ),
  );
  const counters = countersOf(document, findings);
  const ledger = findings.isFull ? [] : operations.flatMap(ledgerOf);
  const fundsByCompany = balancesOf(ledger);
  document.companies.forEach((company, index) =>
    compareBalances(company, fundsByCompany.get(index + 1) ?? new Map(), index, findings),
  );
  const idempotency = document.companies.flatMap((company, index) => idempotencyOf(company, index, context));
  const events = eventsOf(document, context);
  const deliveries = deliveriesOf(document, events, context);
  const faults = (document.faults ?? []).flatMap(
    (fault, index) => findings.within(['faults', index], () => faultFrom(fault, findings)) ?? [],
  );
  return {
    nowMs,
    movedUntilMs: msOf(document.moved_until ?? null) ?? 0,
    apiKey: document.api_key ?? null,
    cursorSecret: document.cursor_secret ?? null,
    tables: {
      companies,
      keys: document.companies.flatMap(({ keys = [] }, index) =>
        keys.map(({ key, scopes = SCOPES, created_by: createdBy = 'company' }) => ({
          ...{ key, company: index + 1, scopes: scopes.join(' '), created_by: createdBy },
        })),
      ),
      webhook_endpoints: document.companies.flatMap(({ webhook_endpoints: urls = [] }, index) =>
        urls.map(({ created_at: createdIso, replaced_at: replacedAt, ...url }) => ({
          ...{ ...url, company: index + 1, created_iso: createdIso, replaced_at: msOf(replacedAt) },
        })),
      ),
      operations: operations.map(({ row, company, record, metadata: text, json }) => ({
        ...{ row, ...operationRow(company, record, text, json) },
      })),
      ledger: ledger.map((entry) => ({ ...entry, minor: entry.minor.toString() })),
      balances: [...fundsByCompany].flatMap(([company, funds]) =>
        [...funds].map(([currency, { available, reserved }]) => ({
          ...{ company, currency, available: available.toString(), reserved: reserved.toString() },
        })),
      ),
      ...{ counters, idempotency, events, deliveries, faults: faults.map(faultRow) },
    },
  };
}

function checkDistinct(findings: Findings, entries: readonly (readonly [string, JsonPath])[], text: string) {
  const knownIds = new Set<string>();
  for (const [id, path] of entries) {
    if (knownIds.has(id)) findings.add(text, ...path);
    knownIds.add(id);
  }
}

const companyLabel = (environment: Environment, name: string): string => `${environment} ${name}`;

function checkCompany(company: CompanyState, id: number, { findings, companyIds }: CheckContext): void {
  const { name, environment, keys = [], webhook_endpoints: urls = [] } = company;
  const label = companyLabel(environment, name);
  if (companyIds.has(label)) findings.add('Two companies of this environment have this name.', 'name');
  else companyIds.set(label, id);
  keys.forEach(({ key }, place) => {
    const prefix = ISSUED_KEY_PREFIX[environment];
    if (!key.startsWith(prefix))
      findings.add(`A key of ${environment} must begin with ${prefix}`, 'keys', place, 'key');
  });
  urls.forEach(({ url, replaced_at: replacedAt }, place) => {
    const report = (text: string, member: 'url' | 'replaced_at'): void =>
      findings.add(text, 'webhook_endpoints', place, member);
    if (!isReceiverUrl(url, true))
      report('The sandbox sends to https:// URLs, and to http:// URLs of this machine.', 'url');
    const isLast = place === urls.length - 1;
    if (replacedAt === null && !isLast)
      report('Only the last URL is active: replaced_at cannot be null here.', 'replaced_at');
    if (replacedAt !== null && isLast)
      report('The last URL is the active one: replaced_at must be null.', 'replaced_at');
  });
}

function checkReadyKey({ api_key: key, companies }: StateDocument, findings: Findings): void {
  if (key === undefined) return;
  const company = companies.find(({ name, environment }) => name === 'default' && environment === 'sandbox');
  const ownKey = company?.keys?.find((one) => one.key === key);
  if (ownKey === undefined)
    findings.add('Company "default" of environment "sandbox" must have this key.', 'api_key');
  else if (ownKey.scopes !== undefined && !SCOPES.every((scope) => ownKey.scopes?.includes(scope)))
    findings.add('This key must have every scope.', 'api_key');
}

function operationOf(
  state: OperationState,
  row: number,
  metadata: string,
  { findings, companyIds, operations, nowMs }: CheckContext,
): NumberedOperation {
  const company = companyIds.get(companyLabel(state.environment, state.company));
  if (company === undefined)
    findings.add(
      `There is no company ${JSON.stringify(state.company)} of environment "${state.environment}".`,
      'company',
    );
  const record = recordOf(state, DECIMALS.get(state.operation.currency), nowMs, findings);
  const text = compactJson(metadata);
  const json = operationJson(record.operation, text);
  const operation = { row, company: company ?? 0, record, metadata: text, json };
  if (operations.has(record.operation.id)) findings.add('Two operations have this id.', 'operation', 'id');
  else operations.set(record.operation.id, operation);
  return operation;
}

function countersOf({ operations = [], bank_references: counters }: StateDocument, findings: Findings) {
  const maxima = { sandbox: 0, live: 0 };
  const entries: (readonly [string, JsonPath])[] = [];
  operations.forEach(({ environment, operation: { bank_reference: reference } }, index) => {
    if (reference === null) return;
    maxima[environment] = Math.max(maxima[environment], Number(reference));
    entries.push([`${environment} ${reference}`, ['operations', index, 'operation', 'bank_reference']]);
  });
  checkDistinct(findings, entries, 'Two operations have this bank reference.');
  for (const environment of ['sandbox', 'live'] as const) {
    const counter = counters?.[environment];
    if (counter !== undefined && counter < maxima[environment])
      findings.add(
        `An operation has the bank reference ${String(maxima[environment])}: this cannot be less.`,
        'bank_references',
        environment,
      );
  }
  return Object.entries({ ...maxima, ...counters })
    .filter(([, value]) => value > 0)
    .map(([environment, value]) => ({ name: `bank_reference.${environment}`, value }));
}

function ledgerOf({ row, company, record }: NumberedOperation) {
  if (toMinor(record.operation.amount, record.hidden.decimals) === null) return [];
  return entriesOf(record).map((entry) => ({ company, operation: row, ...entry }));
}

function balancesOf(ledger: ReturnType<typeof ledgerOf>): Map<number, Map<string, Funds>> {
  const fundsByCompany = new Map<number, Map<string, Funds>>();
  for (const { company, ...entry } of ledger) {
    const funds = fundsByCompany.get(company) ?? new Map<string, Funds>();
    funds.set(entry.currency, applyEntry(funds.get(entry.currency) ?? NO_FUNDS, entry));
    fundsByCompany.set(company, funds);
  }
  return fundsByCompany;
}

function compareBalances(
  { balances: documentBalances }: CompanyState,
  computedBalances: ReadonlyMap<string, Funds>,
  index: number,
  findings: Findings,
): void {
  if (documentBalances === undefined || findings.isFull) return;
  const path = ['companies', index, 'balances'] as const;
  const codes = new Set<string>();
  documentBalances.forEach((balance, place) => {
    const { currency } = balance;
    if (codes.has(currency)) findings.add('This currency stands here twice.', ...path, place, 'currency');
    codes.add(currency);
    const decimals = DECIMALS.get(currency);
    if (decimals === undefined) {
      findings.add(`The sandbox has no currency ${currency}.`, ...path, place, 'currency');
      return;
    }
    const funds = computedBalances.get(currency) ?? NO_FUNDS;
    for (const name of ['available', 'reserved'] as const) {
      const text = balance[name];
      const expected = fromMinor(funds[name], decimals);
      const minor = toMinor(text.replace(/^-/, ''), decimals);
      if (minor === null || (text.startsWith('-') ? -minor : minor) !== funds[name])
        findings.add(
          `The operations come to ${expected} ${currency} ${name}. Write that, or leave balances out.`,
          ...path,
          place,
          name,
        );
    }
  });
  for (const [currency, { available, reserved }] of computedBalances)
    if (!codes.has(currency) && (available !== 0n || reserved !== 0n))
      findings.add(
        `The operations move ${currency}, which is missing. Add it, or leave balances out.`,
        ...path,
      );
}

function idempotencyOf(
  { name, environment, idempotency = [] }: CompanyState,
  index: number,
  { findings, operations, companyIds }: CheckContext,
) {
  const path = ['companies', index, 'idempotency'] as const;
  const keyEntries = idempotency.map(({ key }, place) => [key, [...path, place, 'key']] as const);
  checkDistinct(findings, keyEntries, 'Two records have this key.');
  const company = companyIds.get(companyLabel(environment, name));
  return idempotency.map(({ key, operation: id, fingerprint, expires_at: until }, place) => {
    const operation = id === null ? undefined : operations.get(id);
    if (id !== null && operation?.company !== company)
      findings.add('This company has no operation with this id.', ...path, place, 'operation');
    return {
      ...{ company: index + 1, key, fingerprint: Buffer.from(fingerprint, 'hex') },
      ...{ operation: operation?.row ?? null, expires_at: Date.parse(until) },
    };
  });
}

function eventsOf({ events: documentEvents }: StateDocument, { findings, operations, makeId }: CheckContext) {
  const finalById = new Map(
    [...operations].filter(([, { record }]) => record.operation.status !== 'pending'),
  );
  const typeOf = ({ operation: { type, status } }: OperationRecord) =>
    eventTypeOf(type, status === 'confirmed' ? status : 'failed');
  if (documentEvents === undefined)
    return [...finalById.values()]
      .sort((a, b) => Date.parse(a.record.operation.updated_at) - Date.parse(b.record.operation.updated_at))
      .map(({ company, record, row }, index) => ({
        ...{ sequence: index + 1, company, id: makeId(), type: typeOf(record) },
        ...{ occurred_iso: record.operation.updated_at, operation: row },
      }));
  let lastSequence = 0;
  const idsWithEvent = new Set<string>();
  const events = documentEvents.map((event, index) => {
    const { id, type, occurred_at: occurredIso, operation, sequence = lastSequence + 1 } = event;
    const subject = operations.get(operation);
    const report = (text: string, member: keyof EventState) => findings.add(text, 'events', index, member);
    if (subject === undefined) report('There is no operation with this id.', 'operation');
    else if (!finalById.has(operation))
      report('This operation is pending: it has no event yet.', 'operation');
    else if (typeOf(subject.record) !== type)
      report(`The event of this operation is ${typeOf(subject.record)}.`, 'type');
    if (idsWithEvent.has(operation)) report('This operation has another event.', 'operation');
    if (sequence <= lastSequence) report('Events stand in the order of their sequence.', 'sequence');
    idsWithEvent.add(operation);
    lastSequence = sequence;
    const { company = 1, row = 0 } = subject ?? {};
    return { sequence, company, id, type, occurred_iso: occurredIso, operation: row };
  });
  const eventEntries = documentEvents.map(({ id }, index) => [id, ['events', index, 'id']] as const);
  checkDistinct(findings, eventEntries, 'Two events have this id.');
  const missingId = [...finalById.keys()].find((id) => !idsWithEvent.has(id));
  if (missingId !== undefined)
    findings.add(`Operation ${missingId} is final and has no event. Add it, or leave events out.`, 'events');
  return events;
}

function deliveriesOf(
  { companies, deliveries: documentDeliveries = [] }: StateDocument,
  events: ReturnType<typeof eventsOf>,
  { findings, companyIds, operations }: CheckContext,
) {
  const eventById = new Map(events.map((event) => [event.id, event]));
  const jsonByRow = new Map([...operations.values()].map(({ row, json }) => [row, json]));
  const ids = new Set(documentDeliveries.map(({ id }) => id));
  const idEntries = documentDeliveries.map(({ id }, index) => [id, ['deliveries', index, 'id']] as const);
  checkDistinct(findings, idEntries, 'Two deliveries have this id.');
  return documentDeliveries.map((delivery, index) => {
    const { id, event: eventId, type, url, status, attempts, wait } = delivery;
    const report = (text: string, member: keyof StateDelivery): void =>
      findings.add(text, 'deliveries', index, member);
    const company = companyIds.get(companyLabel(delivery.environment, delivery.company));
    const event = eventById.get(eventId);
    const nextMs = msOf(delivery.next_attempt_at);
    if (company === undefined) report('There is no such company in this environment.', 'company');
    else if (status === 'pending' && (companies[company - 1]?.webhook_endpoints ?? []).length === 0)
      report('This company has no URL to which it could be sent.', 'company');
    if (delivery.behind !== undefined && !ids.has(delivery.behind))
      report('There is no delivery with this id.', 'behind');
    const isHeld = delivery.fault === 'hold' && nextMs === null;
    if ((status === 'pending') !== (nextMs !== null) && !(status === 'pending' && isHeld))
      report(
        status === 'pending'
          ? 'A pending delivery must have a time here.'
          : 'Only a pending delivery has a time here.',
        'next_attempt_at',
      );
    if (type === 'test.ping' && delivery.body === undefined)
      report('A test.ping must have its body.', 'type');
    else if (type !== 'test.ping' && (event === undefined || event.company !== company))
      report('This company has no event with this id.', 'event');
    else if (event !== undefined && event.type !== type)
      report(`The type of this event is ${event.type}.`, 'type');
    const data = event && jsonByRow.get(event.operation);
    const body = delivery.body ?? (event && eventJson(event.id, event.type, event.occurred_iso, data ?? ''));
    return {
      ...{ id, company: company ?? 1, event_id: eventId, type, body: body ?? '' },
      ...{ url, status, attempts: JSON.stringify(attempts), wait },
      ...{ next_attempt_at: nextMs, fault: delivery.fault ?? null, behind: delivery.behind ?? null },
    };
  });
}

const DELIVERY_FAULT_MEMBERS: readonly string[] = ['delivery', 'until', 'count'];

function faultFrom(state: FaultState, findings: Findings) {
  const { route, kind, delivery, until = null, count = 1, skip = 0, match = null } = state;
  const countBefore = findings.all.length;
  if (delivery !== undefined) {
    for (const member of Object.keys(state))
      if (!DELIVERY_FAULT_MEMBERS.includes(member))
        findings.add('A fault of deliveries does not have this.', member);
    return findings.all.length === countBefore ? { delivery, remaining: count, until: msOf(until) } : null;
  }
  if (state.until !== undefined) findings.add('Only a fault of deliveries has this.', 'until');
  if (route === undefined) findings.add('"route" is missing.');
  if (kind === undefined) findings.add('"kind" is missing.');
  if (route === undefined || kind === undefined) return null;
  for (const member of membersOfOtherKinds(kind, state))
    findings.add(`A fault of kind "${kind}" does not have this.`, member);
  const fault = faultOf(kind, state);
  if ('missingMember' in fault) findings.add(`"${fault.missingMember}" is missing.`);
  if ('surplusMember' in fault) findings.add('Give "failure" or "pending", not both.', fault.surplusMember);
  const { failure } = state;
  if (failure !== undefined && !isFailure(failure.code, failure.reason))
    findings.add(
      `Must be ${FAILURES[failure.code].reasons.join(' or ')} for this code.`,
      'failure',
      'reason',
    );
  if (findings.all.length !== countBefore || 'missingMember' in fault || 'surplusMember' in fault)
    return null;
  return { route, fault, remaining: count, skip, match };
}
