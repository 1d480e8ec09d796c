/** What flags and data have answered of a create before anybody is asked. Pure. */
import { type Capabilities, completeDefaults, type Defaults, methodsIn } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import type { Answers } from '../../prompt/port.js';

const PLACE = ['country', 'currency', 'method'] as const;

export interface KnownAnswers {
  readonly answers: Answers;
  /** Which of country, currency and method nobody decided. */
  readonly asked: readonly string[];
}

/** @returns null for a method that is not offered there: the catalog has nothing to ask */
export function knownAnswers(
  draft: Uint8Array,
  direction: Direction,
  catalog: Capabilities,
  defaults: Defaults,
): KnownAnswers | null {
  const body = JSON.parse(Buffer.from(draft).toString('utf8')) as Record<string, unknown>;
  const answers: Record<string, string> = {};
  const party = partyOf(direction);
  collect(answers, '', { amount: body['amount'], [party]: body[party] });
  const textOf = (name: string): string | undefined =>
    typeof body[name] === 'string' ? body[name] : undefined;
  const method = textOf('method');
  const country = textOf('country') ?? defaults.country;
  const currency = textOf('currency') ?? defaults.currency;
  const place = { ...completeDefaults(catalog, direction, { country, currency, method }), method };
  for (const name of PLACE) if (place[name] !== undefined) answers[name] = place[name];
  if (!isOffered(catalog, direction, place)) return null;
  return { answers, asked: PLACE.filter((name) => place[name] === undefined) };
}

function isOffered(
  catalog: Capabilities,
  direction: Direction,
  place: Defaults & { readonly method: string | undefined },
): boolean {
  const fits = (wanted: string | undefined, actual: string): boolean =>
    wanted === undefined || wanted.toUpperCase() === actual.toUpperCase();
  return catalog.countries
    .flatMap((country) => methodsIn(country, direction))
    .filter(({ availability }) => availability === 'available')
    .filter(({ code }) => place.method === undefined || code === place.method)
    .some((entry) => fits(place.country, entry.country) && fits(place.currency, entry.currency));
}

/** The texts of an object by their dotted paths. */
function collect(into: Record<string, string>, path: string, value: unknown): void {
  if (typeof value === 'string') into[path] = value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, member] of Object.entries(value))
    collect(into, path === '' ? name : `${path}.${name}`, member);
}
