/** What the statements of all books say in the same words: what time it is, that a commit lasts, and what text can be held. Pure. */

/** By the clock of the database. */
export const NOW_MS = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/**
 * Before what must not be forgotten is acknowledged it is durable on every standby that counts, whatever the role's setting is: this decides that
 * very commit. A statement that has it reads `control`, or it is not done.
 */
export const DURABLE = "control AS (SELECT set_config('synchronous_commit', 'on', true))";

/** Text of PostgreSQL holds no zero and no half of a pair. */
export function storable(text: string | null): string | null {
  return text === null ? null : text.toWellFormed().replaceAll('\0', '\uFFFD');
}
