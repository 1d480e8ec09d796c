/** What would do where a field of a create is missing or wrong: from the catalog's own examples, choices and bounds. Pure. */
import { fieldsIn } from './bodies.js';
import { type Capabilities, type MethodEntry, methodsIn } from './catalog.js';
import { checkAmount } from './create.js';
import { entriesMeant, type Meant } from './create-details.js';
import { LIMITS } from './limits.js';
import { type Direction, partyOf } from './operation.js';

type Body = Readonly<Record<string, unknown>>;

/** What a field may hold, as half a sentence behind "Use", and a value that would do; null where the catalog does not say. */
export interface Hint {
  readonly use: string | null;
  readonly example: string | null;
}

const OWN: Readonly<Record<string, string>> = {
  expires_in_hours: `a whole number from 1 to ${String(LIMITS.windowMaxHours)}`,
  mandate: 'an object with contract_id and contract_date',
  'mandate.contract_id': `1 to ${String(LIMITS.contractIdMaxCharacters)} letters and digits`,
  metadata: `a JSON object of at most ${String(LIMITS.metadataMaxBytes)} bytes`,
  purpose: 'remittance or payroll',
};

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
  return { use: OWN[field] ?? null, example: known?.example ?? null };
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
    methods === undefined || meant.some(({ entry }) => methods.includes(entry.code));
  return fieldsIn(direction)
    .filter(([, { methods }]) => isTaken(methods))
    .map(([name]) => name);
}

function choice(values: readonly string[]): Hint {
  const all = distinct(values);
  const last = all.at(-1);
  if (last === undefined) return { use: null, example: null };
  return {
    use: all.length === 1 ? last : `${all.slice(0, -1).join(', ')} or ${last}`,
    example: all[0] ?? null,
  };
}

/** Of several currencies no bounds are said. */
function amountHint([first, ...others]: readonly Meant[]): Hint {
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
