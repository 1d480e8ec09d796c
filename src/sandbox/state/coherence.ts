/** Whether the parts of a kept sandbox agree: what refers to what, each operation with its own state, and the money with the operations. Pure. */
import { OWN_KEY_PREFIX, SCOPES, type Environment } from '../../contract/access.js';
import { eventTypeOf } from '../../contract/events.js';
import { fromMinor, toMinor } from '../../contract/money.js';
import { DECIMALS } from '../catalog/catalog.js';
import { faultFrom } from './fault-state.js';
import { compactJson } from '../http/creates.js';
import { isReceiver } from '../http/endpoints.js';
import { applyEntry, NO_FUNDS, type Funds, type OperationRecord } from '../machine/operation.js';
import { entriesOf } from '../machine/settle.js';
import { eventJson } from '../store/feed.js';
import { operationJson } from '../store/operations.js';
import type { KeptCompany, KeptDelivery, KeptEvent, WholeOperation, KeptState } from '../store/kept.js';
import type { CompanyState, StateDelivery, EventState, OperationState, StateDocument } from './document.js';
import type { Findings } from './findings.js';
import { heldOf } from './operation-state.js';

/** What one part of the document knows of the others. */
interface Reading {
  readonly findings: Findings;
  /** By environment and name: the place in the list. */
  readonly places: Map<string, number>;
  readonly operations: Map<string, WholeOperation>;
  readonly makeId: () => string;
}

/**
 * @param document of the right form
 * @param metadata of each operation, as it is written there
 * @returns what is to stand in the store; good only where nothing was found
 */
export function coherentState(
  document: StateDocument,
  metadata: readonly string[],
  findings: Findings,
  makeId: () => string,
): KeptState {
  const reading: Reading = { findings, places: new Map(), operations: new Map(), makeId };
  const companies = document.companies.map((company, index) =>
    findings.within(['companies', index], () => companyOf(company, index, reading)),
  );
  const keys = document.companies.flatMap(({ keys = [] }, index) =>
    keys.map(({ key }, place) => [key, ['companies', index, 'keys', place, 'key']] as const),
  );
  distinct(findings, keys, 'Two keys are the same.');
  const urls = document.companies.flatMap(({ webhook_endpoints: all = [] }, index) =>
    all.map(({ id }, place) => [id, ['companies', index, 'webhook_endpoints', place, 'id']] as const),
  );
  distinct(findings, urls, 'Two URLs have this id.');
  readyKey(document, findings);
  const operations = (document.operations ?? []).map((operation, index) =>
    findings.within(['operations', index], () => operationOf(operation, metadata[index] ?? '{}', reading)),
  );
  const bankReferences = countersOf(document, findings);
  const balances = balancesOf(companies, operations, findings);
  document.companies.forEach((company, index) =>
    compareBalances(company, balances[index] ?? new Map(), index, findings),
  );
  document.companies.forEach((company, index) => checkIdempotency(company, index, reading));
  const events = eventsOf(document.events, reading);
  const deliveries = deliveriesOf(document.deliveries ?? [], document, events, reading);
  const faults = (document.faults ?? []).flatMap(
    (fault, index) => findings.within(['faults', index], () => faultFrom(fault, findings)) ?? [],
  );
  return {
    nowMs: Date.parse(document.now),
    movedUntilMs: msOf(document.moved_until ?? null) ?? 0,
    apiKey: document.api_key ?? null,
    cursorSecret: document.cursor_secret ?? null,
    ...{ bankReferences, companies, operations, balances, events, deliveries, faults },
  };
}

function distinct(
  findings: Findings,
  all: readonly (readonly [id: string, path: readonly (string | number)[]])[],
  text: string,
): void {
  const seen = new Set<string>();
  for (const [id, path] of all) {
    if (seen.has(id)) findings.add(text, ...path);
    seen.add(id);
  }
}

const placeName = (environment: Environment, name: string): string => `${environment} ${name}`;

function msOf(text: string | null): number | null {
  return text === null ? null : Date.parse(text);
}

function companyOf(company: CompanyState, index: number, { findings, places }: Reading): KeptCompany {
  const { name, environment, keys = [], idempotency = [], webhook_endpoints: urls = [] } = company;
  const place = placeName(environment, name);
  if (places.has(place)) findings.add('Two companies of this environment have this name.', 'name');
  else places.set(place, index);
  keys.forEach(({ key }, number) => {
    const prefix = OWN_KEY_PREFIX[environment];
    if (!key.startsWith(prefix))
      findings.add(`A key of ${environment} must begin with ${prefix}`, 'keys', number, 'key');
  });
  urls.forEach(({ url, replaced_at: replaced }, number) => {
    const wrong = (text: string, member: 'url' | 'replaced_at'): void =>
      findings.add(text, 'webhook_endpoints', number, member);
    if (!isReceiver(url, true))
      wrong('The sandbox sends to https:// URLs, and to http:// URLs of this machine.', 'url');
    const isLast = number === urls.length - 1;
    if (replaced === null && !isLast)
      wrong('Only the last URL is active: replaced_at cannot be null here.', 'replaced_at');
    if (replaced !== null && isLast)
      wrong('The last URL is the active one: replaced_at must be null.', 'replaced_at');
  });
  return {
    ...{ name, environment },
    keys: keys.map(({ key, scopes = SCOPES, created_by: createdBy = 'company' }) => ({
      key,
      scopes,
      createdBy,
    })),
    idempotency: idempotency.map(({ key, operation, fingerprint, expires_at: until }) => ({
      ...{ key, operation },
      fingerprint: Buffer.from(fingerprint, 'hex'),
      expiresAt: Date.parse(until),
    })),
    urls: urls.map(({ replaced_at: replaced, ...url }) => ({ ...url, replaced_at: msOf(replaced) })),
  };
}

