import { BODY_FIELDS, newPayin, newPayout, fieldsIn, fieldUse } from './body-fields.js';
import { type Capabilities, methodsIn } from './catalog.js';
import { checkAmount, checkMethodFields, checkFields, isWithin, locateMethod } from './create.js';
import type { AmountBounds, CatalogMethod } from './create.js';
import type { Detail } from './errors.js';
import { enumerated } from './on-screen.js';
import { type Direction, partyOf } from './operation.js';
import { detailsOf, textIn } from './shape.js';

type Body = Readonly<Record<string, unknown>>;

export function matchingMethods(catalog: Capabilities, direction: Direction, body: Body): CatalogMethod[] {
  const allMethods = catalog.countries.flatMap((country) =>
    methodsIn(country, direction).map((entry) => ({
      entry,
      decimals: country.currencies.find(({ code }) => code === entry.currency)?.decimals ?? 0,
    })),
  );
  const wantedValues = [
    ['method', textIn(body, 'method')],
    ['country', textIn(body, 'country').toUpperCase()],
    ['currency', textIn(body, 'currency').toUpperCase()],
  ] as const;
  return wantedValues.reduce((candidates, [name, value]) => {
    const member = name === 'method' ? 'code' : name;
    const matches = candidates.filter(({ entry }) => entry[member] === value);
    return matches.length > 0 ? matches : candidates;
  }, allMethods);
}

/** A problem counts only if every catalog entry that fits the body has it. */
export function allDetails(catalog: Capabilities, direction: Direction, body: Body): Detail[] {
  const party = partyOf(direction);
  const matches = matchingMethods(catalog, direction, body);
  const shapeDetails = detailsOf(direction === 'payin' ? newPayin : newPayout, body);
  const partyDetails = matches.map(({ entry }) => checkFields(party, body[party], entry.fields));
  const methodDetails = matches.map(({ entry }) => checkMethodFields(entry.code, body));
  const isAmountWrong =
    typeof body['amount'] === 'string' &&
    matches.every(({ entry, decimals }) => checkAmount(textIn(body, 'amount'), entry, decimals) !== null);
  return sortedDetails([
    ...shapeDetails.filter(({ field }) => !isWithin(field, party) && field !== 'method'),
    ...locationDetails(catalog, direction, body),
    ...(isAmountWrong ? [invalidDetail('amount')] : []),
    ...commonDetails(partyDetails),
    ...commonDetails(methodDetails),
  ]);
}

function locationDetails(catalog: Capabilities, direction: Direction, body: Body): Detail[] {
  const text = (name: string): string => textIn(body, name);
  const [country, currency, method] = [text('country'), text('currency'), text('method')];
  const isGiven = (name: string): boolean => (body[name] ?? '') !== '';
  const countryEntry = catalog.countries.find(({ code }) => code === country.toUpperCase());
  const countryEntries = countryEntry === undefined ? catalog.countries : [countryEntry];
  const hasCurrency = countryEntries.some(({ currencies }) =>
    currencies.some(({ code }) => code === currency.toUpperCase()),
  );
  const match = locateMethod(catalog, { country, currency, method, direction });
  const isMethodOffered =
    countryEntry !== undefined && hasCurrency
      ? !('refusal' in match) && match.entry.availability !== 'disabled'
      : countryEntries.some((one) => methodsIn(one, direction).some(({ code }) => code === method));
  return [
    ...(isGiven('country') && countryEntry === undefined ? [invalidDetail('country')] : []),
    ...(isGiven('currency') && !hasCurrency ? [invalidDetail('currency')] : []),
    ...(isGiven('method') ? [] : [{ field: 'method', code: 'required' as const }]),
    ...(isGiven('method') && !isMethodOffered ? [invalidDetail('method')] : []),
  ];
}

function invalidDetail(field: string): Detail {
  return { field, code: 'invalid' };
}

function commonDetails([first = [], ...others]: readonly (readonly Detail[])[]): Detail[] {
  return first.filter((detail) =>
    others.every((list) => list.some(({ field, code }) => field === detail.field && code === detail.code)),
  );
}

