/** A value that would do where another did not: from the catalog's own examples, choices and bounds. Pure. */
import type { Capabilities, MethodEntry } from './catalog.js';
import { locateMethod } from './create.js';
import type { Direction } from './operation.js';

type Body = Readonly<Record<string, unknown>>;

/** What a field of a create may hold: some of it, or one example, in words; null where the catalog does not say. */
export function exampleFor(
  field: string,
  capabilities: Capabilities,
  direction: Direction,
  body: Body,
): string | null {
  const textOf = (name: string): string => (typeof body[name] === 'string' ? body[name] : '');
  const country = capabilities.countries.find(({ code }) => code === textOf('country').toUpperCase());
  const methods = (direction === 'payin' ? country?.payin_methods : country?.payout_methods) ?? [];
  if (field === 'country') return listOf(capabilities.countries.map(({ code }) => code));
  if (field === 'currency') return listOf(country?.currencies.map(({ code }) => code) ?? []);
  if (field === 'method') return listOf(methods.map(({ code }) => code));
  const wanted = {
    country: textOf('country'),
    currency: textOf('currency'),
    method: textOf('method'),
    direction,
  };
  const found = locateMethod(capabilities, wanted);
  if ('refusal' in found) return null;
  if (field === 'amount') return boundsOf(found.entry, found.decimals);
  const path = field.replace(/^(?:payer|beneficiary)\./, '');
  const known = path === field ? undefined : found.entry.fields.find(({ name }) => name === path);
  if (known?.enum !== undefined) return listOf(known.enum);
  return known?.example === undefined ? null : `such as ${known.example}`;
}

function listOf(choices: readonly string[]): string | null {
  const all = [...new Set(choices)];
  if (all.length === 0) return null;
  return all.length === 1 ? (all[0] ?? null) : `one of ${all.join(', ')}`;
}

function boundsOf({ min_amount: min, max_amount: max, currency }: MethodEntry, decimals: number): string {
  const upTo = max === null ? 'without a cap' : `to ${max}`;
  const places = decimals === 0 ? 'no decimals' : `at most ${String(decimals)} decimals`;
  return `${currency} from ${min} ${upTo}, with ${places}`;
}
