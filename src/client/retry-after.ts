/** Reads `Retry-After`: seconds or an HTTP date, as a wait in milliseconds. Pure. */

/**
 * The wait that the header asks for, never negative; null where it is absent or says nothing that can be understood.
 * @param nowMs wall-clock time in milliseconds
 */
export function readRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // Only the forms of an HTTP date: Date.parse alone takes "-5" and "1.5" for dates, in the machine's time zone.
  if (!/^[A-Za-z]{3,9}, .{10,40} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