function sortedDetails(details: readonly Detail[]): Detail[] {
  const names = Object.keys(BODY_FIELDS);
  const rank = ({ field }: Detail): number => {
    const at = names.indexOf(field.split('.')[0] ?? '');
    return at === -1 ? names.length : at;
  };
  const firstDetails = new Map<string, Detail>();
  for (const detail of details) if (!firstDetails.has(detail.field)) firstDetails.set(detail.field, detail);
  return [...firstDetails.values()].sort((a, b) => rank(a) - rank(b));
}

export type Hint = Readonly<Record<'use' | 'example', string | null>>;

export function hintFor(field: string, catalog: Capabilities, direction: Direction, body: Body): Hint {
  const country = catalog.countries.find(({ code }) => code === String(body['country']).toUpperCase());
  const matches = matchingMethods(catalog, direction, body);
  if (field === 'country') return choiceHint(catalog.countries.map(({ code }) => code));
  if (field === 'currency')
    return choiceHint(
      country?.currencies.map(({ code }) => code) ?? matches.map(({ entry }) => entry.currency),
    );
  if (field === 'method') {
    const entries = country === undefined ? matches.map((one) => one.entry) : methodsIn(country, direction);
    const offeredEntries = entries.filter(({ availability }) => availability !== 'disabled');
    return choiceHint(offeredEntries.map(({ code }) => code));
  }
  if (field === 'amount') return amountHint(matches);
  const path = field.slice(partyOf(direction).length + 1);
  const descriptor = matches.flatMap(({ entry }) => entry.fields).find(({ name }) => name === path);
  if (descriptor?.enum !== undefined) return choiceHint(descriptor.enum);
  return { use: fieldUse(field) ?? null, example: descriptor?.example ?? null };
}

export function siblingFields(
  field: string,
  catalog: Capabilities,
  direction: Direction,
  body: Body,
): string[] {
  const matches = matchingMethods(catalog, direction, body);
  const [top = '', inner] = field.split('.');
  const party = partyOf(direction);
  if (inner !== undefined && top === party)
    return distinct(matches.flatMap(({ entry }) => entry.fields.map(({ name }) => `${party}.${name}`)));
  if (inner !== undefined && top === 'mandate') return ['mandate.contract_id', 'mandate.contract_date'];
  return fieldsIn(direction).flatMap(([name, { methods }]) => {
    const isAccepted = methods === undefined || matches.some(({ entry }) => methods.includes(entry.code));
    return isAccepted || matches.length === 0 ? [name] : [];
  });
}

export function unknownFieldText(
  field: string,
  siblings: readonly string[],
  listedParents: Set<string>,
): string {
  const parent = field.includes('.') ? (field.split('.')[0] ?? '') : '';
  const isBrief = siblings.length === 0 || listedParents.has(parent);
  listedParents.add(parent);
  return `Unknown field: ${field}.${isBrief ? '' : ` Known fields: ${siblings.join(', ')}.`}`;
}

function choiceHint(values: readonly string[]): Hint {
  const choices = distinct(values);
  return { use: choices.length === 0 ? null : enumerated(choices, 'or'), example: choices[0] ?? null };
}

function amountHint([first, ...others]: readonly CatalogMethod[]): Hint {
  const isOneCurrency = others.every(({ entry }) => entry.currency === first?.entry.currency);
  if (first === undefined || !isOneCurrency) return { use: 'digits with a decimal point', example: '10.00' };
  const { entry, decimals } = first;
  const use = `${amountRange(entry, decimals)} ${entry.currency}`;
  return { use, example: amountExample(entry, decimals) };
}

export function amountRange({ min_amount: min, max_amount: max }: AmountBounds, decimals: number): string {
  const amountNoun = decimals === 0 ? 'a whole amount' : 'an amount';
  return max === null ? `${amountNoun} of at least ${min}` : `${amountNoun} from ${min} to ${max}`;
}

export function amountExample(bounds: AmountBounds, decimals: number): string {
  const usualAmount = decimals === 0 ? '1500' : `1500.${'50'.padEnd(decimals, '0').slice(0, decimals)}`;
  return checkAmount(usualAmount, bounds, decimals) === null ? usualAmount : bounds.min_amount;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
