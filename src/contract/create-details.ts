/** All that is wrong with the body of a create at once, by what the service would say later too; and what would do there instead. Pure. */
import { BODY_FIELDS, newPayin, newPayout, fieldsIn, fieldUse } from './body-fields.js';
import { type Capabilities, type MethodEntry, methodsIn } from './catalog.js';
import { checkAmount, checkTerms, checkFields, type Found, isWithin, locateMethod } from './create.js';
import type { Detail } from './errors.js';
import { enumerated } from './on-screen.js';
import { type Direction, partyOf } from './operation.js';
import { detailsOf } from './shape.js';

type Body = Readonly<Record<string, unknown>>;

/**
 * The entries that a body may mean: the one that it names, else those that share the most with it, by method, country and currency in this
 * order; all of the direction where it names nothing that exists.
 */
export function entriesMeant(capabilities: Capabilities, direction: Direction, body: Body): Found[] {
  const all = capabilities.countries.flatMap((country) =>
    methodsIn(country, direction).map((entry) => ({
      entry,
      decimals: country.currencies.find(({ code }) => code === entry.currency)?.decimals ?? 0,
    })),
  );
  const wanted = [
    ['method', textOf(body, 'method')],
    ['country', textOf(body, 'country').toUpperCase()],
    ['currency', textOf(body, 'currency').toUpperCase()],
  ] as const;
  return wanted.reduce((left, [name, value]) => {
    const fitting = left.filter(({ entry }) => (name === 'method' ? entry.code : entry[name]) === value);
    return fitting.length > 0 ? fitting : left;
  }, all);
}

/** One detail a field, in the order of the body. Where several entries may be meant, what is wrong by each of them. */
export function allDetails(capabilities: Capabilities, direction: Direction, body: Body): Detail[] {
  const party = partyOf(direction);
  const meant = entriesMeant(capabilities, direction, body);
  const shape = detailsOf(direction === 'payin' ? newPayin : newPayout, body);
  const declared = meant.map(({ entry }) => checkFields(party, body[party], entry.fields));
  const terms = meant.map(({ entry }) => checkTerms(entry.code, body));
  const isAmountWrong =
    typeof body['amount'] === 'string' &&
    meant.every(({ entry, decimals }) => checkAmount(textOf(body, 'amount'), entry, decimals) !== null);
  return inOrder([
    // The catalog's word counts where it declares something.
    ...shape.filter(({ field }) => !isWithin(field, party) && field !== 'method'),
    ...placeDetails(capabilities, direction, body),
    ...(isAmountWrong ? [invalid('amount')] : []),
    ...inEach(declared),
    ...inEach(terms),
  ]);
}

/** Country, currency and method, each by itself, as far as the others leave it to be judged. */
function placeDetails(capabilities: Capabilities, direction: Direction, body: Body): Detail[] {
  const [country, currency, method] = [
    textOf(body, 'country'),
    textOf(body, 'currency'),
    textOf(body, 'method'),
  ];
  const isGiven = (name: string): boolean => (body[name] ?? '') !== '';
  const place = capabilities.countries.find(({ code }) => code === country.toUpperCase());
  const places = place === undefined ? capabilities.countries : [place];
  const hasCurrency = places.some(({ currencies }) =>
    currencies.some(({ code }) => code === currency.toUpperCase()),
  );
  const found = locateMethod(capabilities, { country, currency, method, direction });
  const isMethod =
    place !== undefined && hasCurrency
      ? !('refusal' in found) && found.entry.availability !== 'disabled'
      : places.some((one) => methodsIn(one, direction).some(({ code }) => code === method));
  return [
    ...(isGiven('country') && place === undefined ? [invalid('country')] : []),
    ...(isGiven('currency') && !hasCurrency ? [invalid('currency')] : []),
    ...(isGiven('method') ? [] : [{ field: 'method', code: 'required' as const }]),
    ...(isGiven('method') && !isMethod ? [invalid('method')] : []),
  ];
}

function invalid(field: string): Detail {
  return { field, code: 'invalid' };
}

function textOf(body: Body, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : '';
}

/** The details that every list has. */
function inEach([first = [], ...others]: readonly (readonly Detail[])[]): Detail[] {
  return first.filter((detail) =>
    others.every((list) => list.some(({ field, code }) => field === detail.field && code === detail.code)),
  );
}

