/** Durations as people type them: `30s`, `5m`, `48h`, `2d`. */
import { Failure } from '../../runtime/failure.js';

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** The limit for one request, in milliseconds. @throws Failure (usage); no time at all is none */
export function timeoutOf({ timeout = '30s' }: { readonly timeout?: string | undefined }): number {
  const ms = durationMs(timeout, '--timeout');
  if (ms > 0) return ms;
  throw new Failure('usage', '--timeout must be more than 0, for example 30s. Nothing was sent.');
}

/**
 * The duration in milliseconds.
 * @param flag how the value is named in the message
 * @throws Failure (usage) where the text is no duration, or longer than a year
 */
export function durationMs(text: string, flag: string): number {
  const match = /^([0-9]{1,9})(ms|s|m|h|d)$/.exec(text);
  const ms = match === null ? NaN : Number(match[1]) * (UNIT_MS[match[2] ?? ''] ?? NaN);
  if (ms <= 366 * 86_400_000) return ms;
  throw new Failure('usage', `${flag} must be a duration, for example 30s, 5m, 48h or 2d. Nothing was sent.`);
}
