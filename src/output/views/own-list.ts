/** What svc or its sandbox says of itself, as a person reads it: lists in a view of their own where they have one. */
import { findList } from '../list.js';
import type { Reader } from '../style.js';
import { JsonValue } from '../value.js';
import { renderAnything, renderList, type Wording } from '../views.js';
import { labelFor } from '../label.js';
import { type Block, renderBlocks, valueUnder } from './blocks.js';

/** What svc or its sandbox says of itself is in words; bodies and headers are what somebody sent. */
const IN_WORDS: Wording = {
  nameOf: (path) => (/(^|\.)(body|headers)\./.test(path) ? path : labelFor(path)),
  isPlain: true,
};

/** One object of svc or its sandbox. */
export function renderOwn(body: Uint8Array, reader: Reader): string {
  return renderAnything(body, reader, IN_WORDS);
}

/** The elements of a list as a block, or as several; `body` is what the list stands in. */
export type OwnListView = (
  elements: readonly JsonValue[],
  reader: Reader,
  body: JsonValue,
) => Block | readonly Block[];

/** Renders a list by the view that its wrapper names, else as any list. */
export function listsIn(
  views: Readonly<Record<string, OwnListView>>,
): (body: Uint8Array, wrapper: string, reader: Reader) => string {
  return (body, wrapper, reader) => {
    const view = valueUnder(views, wrapper);
    const elements = view === undefined ? null : findList(body, wrapper);
    if (view === undefined || elements === null) return renderList(body, wrapper, reader, IN_WORDS);
    const items = elements.map((range) => JsonValue.at(body, range));
    return renderBlocks([view(items, reader, JsonValue.of(body))].flat(), reader.width, reader.style);
  };
}
