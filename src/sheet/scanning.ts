/** Where things stand in the text of a CSV file. Pure. */

/** The length of the text where it is not there. */
export function found(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at === -1 ? text.length : at;
}

/** The quote that opens the cell, behind spaces, or behind the `=` that a spreadsheet writes for a text; -1 where it has none. */
export function openingOf(text: string, start: number): number {
  let at = start;
  while (text[at] === ' ') at += 1;
  if (text[at] === '=' && text[at + 1] === '"') at += 1;
  return text[at] === '"' ? at : -1;
}

export function closingOf(text: string, from: number): number {
  let at = text.indexOf('"', from);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** A line feed, a carriage return, or both of them. */
export function lineEnds(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) count += 1;
  }
  return count;
}
