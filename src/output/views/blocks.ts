/** What a view is made of: tables, details and headings, as data; and how they become text. */
import type { Column } from '../columns.js';
import { renderDetail, renderSections, type Section, type DetailPair } from '../detail.js';
import { escapeText } from '../escape.js';
import { PLAIN, type Style } from '../style.js';
import { renderTable, type Cell } from '../table.js';
import type { JsonValue } from '../value.js';
import { widthOf, wrap } from '../width.js';

export type Block =
  | { readonly block: 'heading'; readonly text: string }
  | { readonly block: 'note'; readonly text: string }
  /** What is typed next, or for what its lead says; it is not broken. */
  | { readonly block: 'command'; readonly text: string; readonly lead?: string }
  | { readonly block: 'detail'; readonly pairs: readonly DetailPair[] }
  | { readonly block: 'sections'; readonly sections: readonly Section[] }
  | {
      readonly block: 'table';
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly Cell[])[];
      /** Said in place of a table without rows. */
      readonly empty: string;
    };

/** Where the next page of a list begins. */
export function cursorNote(cursor: string): Block {
  return { block: 'note', text: `Next cursor: ${cursor}` };
}

/** The blocks one after the other, an empty line between them; a heading and what follows it belong together. */
export function renderBlocks(blocks: readonly Block[], width: number, style: Style = PLAIN): string {
  let text = '';
  let afterHeading = true;
  for (const block of blocks) {
    const next = renderBlock(block, width, style);
    if (next === '') continue;
    text += afterHeading ? next : `\n${next}`;
    afterHeading = block.block === 'heading';
  }
  return text;
}

function renderBlock(block: Block, width: number, style: Style): string {
  switch (block.block) {
    case 'heading':
      return `${style.strong(escapeText(block.text))}\n`;
    case 'note':
      return noteLines(escapeText(block.text), width)
        .map((line) => `${style.faint(line)}\n`)
        .join('');
    case 'command':
      return `${escapeText(block.lead ?? 'Next')}: ${style.accent(escapeText(block.text))}\n`;
    case 'detail':
      return renderDetail(block.pairs, width, style);
    case 'sections':
      return renderSections(block.sections, width, style);
    case 'table':
      if (block.rows.length === 0) return `${block.empty}\n`;
      return renderTable(block.columns, block.rows, width, style);
  }
}

/** Wrapped, but for one with a word that is wider than a line: a cursor is copied in one piece. */
function noteLines(text: string, width: number): string[] {
  return text.split(' ').every((word) => widthOf(word) <= width) ? wrap(text, width) : [text];
}

/** The text of a member, or nothing where it is absent or null: the two mean the same. */
export function textAt(value: JsonValue, ...path: readonly string[]): string {
  let found: JsonValue | undefined = value;
  for (const name of path) found = found?.members.get(name);
  return found?.text ?? '';
}

/** What a record has under a name that somebody else chose. */
export function valueUnder<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** An amount with its currency. The text is the service's own: nothing is computed from it. */
export function money(amount: string, currency: string): string {
  return amount === '' ? '' : `${amount} ${currency}`.trimEnd();
}

/** First in every list that may hold live money, in every width. */
export function environmentCell(element: JsonValue): Cell {
  const environment = textAt(element, 'environment');
  return environment === 'live' ? { text: environment, tone: 'strong' } : environment;
}
