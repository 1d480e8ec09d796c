/** What svc or its sandbox says of itself, as a person reads it: lists in a view of their own where they have one. */
import { findList, JsonValue } from '../value.js';
import type { Reader } from '../style.js';
import { renderAnything, renderList, type Wording } from '../views.js';
import { labelFor, type OwnListView, renderBlocks, valueUnder } from './blocks.js';

/** What svc or its sandbox says of itself is in words; bodies and headers are what somebody sent. */
const IN_WORDS: Wording = {
  nameOf: (path) => (/(^|\.)(body|headers)\./.test(path) ? path : labelFor(path)),
  isPlain: true,
};

export function renderOwn(body: Uint8Array, reader: Reader): string {
  return renderAnything(body, reader, IN_WORDS);
}

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
