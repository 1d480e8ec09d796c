/** The sandbox and the command line share these checks of a create request (contract sections 2.2, 2.3 and 2.5). */
import { fieldsIn, newPayin, newPayout } from './body-fields.js';
import { type Capabilities, type MethodEntry, methodsIn, type FieldDescriptor } from './catalog.js';
import type { Detail, ErrorCode } from './errors.js';
import { type Direction, isMethod, METHODS, partyOf } from './operation.js';
import { compareDecimals, isDecimal, toMinor } from './money.js';
import { detailsOf, isObject, type Shape, shapeAt } from './shape.js';
import { type Pattern, readPattern } from './pattern.js';

export type BankRule = (country: string, bankCode: string, method: string) => boolean;

type Fields = Readonly<Record<string, unknown>>;

export function checkCreate(
  capabilities: Capabilities,
  direction: Direction,
  body: Fields,
  supportsBank?: BankRule,
): CatalogMethod | Rejection {
  const shapeDetails = detailsOf(direction === 'payin' ? newPayin : newPayout, body);
  const { country, currency, method } = body;
  const isLocatable =
    typeof country === 'string' && typeof currency === 'string' && typeof method === 'string';
  const match = isLocatable ? locateMethod(capabilities, { country, currency, method, direction }) : null;
  const party = partyOf(direction);
  if (match === null || 'refusal' in match) {
    return shapeDetails.length > 0 || match === null ? rejectFields(shapeDetails) : match;
  }
  const { entry, decimals } = match;
  const partyDetails = checkFields(party, body[party], entry.fields);
  const methodDetails = checkMethodFields(entry.code, body);
  const bodyDetails = shapeDetails.filter(
    ({ field }) =>
      !isWithin(field, party) &&
      field !== 'method' &&
      !methodDetails.some((detail) => isWithin(field, detail.field)),
  );
  const isAmountReadable = !bodyDetails.some(({ field }) => field === 'amount');
  const amountProblem = isAmountReadable ? checkAmount(String(body['amount']), entry, decimals) : null;
  if (amountProblem === 'field_invalid') bodyDetails.push({ field: 'amount', code: 'invalid' });
  const details = [...bodyDetails, ...partyDetails, ...methodDetails];
  if (details.length > 0) return rejectFields(details);
  const unavailability = checkAvailability(entry);
  if (unavailability !== null) return unavailability;
  const bankCode = (body[party] as Fields)['bank_code'];
  if (typeof bankCode === 'string' && supportsBank?.(entry.country, bankCode, entry.code) === false) {
    return rejectField('bank_unsupported', `${party}.bank_code`);
  }
  return amountProblem === null ? match : rejectField(amountProblem, 'amount');
}

export function checkWithoutCatalog(direction: Direction, body: Fields): Detail[] {
  const wholeShape = direction === 'payin' ? newPayin : newPayout;
  const groups = fieldsIn(direction).flatMap(([name, { kind }]) => (kind === 'parts' ? name : []));
  const isForCatalog = (field: string): boolean =>
    groups.some((group) => isWithin(field, group)) || (field === 'method' && typeof body[field] === 'string');
  return [
    ...detailsOf(wholeShape, body).filter(({ field, code }) => code === 'required' || !isForCatalog(field)),
    ...groups.flatMap((group) => checkTexts(wholeShape, group, body[group])),
    ...checkMethodFields(String(body['method']), body),
  ];
}

function checkTexts(wholeShape: Shape<unknown>, field: string, value: unknown): Detail[] {
  if (value === undefined || value === null) return [];
  const shape = shapeAt(wholeShape, field);
  const isGroup = shape === undefined ? isObject(value) : shape.members !== undefined;
  if (isGroup && isObject(value))
    return Object.entries(value).flatMap(([name, inner]) =>
      checkTexts(wholeShape, `${field}.${name}`, inner),
    );
  return !isGroup && typeof value === 'string' ? [] : [{ field, code: 'invalid' }];
}

export function isWithin(field: string, parent: string): boolean {
  return field === parent || field.startsWith(`${parent}.`);
}

function rejectFields(details: readonly Detail[]): Rejection {
  const isMissing = details.some(({ code }) => code === 'required');
  return { refusal: isMissing ? 'field_required' : 'field_invalid', details };
}

export interface Rejection {
  readonly refusal: ErrorCode;
  readonly details?: readonly Detail[];
}

export interface WantedMethod extends Readonly<Record<'country' | 'currency' | 'method', string>> {
  readonly direction: Direction;
}

export interface CatalogMethod {
  readonly entry: MethodEntry;
  readonly decimals: number;
}

export function rejectField(refusal: ErrorCode, field: string): Rejection {
  return { refusal, details: [{ field, code: 'invalid' }] };
}

