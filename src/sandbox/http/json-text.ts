/** Edits JSON text without parsing it. */

/** The text without white space between its values: one line, every value as it was written. */
export function compactJson(text: string): string {
  return /[ \n\r\t]/.test(text) ? text.replace(/("(?:[^"\\]|\\.)*")|[ \n\r\t]+/g, '$1') : text;
}
