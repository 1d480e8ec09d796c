/**
 * The whole judgement of a create, shared by the sandbox and the command line: shape, fields, country, currency, method, bank and
 * amount, in that order of refusal (sections 2.2, 2.3, 2.5).
 */
import { fieldsIn, newPayin, newPayout } from './body-fields.js';
import { type Capabilities, type MethodEntry, methodsIn, type FieldDescriptor } from './catalog.js';
import type { Detail, ErrorCode } from './errors.js';
import { type Direction, isMethod, METHODS, partyOf } from './operation.js';
import { compareDecimals, isDecimal, toMinor } from './money.js';
import { detailsOf, isObject, type Shape, shapeAt } from './shape.js';
import { type Pattern, readPattern } from './pattern.js';

/** Whether a bank takes a method there; the command line, which may not know the banks, passes none. */
export type BankRule = (country: string, bankCode: string, method: string) => boolean;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Judges the body of a create by the schema and the catalog, every offending field at once.
 * Where the catalog declares something (a method, a field of `payer`), its word counts and not the schema's,
 * so that a newer service can be used. The size of `metadata` is not judged here: it is counted in the bytes as sent.
 * @param body a JSON object; anything else is the caller's `body_invalid`
 * @returns the entry and its decimals, for the operation to be made; or the error of section 7
 */
export function checkCreate(
  capabilities: Capabilities,
  direction: Direction,
  body: Fields,
  supportsBank?: BankRule,
): Found | Rejection {
  const shape = detailsOf(direction === 'payin' ? newPayin : newPayout, body);
  const located = locate(capabilities, direction, body);
  const party = partyOf(direction);
  if (located === null || 'refusal' in located) {
    return shape.length > 0 || located === null ? rejectFields(shape) : located;
  }
  const { entry, decimals } = located;
  const declared = checkFields(party, body[party], entry.fields);
  const terms = checkTerms(entry.code, body);
  const own = shape.filter(
    ({ field }) =>
      !isWithin(field, party) && field !== 'method' && !terms.some((term) => isWithin(field, term.field)),
  );
  const isAmount = !own.some(({ field }) => field === 'amount');
  const amount = isAmount ? checkAmount(String(body['amount']), entry, decimals) : null;
  if (amount === 'field_invalid') own.push({ field: 'amount', code: 'invalid' });
  const details = [...own, ...declared, ...terms];
  if (details.length > 0) return rejectFields(details);
  const unavailable = checkAvailability(entry);
  if (unavailable !== null) return unavailable;
  const bank = (body[party] as Fields)['bank_code'];
  if (typeof bank === 'string' && supportsBank?.(entry.country, bank, entry.code) === false) {
    return rejectField('bank_unsupported', `${party}.bank_code`);
  }
  return amount === null ? located : rejectField(amount, 'amount');
}

/**
 * What is wrong with a body by the contract alone, whatever the catalog declares: types, patterns and names of its own members. The catalog
 * declares methods and what stands in `payer`, `beneficiary` and `mandate`: of these, only that they are text, and groups of text.
 */
export function checkWithoutCatalog(direction: Direction, body: Fields): Detail[] {
  const whole = direction === 'payin' ? newPayin : newPayout;
  const parts = fieldsIn(direction).flatMap(([name, { holds }]) => (holds === 'parts' ? name : []));
  const isDeclared = (field: string): boolean =>
    parts.some((part) => isWithin(field, part)) || (field === 'method' && typeof body[field] === 'string');
  return [
    ...detailsOf(whole, body).filter(({ field, code }) => code === 'required' || !isDeclared(field)),
    ...parts.flatMap((part) => checkText(whole, part, body[part])),
    ...checkTerms(String(body['method']), body),
  ];
}

/** What is neither text nor a group, and a group or a text in the place of the other. */
function checkText(whole: Shape<unknown>, field: string, value: unknown): Detail[] {
  if (value === undefined || value === null) return [];
  const shape = shapeAt(whole, field);
  const isGroup = shape === undefined ? isObject(value) : shape.members !== undefined;
  if (isGroup && isObject(value))
    return Object.entries(value).flatMap(([name, inner]) => checkText(whole, `${field}.${name}`, inner));
  return !isGroup && typeof value === 'string' ? [] : [{ field, code: 'invalid' }];
}

