import { type Column, renderTable, type Cell } from '../table.js';
import { renderDetail, renderSections, type Section, type DetailPair } from '../detail.js';
import { escapeText } from '../escape.js';
import { UTC } from '../../runtime/clock.js';
import { PLAIN, type Reader, type Style } from '../style.js';
import { renderMember } from '../time.js';
import type { JsonValue } from '../value.js';
import { widthOf, wrap } from '../width.js';
import { isUuid } from '../../contract/notation.js';
import { moneyText } from '../../contract/money.js';

export type Block =
  | { readonly block: 'heading'; readonly text: string }
  | { readonly block: 'note'; readonly text: string }
  | { readonly block: 'command'; readonly text: string; readonly lead?: string }
  | { readonly block: 'detail'; readonly pairs: readonly DetailPair[] }
  | { readonly block: 'sections'; readonly sections: readonly Section[] }
  | {
      readonly block: 'table';
      readonly columns: readonly Column[];
      readonly rows: readonly (readonly Cell[])[];
      readonly empty: string;
    };

export function cursorNote(cursor: string): Block {
  return { block: 'note', text: `Next cursor: ${cursor}` };
}

export function renderBlocks(blocks: readonly Block[], width: number, style: Style = PLAIN): string {
  let text = '';
  let isAfterHeading = true;
  for (const block of blocks) {
    const blockText = renderBlock(block, width, style);
    if (blockText === '') continue;
    text += isAfterHeading ? blockText : `\n${blockText}`;
    isAfterHeading = block.block === 'heading';
  }
  return text;
}

function renderBlock(block: Block, width: number, style: Style): string {
  switch (block.block) {
    case 'heading':
      return `${style.strong(escapeText(block.text))}\n`;
    case 'note': {
      // A note with a word wider than a line is not wrapped, because a cursor must be copied in one piece.
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

export function textAt(value: JsonValue, ...path: readonly string[]): string {
  let member: JsonValue | undefined = value;
  for (const name of path) member = member?.members.get(name);
  return member?.text ?? '';
}

/** `name` comes from outside svc, so an inherited member such as `constructor` must not be found. */
export function valueUnder<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

export function money(amount: string, currency: string): string {
  return moneyText({ amount, currency });
}

export function environmentCell(element: JsonValue): Cell {
  const environment = textAt(element, 'environment');
  return environment === 'live' ? { text: environment, tone: 'strong' } : environment;
}

const LENGTH_MIN = 8;
const PREFIX_MIN = 5;
const EXTRA_LENGTH = 3;

export function idCells(ids: readonly string[]): Cell[] {
  const length = lengthFor(ids.filter(isUuid));
  return ids.map((id) => (isUuid(id) ? { text: id, short: id.slice(0, length) } : id));
}

function lengthFor(ids: readonly string[]): number {
  const sortedIds = [...new Set(ids.map((id) => id.toLowerCase()))].sort();
  let prefixLength = 0;
  for (const [at, id] of sortedIds.entries()) {
    const previousId = sortedIds[at - 1] ?? '';
    let sameLength = 0;
    while (sameLength < id.length && id[sameLength] === previousId[sameLength]) sameLength += 1;
    prefixLength = Math.max(prefixLength, sameLength);
  }
  const length = prefixLength >= PREFIX_MIN ? Math.max(LENGTH_MIN, prefixLength + EXTRA_LENGTH) : LENGTH_MIN;
  return sortedIds.some((id) => id[length - 1] === '-') ? length + 1 : length;
}

const CAPITALS = /\b(url|api)\b/gi;

const LABELS: Readonly<Record<string, string>> = {
  ms: 'Took (ms)',
  wall_at: "This machine's time",
  armed: 'Armed faults',
  cleared: 'Cleared faults',
  'keys.sandbox.key': 'Sandbox key',
  'keys.sandbox.stored': 'Sandbox key is in',
  'keys.live.key': 'Live key',
  'keys.live.stored': 'Live key is in',
};

export function labelFor(name: string): string {
  if (Object.hasOwn(LABELS, name)) return LABELS[name] ?? name;
  const words = name.replaceAll(/[._]/g, ' ').replaceAll(CAPITALS, (word) => word.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type OwnListView = (
  elements: readonly JsonValue[],
  reader: Reader,
  body: JsonValue,
) => Block | readonly Block[];

export interface ListColumn extends Column {
  readonly content: string | ((element: JsonValue, zone: Reader['zone']) => Cell);
  readonly isId?: boolean;
}

export function listTable(
  elements: readonly JsonValue[],
  columns: readonly ListColumn[],
  empty: string,
  zone: Reader['zone'] = UTC,
): Block {
  const cells = columns.map(({ content, isId = false }): Cell[] => {
    if (typeof content !== 'string') return elements.map((element) => content(element, zone));
    const texts = elements.map((element) => textAt(element, ...content.split('.')));
    return isId ? idCells(texts) : texts.map((text) => renderMember(content, text, zone));
  });
  const rows = elements.map((_, at) => cells.map((column) => column[at] ?? ''));
  return { block: 'table', columns, rows, empty };
}

export function moneyOf(element: JsonValue, ...path: readonly string[]): string {
  return money(textAt(element, ...path, 'amount'), textAt(element, ...path, 'currency'));
}

export function amountCell(element: JsonValue): Cell {
  return { text: moneyOf(element), tone: 'strong' };
}

export const AMOUNT_COLUMN: ListColumn = {
  ...{ header: 'Amount', align: 'right', whole: true },
  content: amountCell,
};