export function locateMethod(capabilities: Capabilities, wanted: WantedMethod): CatalogMethod | Rejection {
  const { method, direction } = wanted;
  const currency = wanted.currency.toUpperCase();
  const country = wanted.country.toUpperCase();
  const countryEntry = capabilities.countries.find(({ code }) => code === country);
  if (!isMethod(method) && !isOffered(capabilities, method)) return rejectField('field_invalid', 'method');
  if (countryEntry === undefined) return rejectField('country_unsupported', 'country');
  const decimals = countryEntry.currencies.find(({ code }) => code === currency)?.decimals;
  if (decimals === undefined) return rejectField('currency_unsupported', 'currency');
  const entry = methodsIn(countryEntry, direction).find(
    (one) => one.code === method && one.currency === currency,
  );
  return entry === undefined ? rejectField('method_unavailable', 'method') : { entry, decimals };
}

/** A newer service may offer methods that this code does not know. */
function isOffered(capabilities: Capabilities, method: string): boolean {
  return capabilities.countries.some(({ payin_methods: payins, payout_methods: payouts }) =>
    [...payins, ...payouts].some(({ code }) => code === method),
  );
}

export function checkAvailability({ availability }: MethodEntry): Rejection | null {
  if (availability === 'disabled') return rejectField('method_unavailable', 'method');
  return availability === 'temporarily_unavailable' ? { refusal: 'temporarily_unavailable' } : null;
}

export type AmountBounds = Pick<MethodEntry, 'min_amount' | 'max_amount'>;

export function checkAmount(
  amount: string,
  bounds: AmountBounds,
  decimals: number,
): 'field_invalid' | 'amount_out_of_range' | null {
  if (toMinor(amount, decimals) === null) return 'field_invalid';
  const { min_amount: min, max_amount: max } = bounds;
  const isBelow = isDecimal(min) && compareDecimals(amount, min) < 0;
  const isAbove = max !== null && isDecimal(max) && compareDecimals(amount, max) > 0;
  return isBelow || isAbove ? 'amount_out_of_range' : null;
}

export function checkMethodFields(method: string, body: Readonly<Record<string, unknown>>): Detail[] {
  if (!isMethod(method)) return [];
  return fieldsIn(METHODS[method].direction)
    .filter(([name, { methods }]) => methods?.includes(method) === false && (body[name] ?? null) !== null)
    .map(([field]) => ({ field, code: 'unknown' }));
}

export interface FieldNode {
  descriptor: FieldDescriptor | null;
  pattern: Pattern | null;
  readonly children: Map<string, FieldNode>;
}

const cachedTrees = new WeakMap<readonly FieldDescriptor[], FieldNode>();

export function fieldTree(fields: readonly FieldDescriptor[]): FieldNode {
  const cached = cachedTrees.get(fields);
  if (cached !== undefined) return cached;
  const root = emptyNode();
  for (const descriptor of fields) {
    let node = root;
    for (const name of descriptor.name.split('.')) {
      let child = node.children.get(name);
      if (child === undefined) node.children.set(name, (child = emptyNode()));
      node = child;
    }
    node.descriptor = descriptor;
    node.pattern = descriptor.pattern === undefined ? null : readPattern(descriptor.pattern);
  }
  cachedTrees.set(fields, root);
  return root;
}

export function checkFields(
  party: 'payer' | 'beneficiary',
  value: unknown,
  fields: readonly FieldDescriptor[],
): Detail[] {
  const isBlank = value === undefined || value === null || value === '';
  const details: Detail[] = isBlank ? [{ field: party, code: 'required' }] : [];
  checkGroup(fieldTree(fields), isBlank ? {} : value, party, details);
  return details;
}

function emptyNode(): FieldNode {
  return { descriptor: null, pattern: null, children: new Map() };
}

function checkNode(node: FieldNode, value: unknown, path: string, details: Detail[]): void {
  if (value === undefined || value === null || (value === '' && hasRequiredField(node))) {
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
  if (!isObject(value)) {
    details.push({ field: path, code: 'invalid' });
    return;
  }
  for (const [name, child] of node.children) {
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    checkNode(child, inner, `${path}.${name}`, details);
  }
  for (const name of Object.keys(value)) {
    if (!node.children.has(name)) details.push({ field: `${path}.${name}`, code: 'unknown' });
  }
}

export function hasRequiredField({ descriptor, children }: FieldNode): boolean {
  return descriptor?.required === true || [...children.values()].some(hasRequiredField);
}

export function allowsValue(fields: readonly FieldDescriptor[], name: string, value: string): boolean {
  const parts = name.split('.');
  const node = parts.reduce<FieldNode | undefined>(
    (parent, part) => parent?.children.get(part),
    fieldTree(fields),
  );
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

function isDate(text: string): boolean {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
