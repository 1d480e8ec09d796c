/** What a view is made of: tables, details and headings, as data, and how they become text; labels, amounts and ids as short as commands take them. */
import { type Column, renderTable, type Cell } from '../table.js';
import { renderDetail, renderSections, type Section, type DetailPair } from '../detail.js';
import { escapeText } from '../escape.js';
import { UTC } from '../../runtime/clock.js';
import { PLAIN, type Reader, type Style } from '../style.js';
import { renderMember } from '../time.js';
import type { JsonValue } from '../value.js';
import { widthOf, wrap } from '../width.js';
import { isUuid } from '../../contract/notation.js';

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
    case 'note': {
      // Wrapped, but for one with a word that is wider than a line: a cursor is copied in one piece.
      const text = escapeText(block.text);
      const isWrapped = text.split(' ').every((word) => widthOf(word) <= width);
      return (isWrapped ? wrap(text, width) : [text]).map((line) => `${style.faint(line)}\n`).join('');
    }
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

const LENGTH_MIN = 8;
/** So many characters alike are no chance: ids that begin with the time. */
const ALIKE_MIN = 5;
/** Others that are not in the list begin as these do. */
const APART = 3;

/** Each id with a beginning that no other of them has, all of one length; what is no uuid stays whole. */
export function idCells(ids: readonly string[]): Cell[] {
  const length = lengthFor(ids.filter(isUuid));
  return ids.map((id) => (isUuid(id) ? { text: id, short: id.slice(0, length) } : id));
}

function lengthFor(ids: readonly string[]): number {
  const sorted = [...new Set(ids.map((id) => id.toLowerCase()))].sort();
  let alike = 0;
  for (const [at, id] of sorted.entries()) {
    const before = sorted[at - 1] ?? '';
    let same = 0;
    while (same < id.length && id[same] === before[same]) same += 1;
    alike = Math.max(alike, same);
  }
  const length = alike >= ALIKE_MIN ? Math.max(LENGTH_MIN, alike + APART) : LENGTH_MIN;
  // None ends with a dash.
  return sorted.some((id) => id[length - 1] === '-') ? length + 1 : length;
}

/** What is written in capitals in any sentence. */
const CAPITALS = /\b(url|api)\b/gi;

/** Names that say too little by themselves. */
const WHOLE: Readonly<Record<string, string>> = {
  ms: 'Took (ms)',
  wall_at: "This machine's time",
  armed: 'Armed faults',
  cleared: 'Cleared faults',
  'keys.sandbox.key': 'Sandbox key',
  'keys.sandbox.stored': 'Sandbox key is in',
  'keys.live.key': 'Live key',
  'keys.live.stored': 'Live key is in',
};

/** `not_sent` is "Not sent", `stopped.by` "Stopped by", `base_url` "Base URL". */
export function labelFor(name: string): string {
  if (Object.hasOwn(WHOLE, name)) return WHOLE[name] ?? name;
  const words = name.replaceAll(/[._]/g, ' ').replaceAll(CAPITALS, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The elements of a list as a block, or as several; `body` is what the list stands in. */
export type OwnListView = (
  elements: readonly JsonValue[],
  reader: Reader,
  body: JsonValue,
) => Block | readonly Block[];

/** A column of a list, and what stands in it: a member by its path, a time where the path names one, or what is made of the element. */
export interface ListColumn extends Column {
  readonly of: string | ((element: JsonValue, zone: Reader['zone']) => Cell);
  /** As short as tells all of them apart. */
  readonly isId?: boolean;
}

/** A list as a table, a row for each element. @param empty said in place of a table without rows */
export function listTable(
  elements: readonly JsonValue[],
  columns: readonly ListColumn[],
  empty: string,
  zone: Reader['zone'] = UTC,
): Block {
  const cells = columns.map(({ of, isId = false }): Cell[] => {
    if (typeof of !== 'string') return elements.map((element) => of(element, zone));
    const texts = elements.map((element) => textAt(element, ...of.split('.')));
    return isId ? idCells(texts) : texts.map((text) => renderMember(of, text, zone));
  });
  const rows = elements.map((_, at) => cells.map((column) => column[at] ?? ''));
  return { block: 'table', columns, rows, empty };
}

export function amountCell(element: JsonValue): Cell {
  return { text: money(textAt(element, 'amount'), textAt(element, 'currency')), tone: 'strong' };
}

export const AMOUNT_COLUMN: ListColumn = { header: 'Amount', align: 'right', whole: true, of: amountCell };
