import { LIMITS } from './limits.js';

const UUID_LENGTH = 36;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function normalizeId(id: string): string {
  return isUuid(id) ? id.toLowerCase() : id;
}

export function isSameId(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

export function idBeginning(text: string): string | null {
  const digits = text.replaceAll('-', '').toLowerCase();
  if (text.length >= UUID_LENGTH || !/^[0-9a-f]{6,32}$/.test(digits)) return null;
  const match = /^(.{8})(.{1,4})?(.{1,4})?(.{1,4})?(.{1,12})?$/.exec(digits);
  const parts: (string | undefined)[] = match?.slice(1) ?? [digits];
  const beginning = parts.filter((part) => part !== undefined).join('-');
  return text.includes('-') && !`${beginning}-`.startsWith(text.toLowerCase()) ? null : beginning;
}

/** The key has no space at either end, because HTTP drops spaces around a header's value (contract section 8). */
export function isIdempotencyKey(text: string): boolean {
  const { idempotencyKeyMinCharacters: min, idempotencyKeyMaxCharacters: max } = LIMITS;
  return text.length >= min && text.length <= max && /^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/.test(text);
}

export function cleanCode(typed: string): string {
  return typed
    .normalize('NFKC')
    .replace(/[\s\p{Z}\p{Pd}\u2212\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '');
}

export function isCode(text: string): boolean {
  return /^[A-Za-z0-9]{4,10}$/.test(text);
}

export const COUNTRY_CODE = /^[A-Za-z]{2}$/;

const BATCH_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@+:-]{0,99}$/u;

export function isBatchName(text: string): boolean {
  return BATCH_NAME.test(text) && text === text.normalize('NFC').trim();
}

/** Without an offset, the moment would depend on this machine's time zone. */
const MOMENT_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

const cachedMoments = new Map<string, number>();
const CACHED_MOMENTS_MAX = 1000;

export function momentMs(text: unknown): number | null {
  if (typeof text !== 'string') return null;
  const cached = cachedMoments.get(text);
  if (cached !== undefined) return cached;
  const ms = MOMENT_PATTERN.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(ms)) return null;
  if (cachedMoments.size >= CACHED_MOMENTS_MAX) cachedMoments.clear();
  cachedMoments.set(text, ms);
  return ms;
}

export function momentText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const DURATION = /^([0-9]{1,9})(ms|s|m|h|d)$/;
const DURATION_MAX_MS = 366 * 86_400_000;

export function readDuration(text: string): number | null {
  const [, amount = '', unit = ''] = DURATION.exec(text) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? NaN);
  return ms <= DURATION_MAX_MS ? ms : null;
}
