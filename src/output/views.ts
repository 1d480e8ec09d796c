import { counted } from '../contract/on-screen.js';
import type { Endpoint, ResultKind } from '../contract/endpoints.js';
import type { Column } from './table.js';
import type { DetailPair } from './detail.js';
import type { Reader } from './style.js';
import { isTimePath, renderMember } from './time.js';
import { isUuid } from '../contract/notation.js';
import { findList, JsonValue, leavesOf } from './value.js';
import { viewBalances, viewEvents, viewWebhookEndpoint } from './views/account.js';
import { cursorNote, renderBlocks, textAt, type Block } from './views/blocks.js';
import { viewBanks, viewCapabilities, viewMethodsByCountry } from './views/catalog.js';
import { viewOperation } from './views/operation.js';

const LIST_VIEWS: Partial<
  Record<ResultKind, (elements: readonly JsonValue[], body: JsonValue, reader: Reader) => Block[]>
> = {
  methods: viewMethodsByCountry,
  banks: viewBanks,
  balances: viewBalances,
  events: (events, body, reader) => viewEvents(events, textAt(body, 'next_cursor'), reader),
};

const OBJECT_VIEWS: Partial<Record<ResultKind, (body: JsonValue, reader: Reader) => Block[]>> = {
  capabilities: viewCapabilities,
  operation: viewOperation,
  webhook_endpoint: viewWebhookEndpoint,
};

export function renderView(
  { result, list }: Pick<Endpoint, 'result' | 'list'>,
  body: Uint8Array,
  reader: Reader,
): string {
  const { width, style } = reader;
  const viewList = LIST_VIEWS[result];
  if (viewList === undefined && list !== null) return renderList(body, list, reader);
  const value = JsonValue.of(body);
  const elements = viewList === undefined ? null : findList(body, list);
  if (viewList !== undefined && elements !== null) {
    const items = elements.map((range) => JsonValue.at(body, range));
    return renderBlocks(viewList(items, value, reader), width, style);
  }
  const view = value.kind === 'object' ? OBJECT_VIEWS[result] : undefined;
  const blocks = view?.(value, reader) ?? [];
  const text = renderBlocks(blocks, width, style);
  return text === '' ? renderAnything(body, reader) : text;
}

export interface Wording {
  readonly nameOf: (path: string) => string;
  readonly isPlain: boolean;
}

const SERVICE_NAMES: Wording = { nameOf: (path) => path, isPlain: false };

export function renderAnything(
  body: Uint8Array,
  { width, style, zone }: Reader,
  wording: Wording = SERVICE_NAMES,
): string {
  const value = JsonValue.of(body);
  const items = value.kind === 'array' ? value.elements : [value];
  const blocks = items.map((item): Block => ({
    block: 'detail',
    pairs: leavesOf(item).map(({ path, value: leaf }): DetailPair => ({
      label: wording.nameOf(path),
      value: textOf(path, leaf, zone, wording),
      whole: isWhole(path, leaf.text),
    })),
  }));
  return renderBlocks(blocks, width, style);
}

export function renderList(
  body: Uint8Array,
  wrapper: string,
  reader: Reader,
  wording: Wording = SERVICE_NAMES,
): string {
  const { width, style, zone } = reader;
  const elements = findList(body, wrapper);
  if (elements === null) return renderAnything(body, reader, wording);
  const rows = elements.map((range) => {
    const leaves = leavesOf(JsonValue.at(body, range));
    return new Map(leaves.map(({ path, value }) => [path, textOf(path, value, zone, wording)]));
  });
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const columns = names.map((name, index): Column => {
    const whole = rows.some((row) => isWhole(name, row.get(name) ?? ''));
    return { header: wording.nameOf(name), whole: whole || index < 3, below: whole && !isTimePath(name) };
  });
  const cells = rows.map((row) => names.map((name) => row.get(name) ?? ''));
  const table: Block = { block: 'table', columns, rows: cells, empty: `No ${wrapper}.` };
  const nextCursor = textAt(JsonValue.of(body), 'next_cursor');
  return renderBlocks(nextCursor === '' ? [table] : [table, cursorNote(nextCursor)], width, style);
}

function textOf(path: string, value: JsonValue, zone: Reader['zone'], { isPlain }: Wording): string {
  if (isPlain && value.kind === 'boolean') return value.text === 'true' ? 'yes' : 'no';
  if (value.kind !== 'array') return renderMember(path, value.text, zone);
  const words = value.elements.map((element) => {
    if (element.kind !== 'object') return element.text;
    const [rows, total] = [textAt(element, 'rows'), textAt(element, 'total')];
    if (rows !== '' && total !== '')
      return `${textAt(element, 'currency')} ${total} in ${counted(Number(rows), 'row')}`;
    return [...element.members].map(([name, member]) => renderMember(name, member.text, zone)).join(' ');
  });
  return words.map((text) => text.replace(/ +/g, ' ').trim()).join(', ');
}

function isWhole(path: string, text: string): boolean {
  return isTimePath(path) || isUuid(text) || /^https?:\/\/\S+$/.test(text);
}
