/** What stands beneath the row of a table and shares a line with others: as many pieces as fit, each behind its label. */
import { GAP, INDENT } from './columns.js';
import type { Style } from './style.js';
import { widthOf, wrap } from './width.js';

export interface Piece {
  readonly label: string;
  /** One without is left out. */
  readonly text: string;
  /** The text in its tone. */
  readonly toned: string;
}

/** Lines that end with a newline each; a piece that is wider than a line is wrapped in lines of its own. */
export function sharedLines(pieces: readonly Piece[], width: number, style: Style): string {
  const room = Math.max(width - INDENT.length, 1);
  const lines: string[] = [];
  let used = Infinity;
  for (const { label, text, toned } of pieces) {
    if (text === '') continue;
    const needed = widthOf(label) + 1 + widthOf(text);
    const shown = `${style.faint(label)} ${toned}`;
    if (used + GAP.length + needed <= room) {
      lines.push(`${lines.pop() ?? ''}${GAP}${shown}`);
      used += GAP.length + needed;
    } else if (needed <= room) {
      lines.push(shown);
      used = needed;
    } else {
      lines.push(...wrap(`${label} ${text}`, room));
      used = Infinity;
    }
  }
  return lines.map((line) => `${INDENT}${line}\n`).join('');
}
