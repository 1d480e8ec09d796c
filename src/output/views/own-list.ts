/** A list that svc or its sandbox makes, as a person reads it: in a view of its own where it has one. */
import { findList } from '../list.js';
import type { Reader } from '../style.js';
import { JsonValue } from '../value.js';
import { renderList } from '../views.js';
import { type Block, renderBlocks } from './blocks.js';

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
    const view = Object.hasOwn(views, wrapper) ? views[wrapper] : undefined;
    const elements = view === undefined ? null : findList(body, wrapper);
    if (view === undefined || elements === null) return renderList(body, wrapper, reader);
    const items = elements.map((range) => JsonValue.at(body, range));
    return renderBlocks([view(items, reader, JsonValue.of(body))].flat(), reader.width, reader.style);
  };
}
