/** Checks a create against the catalog before anything is sent, and completes its country and currency. */
import { newPayin, newPayout } from '../../contract/body-fields.js';
import { type Capabilities, completeDefaults, type Defaults } from '../../contract/catalog.js';
import { checkCreate } from '../../contract/create.js';
import type { Detail, ErrorCode } from '../../contract/errors.js';
import { memberAt } from '../../contract/json-bytes.js';
import type { Direction } from '../../contract/operation.js';
import { referenceProblem } from '../../contract/reference.js';
import { detailsOf } from '../../contract/shape.js';
import { Failure } from '../../runtime/failure.js';
import type { CatalogSource } from '../session/catalog.js';
import { bodyRefusal, type CreateBody, everyDetail, isAskable, ownDetails } from './body-refusal.js';

/** Country and currency where the body names none: from the profile, else where the catalog leaves only one. */
export async function missingPlace(
  body: CreateBody,
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
 * @param bytes as it would be sent
 * @returns false where no catalog could be had: the service validates
 * @throws Failure `usage` with every offending field
 */
export async function checkBeforeSending(
  bytes: Uint8Array,
  direction: Direction,
  catalog: CatalogSource,
): Promise<boolean> {
  const body = parseBody(bytes);
  const own = ownDetails(bytes, body);
  const cached = await catalog.get();
  if (own.length === 0 && cached !== null && refusalOf(cached, body, direction) === null) return true;
  const capabilities = await catalog.refresh();
  const judged = { body, direction, capabilities };
  if (capabilities !== null) {
    const refused = refusalOf(capabilities, body, direction);
    if (refused !== null) {
      throw bodyRefusal(refused.code, everyDetail(judged, [...refused.details, ...own]), judged);
    }
  } else {
    const missing = detailsOf(direction === 'payin' ? newPayin : newPayout, body).filter(
      ({ code }) => code === 'required',
    );
    if (missing.length > 0) throw bodyRefusal('field_required', [...missing, ...own], judged);
  }
  if (own.length > 0) throw bodyRefusal('field_invalid', own, judged);
  return capabilities !== null;
}

interface Refused {
  readonly code: ErrorCode;
  readonly details: readonly Detail[];
}

function refusalOf(capabilities: Capabilities, body: CreateBody, direction: Direction): Refused | null {
  const verdict = checkCreate(capabilities, direction, body);
  if (!('refusal' in verdict) || verdict.refusal === 'temporarily_unavailable') return null;
  return { code: verdict.refusal, details: verdict.details ?? [] };
}

/**
 * Refuses, before the first question of a dialogue, what none of its questions would mend: an unknown field, a country that is not there.
 * @throws Failure `usage` with every offending field, those too that would be asked for
 */
export async function refuseUnaskable(
  bytes: Uint8Array,
  direction: Direction,
  catalog: CatalogSource,
): Promise<void> {
  const body = parseBody(bytes);
  const own = ownDetails(bytes, body);
  const isMendable = (capabilities: Capabilities | null): boolean =>
    everyDetail({ body, direction, capabilities }, own).every((detail) => isAskable(detail, direction));
  const cached = await catalog.get();
  if (isMendable(cached)) return;
  const capabilities = await catalog.refresh();
  if (isMendable(capabilities)) return;
  const judged = { body, direction, capabilities };
  throw bodyRefusal('field_invalid', everyDetail(judged, own), judged);
}

/** The members of a body that was built. */
export function parseBody(body: Uint8Array): CreateBody {
  return JSON.parse(Buffer.from(body).toString('utf8')) as CreateBody;
}

/**
 * Looks at the reference in the bytes of a body; one that is no JSON object has none.
 * @throws Failure `usage` for a reference that somebody, or another version of Unicode, might take for another one
 */
export function requireReferenceIn(body: Uint8Array | null): void {
  const range = body === null ? null : memberAt(body, 'reference');
  if (body === null || range === null) return;
  const reference: unknown = JSON.parse(Buffer.from(body.subarray(range.start, range.end)).toString('utf8'));
  const problem = typeof reference === 'string' ? referenceProblem(reference) : null;
  if (problem === null) return;
  throw new Failure('usage', `reference ${problem}. Nothing was sent.`, {
    code: 'field_invalid',
    details: [{ field: 'reference', code: 'invalid' }],
  });
}
