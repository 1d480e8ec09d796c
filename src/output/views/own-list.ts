/** Renders svc's and the sandbox's own objects and lists; a list can have its own view. */
import { findList, JsonValue } from '../value.js';
import type { Reader } from '../style.js';
import { renderAnything, renderList, type Wording } from '../views.js';
import { labelFor, type OwnListView, renderBlocks, valueUnder } from './blocks.js';

/** Members of svc's own objects have labels. Bodies and headers keep their names, because they are somebody's requests. */
const LABEL_WORDING: Wording = {
  nameOf: (path) => (/(^|\.)(body|headers)\./.test(path) ? path : labelFor(path)),
  isPlain: true,
};

export function renderOwnObject(body: Uint8Array, reader: Reader): string {
  return renderAnything(body, reader, LABEL_WORDING);
}

export type ListRenderer = (body: Uint8Array, wrapper: string, reader: Reader) => string;

/** Returns a function that renders a list with the view of its wrapper, or as a plain table. */
export function listRenderer(views: Readonly<Record<string, OwnListView>>): ListRenderer {
  return (body, wrapper, reader) => {
    const view = valueUnder(views, wrapper);
    const elements = view === undefined ? null : findList(body, wrapper);
    if (view === undefined || elements === null) return renderList(body, wrapper, reader, LABEL_WORDING);
    const items = elements.map((range) => JsonValue.at(body, range));
    return renderBlocks([view(items, reader, JsonValue.of(body))].flat(), reader.width, reader.style);
  };
}

/** Renders a list that has no view of its own. */
export const renderPlainList = listRenderer({});