/** Each field once, by its place in the table of fields; what is in no row stands behind them. */
function inOrder(details: readonly Detail[]): Detail[] {
  const names = Object.keys(BODY_FIELDS);
  const rank = ({ field }: Detail): number => {
    const at = names.indexOf(field.split('.')[0] ?? '');
    return at === -1 ? names.length : at;
  };
  const once = new Map<string, Detail>();
  for (const detail of details) if (!once.has(detail.field)) once.set(detail.field, detail);
  return [...once.values()].sort((a, b) => rank(a) - rank(b));
}

/** From the catalog's own examples, choices and bounds: what a field may hold, as half a sentence behind "Use", and a value that would do; null where the catalog does not say. */
export interface Hint {
  readonly use: string | null;
  readonly example: string | null;
}

export function hintFor(field: string, capabilities: Capabilities, direction: Direction, body: Body): Hint {
  const country = capabilities.countries.find(({ code }) => code === String(body['country']).toUpperCase());
  const meant = entriesMeant(capabilities, direction, body);
  if (field === 'country') return choice(capabilities.countries.map(({ code }) => code));
  if (field === 'currency')
    return choice(country?.currencies.map(({ code }) => code) ?? meant.map(({ entry }) => entry.currency));
  if (field === 'method') {
    const entries = country === undefined ? meant.map(({ entry }) => entry) : methodsIn(country, direction);
    return choice(entries.filter(({ availability }) => availability !== 'disabled').map(({ code }) => code));
  }
  if (field === 'amount') return amountHint(meant);
  const path = field.slice(partyOf(direction).length + 1);
  const known = meant.flatMap(({ entry }) => entry.fields).find(({ name }) => name === path);
  if (known?.enum !== undefined) return choice(known.enum);
  return { use: fieldUse(field) ?? null, example: known?.example ?? null };
}

/** The fields that stand beside an unknown one, by their paths. */
export function fieldsBeside(
  field: string,
  capabilities: Capabilities,
  direction: Direction,
  body: Body,
): string[] {
  const meant = entriesMeant(capabilities, direction, body);
  const [top = '', inner] = field.split('.');
  const party = partyOf(direction);
  if (inner !== undefined && top === party)
    return distinct(meant.flatMap(({ entry }) => entry.fields.map(({ name }) => `${party}.${name}`)));
  if (inner !== undefined && top === 'mandate') return ['mandate.contract_id', 'mandate.contract_date'];
  const isTaken = (methods: readonly string[] | undefined): boolean =>
    methods === undefined || meant.length === 0 || meant.some(({ entry }) => methods.includes(entry.code));
  return fieldsIn(direction)
    .filter(([, { methods }]) => isTaken(methods))
    .map(([name]) => name);
}

/** An unknown field and those that stand beside it. @param listed parents whose fields were said, which are not said twice */
export function unknownFieldText(field: string, beside: readonly string[], listed: Set<string>): string {
  const parent = field.includes('.') ? (field.split('.')[0] ?? '') : '';
  const isSaid = beside.length === 0 || listed.has(parent);
  listed.add(parent);
  return `Unknown field: ${field}.${isSaid ? '' : ` Known fields: ${beside.join(', ')}.`}`;
}

function choice(values: readonly string[]): Hint {
  const all = distinct(values);
  return { use: all.length === 0 ? null : enumerated(all, 'or'), example: all[0] ?? null };
}

/** Of several currencies no bounds are said. */
function amountHint([first, ...others]: readonly Found[]): Hint {
  const isOne = others.every(({ entry }) => entry.currency === first?.entry.currency);
  if (first === undefined || !isOne) return { use: 'digits with a decimal point', example: '10.00' };
  const { entry, decimals } = first;
  return {
    use: `${amountRange(entry, decimals)} ${entry.currency}`,
    example: amountExample(entry, decimals),
  };
}

/** Bounds and decimals, as half a sentence behind "Enter" or "Use". */
export function amountRange(
  { min_amount: min, max_amount: max }: Pick<MethodEntry, 'min_amount' | 'max_amount'>,
  decimals: number,
): string {
  const whole = decimals === 0 ? 'a whole amount' : 'an amount';
  return max === null ? `${whole} of at least ${min}` : `${whole} from ${min} to ${max}`;
}

/** An everyday amount where the bounds allow it, with all decimals of the currency, else the least. */
export function amountExample(
  bounds: Pick<MethodEntry, 'min_amount' | 'max_amount'>,
  decimals: number,
): string {
  const usual = decimals === 0 ? '1500' : `1500.${'50'.padEnd(decimals, '0').slice(0, decimals)}`;
  return checkAmount(usual, bounds, decimals) === null ? usual : bounds.min_amount;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
