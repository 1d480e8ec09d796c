/** How the service writes what stands in texts: uuids, countries, idempotency keys and moments, each checked before it is used. Pure. */
import { LIMITS } from './limits.js';

const UUID_LENGTH = 36;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a uuid of any version, in either case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The id as every store of this machine keeps it: a uuid is one id in either case, and two stores know it as one. */
export function idInOneCase(id: string): string {
  return isUuid(id) ? id.toLowerCase() : id;
}

/** True for two ids of one operation: a uuid is the same in either case. */
export function isSameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/**
 * The beginning of a uuid as it is written: lower case, with its dashes, which may be left out. At least 6 of its digits.
 * @returns null for what begins no uuid, and for a whole one
 */
export function idBeginning(text: string): string | null {
  const digits = text.replaceAll('-', '').toLowerCase();
  if (text.length >= UUID_LENGTH || !/^[0-9a-f]{6,32}$/.test(digits)) return null;
  const dashed = digits.replace(
    /^(.{8})(.{1,4})?(.{1,4})?(.{1,4})?(.{1,12})?$/,
    (_, ...parts: (string | undefined)[]) =>
      parts
        .slice(0, 5)
        .filter((part) => part !== undefined)
        .join('-'),
  );
  return text.includes('-') && !`${dashed}-`.startsWith(text.toLowerCase()) ? null : dashed;
}

/**
 * True for 8 to 128 printable ASCII characters (section 8) that begin and end with a visible one:
 * what stands around a header's value is not part of it, so a space there would not arrive.
 */
export function isIdempotencyKey(text: string): boolean {
  const { idempotencyKeyMinCharacters: min, idempotencyKeyMaxCharacters: max } = LIMITS;
  return text.length >= min && text.length <= max && /^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/.test(text);
}

/** A one-time code without the white space, dashes and invisible characters that messages and keyboards put into it. */
export function codeIn(typed: string): string {
  return typed
    .normalize('NFKC')
    .replace(/[\s\p{Z}\p{Pd}\u2212\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

/** True for 4 to 10 letters or digits: the length is the bank's, and anything else can only be wrong. */
export function isCode(text: string): boolean {
  return /^[A-Za-z0-9]{4,10}$/.test(text);
}

/** How a country is written (ISO 3166-1 alpha-2), in either case. */
export const COUNTRY_CODE = /^[A-Za-z]{2}$/;

const BATCH_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@+:-]{0,99}$/u;

/** True for what a batch may be called: 1 to 100 letters, digits or `._@+:-`, composed, with no space at its ends. */
export function isBatchName(text: string): boolean {
  return BATCH_NAME.test(text) && text === text.normalize('NFC').trim();
}

/** Without an offset a moment would depend on the zone of this machine. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Those of one page are nearly the same, and each is asked for more than once. */
const moments = new Map<string, number>();
const MOMENTS_MAX = 1000;

/** Milliseconds since the epoch; null for what is no moment. */
export function momentMs(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const known = moments.get(text);
  if (known !== undefined) return known;
  const ms = MOMENT.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) return null;
  if (moments.size >= MOMENTS_MAX) moments.clear();
  moments.set(text, ms);
  return ms;
}

/** The text of a moment in UTC: to the second as the service writes it, with milliseconds where there are any. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const DURATION = /^([0-9]{1,9})(ms|s|m|h|d)$/;
const DURATION_MAX_MS = 366 * 86_400_000;

/** A duration in milliseconds; null for a text that is none, and for one of more than a year. */
export function readDuration(text: string): number | null {
  const [, amount = '', unit = ''] = DURATION.exec(text) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? NaN);
  return ms <= DURATION_MAX_MS ? ms : null;
}
