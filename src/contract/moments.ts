/** Moments as the service writes them (section 2.1): ISO 8601 with an offset. Pure. */

/** Without an offset a moment would depend on the zone of this machine. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** Milliseconds since the epoch; null for what is no moment. */
export function momentMs(text: unknown): number | null {
  if (typeof text !== 'string' || !MOMENT.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}

/** The text of a moment in UTC: to the second as the service writes it, with milliseconds where there are any. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