/** Null where the body does not say which method it wants. */
function locate(capabilities: Capabilities, direction: Direction, body: Fields): Found | Rejection | null {
  const { country, currency, method } = body;
  if (typeof country !== 'string' || typeof currency !== 'string' || typeof method !== 'string') return null;
  return locateMethod(capabilities, { country, currency, method, direction });
}

/** True for the field itself, and for what is in it. */
export function isWithin(field: string, parent: string): boolean {
  return field === parent || field.startsWith(`${parent}.`);
}

function rejectFields(details: readonly Detail[]): Rejection {
  const isMissing = details.some(({ code }) => code === 'required');
  return { refusal: isMissing ? 'field_required' : 'field_invalid', details };
}

/** Why a request is not carried out: the error it gets, with a detail for each offending field where there are any. */
export interface Rejection {
  readonly refusal: ErrorCode;
  readonly details?: readonly Detail[];
}

/** What a create asks for; country and currency in either case. */
export interface WantedMethod {
  readonly country: string;
  readonly currency: string;
  readonly method: string;
  readonly direction: Direction;
}

/** What the catalog says about it. */
export interface Found {
  readonly entry: MethodEntry;
  /** The currency's decimals. */
  readonly decimals: number;
}

/** The one detail of the refusals that concern a single field. */
export function rejectField(refusal: ErrorCode, field: string): Rejection {
  return { refusal, details: [{ field, code: 'invalid' }] };
}

/** The catalog's entry whatever its availability, or why there is none. A method nobody knows is `field_invalid`. */
export function locateMethod(capabilities: Capabilities, wanted: WantedMethod): Found | Rejection {
  const { method, direction } = wanted;
  const currency = wanted.currency.toUpperCase();
  const country = wanted.country.toUpperCase();
  const place = capabilities.countries.find(({ code }) => code === country);
  if (!isMethod(method) && !isOffered(capabilities, method)) return rejectField('field_invalid', 'method');
  if (place === undefined) return rejectField('country_unsupported', 'country');
  const decimals = place.currencies.find(({ code }) => code === currency)?.decimals;
  if (decimals === undefined) return rejectField('currency_unsupported', 'currency');
  const entry = methodsIn(place, direction).find(
    (candidate) => candidate.code === method && candidate.currency === currency,
  );
  return entry === undefined ? rejectField('method_unavailable', 'method') : { entry, decimals };
}

/** A newer service may offer methods that this code has never heard of. */
function isOffered(capabilities: Capabilities, method: string): boolean {
  return capabilities.countries.some(({ payin_methods: payins, payout_methods: payouts }) =>
    [...payins, ...payouts].some(({ code }) => code === method),
  );
}

/** Null where the method can be used now: `disabled` is a refusal, `temporarily_unavailable` returns by itself (section 2.5). */
export function checkAvailability({ availability }: MethodEntry): Rejection | null {
  if (availability === 'disabled') return rejectField('method_unavailable', 'method');
  return availability === 'temporarily_unavailable' ? { refusal: 'temporarily_unavailable' } : null;
}

/** `field_invalid` for no amount of that currency, `amount_out_of_range` beyond the entry's bounds (both inclusive), null where fine. */
export function checkAmount(
  amount: string,
  bounds: Pick<MethodEntry, 'min_amount' | 'max_amount'>,
  decimals: number,
): 'field_invalid' | 'amount_out_of_range' | null {
  if (toMinor(amount, decimals) === null) return 'field_invalid';
  const { min_amount: min, max_amount: max } = bounds;
  const isBelow = isDecimal(min) && compareDecimals(amount, min) < 0;
  const isAbove = max !== null && isDecimal(max) && compareDecimals(amount, max) > 0;
  return isBelow || isAbove ? 'amount_out_of_range' : null;
}

/** What the method does not take although others do (section 2.2; null is absent); of an unknown method nothing is said. */
export function checkTerms(method: string, body: Readonly<Record<string, unknown>>): Detail[] {
  if (!isMethod(method)) return [];
  return fieldsIn(METHODS[method].direction)
    .filter(([name, { methods }]) => methods?.includes(method) === false && (body[name] ?? null) !== null)
    .map(([field]) => ({ field, code: 'unknown' }));
}

