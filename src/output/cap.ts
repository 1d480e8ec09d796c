/** Cuts what others wrote to a length that a line can hold, and says how much is missing. */

/** @param max in UTF-16 units; a text that is no longer comes back as it is */
export function capped(text: string, max: number): string {
  const more = text.length - max;
  return more > 0 ? `${text.slice(0, max)} (${String(more)} more characters)` : text;
}
