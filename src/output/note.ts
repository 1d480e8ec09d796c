/** What a command says beside its data: lines that fit into the terminal, and drive nothing in it. */
import { proseLines } from './error-prose.js';
import { escapeLines } from './escape.js';
import { widthOf } from './width.js';

/** With its line end. A line that fits stays as it is, with its spaces; one where nobody looks is never broken. */
export function renderNote(
  text: string,
  screen: { readonly isTTY: boolean; readonly columns: number },
): string {
  const lines = escapeLines(text).split('\n');
  const fitting = screen.isTTY ? lines.flatMap((line) => fitted(line, screen.columns)) : lines;
  return `${fitting.join('\n')}\n`;
}

function fitted(line: string, width: number): string[] {
  return widthOf(line) <= width ? [line] : proseLines(line, width);
}