/** A path inside `payer` or `beneficiary`: what the catalog declares for it, and what lies beneath it. */
export interface FieldNode {
  descriptor: FieldDescriptor | null;
  pattern: Pattern | null;
  readonly children: Map<string, FieldNode>;
}

/** Descriptors do not change, so each list is read once. */
const trees = new WeakMap<readonly FieldDescriptor[], FieldNode>();

export function fieldTree(fields: readonly FieldDescriptor[]): FieldNode {
  let tree = trees.get(fields);
  if (tree === undefined) trees.set(fields, (tree = grow(fields)));
  return tree;
}

/**
 * What is wrong with `payer` or `beneficiary`, one detail a field: `required` where a required one is absent, null or an empty text,
 * `unknown` where one is not declared, `invalid` for a value (an empty text in an optional place too) that its descriptor does not allow.
 * A pattern that can't be read (`pattern.ts`), or a type that is not known here, allows everything.
 */
export function checkFields(
  prefix: 'payer' | 'beneficiary',
  value: unknown,
  fields: readonly FieldDescriptor[],
): Detail[] {
  const details: Detail[] = [];
  if (isBlank(value)) details.push({ field: prefix, code: 'required' });
  const tree = fieldTree(fields);
  if (isBlank(value)) checkNode(tree, undefined, prefix, details);
  else checkGroup(tree, value, prefix, details);
  return details;
}

function grow(fields: readonly FieldDescriptor[]): FieldNode {
  const root = leaf();
  for (const descriptor of fields) {
    let node = root;
    for (const name of descriptor.name.split('.')) {
      let child = node.children.get(name);
      if (child === undefined) node.children.set(name, (child = leaf()));
      node = child;
    }
    node.descriptor = descriptor;
    node.pattern = descriptor.pattern === undefined ? null : readPattern(descriptor.pattern);
  }
  return root;
}

function leaf(): FieldNode {
  return { descriptor: null, pattern: null, children: new Map() };
}

function checkNode(node: FieldNode, value: unknown, path: string, details: Detail[]): void {
  if (value === undefined || value === null || (value === '' && needsSomething(node))) {
    if (node.descriptor?.required === true) details.push({ field: path, code: 'required' });
    for (const [name, child] of node.children) checkNode(child, undefined, `${path}.${name}`, details);
  } else if (node.children.size === 0) {
    if (node.descriptor !== null && !isAllowed(node.descriptor, node.pattern, value)) {
      details.push({ field: path, code: 'invalid' });
    }
  } else {
    checkGroup(node, value, path, details);
  }
}

function checkGroup(node: FieldNode, value: unknown, path: string, details: Detail[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    details.push({ field: path, code: 'invalid' });
  } else {
    const group = value as Readonly<Record<string, unknown>>;
    for (const [name, child] of node.children) {
      const inner = Object.hasOwn(group, name) ? group[name] : undefined;
      checkNode(child, inner, `${path}.${name}`, details);
    }
    for (const name of Object.keys(group)) {
      if (!node.children.has(name)) details.push({ field: `${path}.${name}`, code: 'unknown' });
    }
  }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

/** A group is required where anything in it is. */
export function needsSomething({ descriptor, children }: FieldNode): boolean {
  return descriptor?.required === true || [...children.values()].some(needsSomething);
}

/** Whether a field may have that value. @param name its path inside the counterparty */
export function allowsValue(fields: readonly FieldDescriptor[], name: string, value: string): boolean {
  const parts = name.split('.');
  const node = parts.reduce<FieldNode | undefined>((at, part) => at?.children.get(part), fieldTree(fields));
  return node?.descriptor ? isAllowed(node.descriptor, node.pattern, value) : false;
}

function isAllowed(descriptor: FieldDescriptor, pattern: Pattern | null, value: unknown): boolean {
  const type: string = descriptor.type;
  if (type !== 'string' && type !== 'enum' && type !== 'date') return true;
  if (typeof value !== 'string' || value === '') return false;
  if (descriptor.enum !== undefined && !descriptor.enum.includes(value)) return false;
  if (pattern !== null) return pattern.test(value);
  return type !== 'date' || isDate(value);
}

/** A day of the calendar as `YYYY-MM-DD`. */
function isDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
