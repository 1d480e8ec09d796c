/** All that is wrong with the body of a create at once: what the service, which refuses by the first thing that it meets, would say later too. Pure. */
import { BODY_FIELDS } from './body-fields.js';
import { newPayin, newPayout } from './bodies.js';
import { type Capabilities, type MethodEntry, methodsIn } from './catalog.js';
import { checkAmount, checkTerms, isWithin, locateMethod } from './create.js';
import type { Detail } from './errors.js';
import { checkFields } from './fields.js';
import { type Direction, partyOf } from './operation.js';
import { detailsOf } from './shape.js';

type Body = Readonly<Record<string, unknown>>;

/** An entry of the catalog, and the decimals of its currency. */
export interface Meant {
  readonly entry: MethodEntry;
  readonly decimals: number;
}

/**
 * The entries that a body may mean: the one that it names, else those that share the most with it, by method, country and currency in this
 * order; all of the direction where it names nothing that exists.
 */
export function entriesMeant(capabilities: Capabilities, direction: Direction, body: Body): Meant[] {
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
  const isMethod =
    place !== undefined && hasCurrency
      ? isUsable(locateMethod(capabilities, { country, currency, method, direction }))
      : places.some((one) => methodsIn(one, direction).some(({ code }) => code === method));
  return [
    ...(isGiven('country') && place === undefined ? [invalid('country')] : []),
    ...(isGiven('currency') && !hasCurrency ? [invalid('currency')] : []),
    ...(isGiven('method') ? [] : [{ field: 'method', code: 'required' as const }]),
    ...(isGiven('method') && !isMethod ? [invalid('method')] : []),
  ];
}

function isUsable(found: ReturnType<typeof locateMethod>): boolean {
  return !('refusal' in found) && found.entry.availability !== 'disabled';
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