/** The key of the ready line can do everything: what is told it finds no other. */
function readyKey({ api_key: key, companies }: StateDocument, findings: Findings): void {
  if (key === undefined) return;
  const owner = companies.find(({ name, environment }) => name === 'default' && environment === 'sandbox');
  const own = owner?.keys?.find((one) => one.key === key);
  if (own === undefined)
    findings.add('Company "default" of environment "sandbox" must have this key.', 'api_key');
  else if (own.scopes !== undefined && !SCOPES.every((scope) => own.scopes?.includes(scope)))
    findings.add('This key must have every scope.', 'api_key');
}

function operationOf(state: OperationState, metadata: string, reading: Reading): WholeOperation {
  const { findings, places, operations } = reading;
  const company = places.get(placeName(state.environment, state.company));
  if (company === undefined)
    findings.add(
      `There is no company ${JSON.stringify(state.company)} of environment "${state.environment}".`,
      'company',
    );
  const held = heldOf(state, DECIMALS.get(state.operation.currency), findings);
  const text = compactJson(metadata);
  const kept = { company: company ?? 0, held, metadata: text, json: operationJson(held.operation, text) };
  if (operations.has(held.operation.id)) findings.add('Two operations have this id.', 'operation', 'id');
  else operations.set(held.operation.id, kept);
  return kept;
}

/** The counters go on behind the largest reference that was given out. */
function countersOf(
  { operations = [], bank_references: given }: StateDocument,
  findings: Findings,
): Record<Environment, number> {
  const most = { sandbox: 0, live: 0 };
  const all: (readonly [string, readonly (string | number)[]])[] = [];
  operations.forEach(({ environment, operation: { bank_reference: reference } }, index) => {
    if (reference === null) return;
    most[environment] = Math.max(most[environment], Number(reference));
    all.push([`${environment} ${reference}`, ['operations', index, 'operation', 'bank_reference']]);
  });
  distinct(findings, all, 'Two operations have this bank reference.');
  for (const environment of ['sandbox', 'live'] as const) {
    const count = given?.[environment];
    if (count !== undefined && count < most[environment])
      findings.add(
        `An operation has the bank reference ${String(most[environment])}: this cannot be less.`,
        'bank_references',
        environment,
      );
  }
  return { ...most, ...given };
}

/** Of each company in turn: what the operations come to. No other money is in a sandbox. */
function balancesOf(
  companies: readonly KeptCompany[],
  operations: readonly WholeOperation[],
  findings: Findings,
): ReadonlyMap<string, Funds>[] {
  const all = companies.map(() => new Map<string, Funds>());
  if (findings.isFull) return all;
  for (const { company, held } of operations) {
    const { currency } = held.operation;
    const balances = all[company];
    if (balances === undefined) continue;
    for (const entry of entriesOf(held))
      balances.set(currency, applyEntry(balances.get(currency) ?? NO_FUNDS, entry));
  }
  return all;
}

function compareBalances(
  { balances: given }: CompanyState,
  derived: ReadonlyMap<string, Funds>,
  index: number,
  findings: Findings,
): void {
  if (given === undefined || findings.isFull) return;
  const path = ['companies', index, 'balances'] as const;
  const seen = new Set<string>();
  given.forEach(({ currency, available, reserved }, place) => {
    if (seen.has(currency)) findings.add('This currency stands here twice.', ...path, place, 'currency');
    seen.add(currency);
    const decimals = DECIMALS.get(currency);
    if (decimals === undefined) {
      findings.add(`The sandbox has no currency ${currency}.`, ...path, place, 'currency');
      return;
    }
    const funds = derived.get(currency) ?? NO_FUNDS;
    for (const [name, text] of [
      ['available', available],
      ['reserved', reserved],
    ] as const) {
      const right = fromMinor(funds[name], decimals);
      const minor = toMinor(text.replace(/^-/, ''), decimals);
      if (minor === null || (text.startsWith('-') ? -minor : minor) !== funds[name])
        findings.add(
          `The operations come to ${right} ${currency} ${name}. Write that, or leave balances out.`,
          ...path,
          place,
          name,
        );
    }
  });
  for (const [currency, { available, reserved }] of derived)
    if (!seen.has(currency) && (available !== 0n || reserved !== 0n))
      findings.add(
        `The operations move ${currency}, which is missing. Add it, or leave balances out.`,
        ...path,
      );
}

