/** Checks a create against the catalog before anything is sent, and completes its country and currency. */
import { type Capabilities, completeDefaults, type Defaults } from '../../contract/catalog.js';
import { checkCreate } from '../../contract/create.js';
import { exampleFor } from '../../contract/example.js';
import { flagNameOf, newPayin, newPayout } from '../../contract/bodies.js';
import type { Detail } from '../../contract/errors.js';
import { ERRORS } from '../../contract/errors.js';
import type { Direction } from '../../contract/operation.js';
import { memberAt } from '../../contract/json-bytes.js';
import { LIMITS } from '../../contract/limits.js';
import { referenceProblem } from '../../contract/reference.js';
import { detailsOf } from '../../contract/shape.js';
import { Failure } from '../../runtime/failure.js';
import type { CatalogSource } from '../session/catalog.js';

type Body = Readonly<Record<string, unknown>>;

/** Country and currency where the body names none: from the profile, else where the catalog leaves only one. */
export async function missingPlace(
  body: Body,
  defaults: Defaults,
  direction: Direction,
  catalog: CatalogSource,
): Promise<Defaults> {
  const textOf = (name: string): string | undefined =>
    typeof body[name] === 'string' ? body[name] : undefined;
  const isGiven = (name: string): boolean => body[name] !== undefined;
  const country = textOf('country') ?? defaults.country;
  const currency = textOf('currency') ?? defaults.currency;
  const known = {
    country: isGiven('country') ? undefined : country,
    currency: isGiven('currency') ? undefined : currency,
  };
  if (country !== undefined && currency !== undefined) return known;
  const capabilities = await catalog.get();
  if (capabilities === null) return known;
  const place = completeDefaults(capabilities, direction, { country, currency, method: textOf('method') });
  return {
    country: isGiven('country') ? undefined : place.country,
    currency: isGiven('currency') ? undefined : place.currency,
  };
}

/**
 * Refuses what the catalog refuses, after it was fetched anew; what is unavailable only for the moment is left to the service.
 * @returns false where no catalog could be had: the service validates
 * @throws Failure `usage` with every offending field
 */
export async function checkBeforeSending(
  body: Body,
  direction: Direction,
  catalog: CatalogSource,
): Promise<boolean> {
  const cached = await catalog.get();
  if (cached !== null && !isRefused(cached, body, direction)) return true;
  const fresh = await catalog.refresh();
  if (fresh !== null) {
    const refused = isRefused(fresh, body, direction);
    if (refused) {
      const exampleOf = (field: string): string | null => exampleFor(field, fresh, direction, body);
      throw refusal(refused.code, refused.details, exampleOf);
    }
    return true;
  }
  const missing = detailsOf(direction === 'payin' ? newPayin : newPayout, body).filter(
    ({ code }) => code === 'required',
  );
  if (missing.length > 0) throw refusal('field_required', missing);
  return false;
}

interface Refused {
  readonly code: keyof typeof ERRORS;
  readonly details: readonly Detail[];
}

function isRefused(capabilities: Capabilities, body: Body, direction: Direction): Refused | false {
  const verdict = checkCreate(capabilities, direction, body);
  if (!('refusal' in verdict) || verdict.refusal === 'temporarily_unavailable') return false;
  return { code: verdict.refusal, details: verdict.details ?? [] };
}

const WORDS = { required: 'is missing', invalid: 'is not valid', unknown: 'is not taken here' } as const;

/** @param exampleOf a value that would do in a field, in words */
function refusal(
  code: keyof typeof ERRORS,
  details: readonly Detail[],
  exampleOf: (field: string) => string | null = () => null,
): Failure {
  const fields = details.map((detail) => {
    const example = detail.code === 'unknown' ? null : exampleOf(detail.field);
    return `${detail.field} ${WORDS[detail.code]}${flagOf(detail)}${example === null ? '' : `: ${example}`}`;
  });
  const text = fields.length === 0 ? ERRORS[code].meaning : fields.join('; ');
  return new Failure('usage', `${code}: ${text}. Nothing was sent.`, { code, details });
}

/** How a missing field is given on the command line. */
function flagOf({ field, code }: Detail): string {
  if (code !== 'required') return '';
  const [top = '', ...rest] = field.split('.');
  const flag = `--${flagNameOf(top)}`;
  return rest.length === 0 ? ` (${flag})` : ` (${flag} ${rest.join('.')})`;
}

/** Metadata counts in the bytes that are sent. @throws Failure `usage` where it is more than the service takes */
export function requireMetadataFits(body: Uint8Array): void {
  const range = memberAt(body, 'metadata');
  if (range === null || range.end - range.start <= LIMITS.metadataMaxBytes) return;
  throw refusal('field_invalid', [{ field: 'metadata', code: 'invalid' }]);
}

/** The same of the bytes of a body; one that is no JSON object has none. @throws as `requireReference` */
export function requireReferenceIn(body: Uint8Array | null): void {
  const range = body === null ? null : memberAt(body, 'reference');
  if (body === null || range === null) return;
  requireReference(JSON.parse(Buffer.from(body.subarray(range.start, range.end)).toString('utf8')));
}

/** @throws Failure `usage` for a reference that somebody, or another version of Unicode, might take for another one */
export function requireReference(reference: unknown): void {
  const problem = typeof reference === 'string' ? referenceProblem(reference) : null;
  if (problem === null) return;
  throw new Failure('usage', `The reference ${problem}. Nothing was sent.`, {
    code: 'field_invalid',
    details: [{ field: 'reference', code: 'invalid' }],
  });
}