function checkIdempotency(
  { name, environment, idempotency = [] }: CompanyState,
  index: number,
  { findings, operations, places }: Reading,
): void {
  const path = ['companies', index, 'idempotency'] as const;
  const used = idempotency.map(({ key }, place) => [key, [...path, place, 'key']] as const);
  distinct(findings, used, 'Two records have this key.');
  const company = places.get(placeName(environment, name));
  idempotency.forEach(({ operation }, place) => {
    if (operation !== null && operations.get(operation)?.company !== company)
      findings.add('This company has no operation with this id.', ...path, place, 'operation');
  });
}

/** Every final operation has one event, and no other has any. Left out, they are made. */
function eventsOf(
  given: readonly EventState[] | undefined,
  { findings, operations, makeId }: Reading,
): KeptEvent[] {
  const final = new Map([...operations].filter(([, { held }]) => held.operation.status !== 'pending'));
  const typeOf = ({ operation: { type, status } }: OperationRecord) =>
    eventTypeOf(type, status === 'confirmed' ? status : 'failed');
  if (given === undefined)
    return [...final.values()]
      .sort((a, b) => Date.parse(a.held.operation.updated_at) - Date.parse(b.held.operation.updated_at))
      .map(({ company, held, json }, index) => ({
        ...{ id: makeId(), company, sequence: index + 1, type: typeOf(held) },
        ...{ occurredIso: held.operation.updated_at, operation: held.operation.id, data: json },
      }));
  let last = 0;
  const seen = new Set<string>();
  const events = given.map((event, index): KeptEvent => {
    const { id, type, occurred_at: occurredIso, operation, sequence = last + 1 } = event;
    const found = operations.get(operation);
    const wrong = (text: string, member: keyof EventState): void =>
      findings.add(text, 'events', index, member);
    if (found === undefined) wrong('There is no operation with this id.', 'operation');
    else if (!final.has(operation)) wrong('This operation is pending: it has no event yet.', 'operation');
    else if (typeOf(found.held) !== type)
      wrong(`The event of this operation is ${typeOf(found.held)}.`, 'type');
    if (seen.has(operation)) wrong('This operation has another event.', 'operation');
    if (sequence <= last) wrong('Events stand in the order of their sequence.', 'sequence');
    seen.add(operation);
    last = sequence;
    return {
      ...{ id, type, occurredIso, operation, sequence },
      company: found?.company ?? 0,
      data: found?.json ?? '',
    };
  });
  const eventIds = given.map(({ id }, index) => [id, ['events', index, 'id']] as const);
  distinct(findings, eventIds, 'Two events have this id.');
  const without = [...final.keys()].find((id) => !seen.has(id));
  if (without !== undefined)
    findings.add(`Operation ${without} is final and has no event. Add it, or leave events out.`, 'events');
  return events;
}

function deliveriesOf(
  given: readonly StateDelivery[],
  { companies }: StateDocument,
  events: readonly KeptEvent[],
  { findings, places }: Reading,
): KeptDelivery[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  const ids = new Set(given.map(({ id }) => id));
  const deliveryIds = given.map(({ id }, index) => [id, ['deliveries', index, 'id']] as const);
  distinct(findings, deliveryIds, 'Two deliveries have this id.');
  return given.map((delivery, index): KeptDelivery => {
    const { id, event: eventId, type, url, status, attempts, wait } = delivery;
    const wrong = (text: string, member: keyof StateDelivery): void =>
      findings.add(text, 'deliveries', index, member);
    const company = places.get(placeName(delivery.environment, delivery.company));
    const event = byId.get(eventId);
    const nextAt = msOf(delivery.next_attempt_at);
    if (company === undefined) wrong('There is no such company in this environment.', 'company');
    else if (status === 'pending' && (companies[company]?.webhook_endpoints ?? []).length === 0)
      wrong('This company has no URL to which it could be sent.', 'company');
    if (delivery.behind !== undefined && !ids.has(delivery.behind))
      wrong('There is no delivery with this id.', 'behind');
    const isHeld = delivery.fault === 'hold' && nextAt === null;
    if ((status === 'pending') !== (nextAt !== null) && !(status === 'pending' && isHeld))
      wrong(
        status === 'pending'
          ? 'A pending delivery must have a time here.'
          : 'Only a pending delivery has a time here.',
        'next_attempt_at',
      );
    if (type === 'test.ping' && delivery.body === undefined) wrong('A test.ping must have its body.', 'type');
    else if (type !== 'test.ping' && (event === undefined || event.company !== company))
      wrong('This company has no event with this id.', 'event');
    else if (event !== undefined && event.type !== type)
      wrong(`The type of this event is ${event.type}.`, 'type');
    const body =
      delivery.body ??
      (event === undefined ? '' : eventJson(event.id, event.type, event.occurredIso, event.data));
    return {
      id,
      company: company ?? 0,
      event_id: eventId,
      ...{ type, body, url, status, attempts, wait },
      ...{ next_attempt_at: nextAt, fault: delivery.fault ?? null, behind: delivery.behind ?? null },
    };
  });
}
