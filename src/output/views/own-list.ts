import { findList, JsonValue } from '../value.js';
import type { Reader } from '../style.js';
import { renderAnything, renderList, type Wording } from '../views.js';
import { labelFor, type OwnListView, renderBlocks, valueUnder } from './blocks.js';

const LABEL_WORDING: Wording = {
  nameOf: (path) => (/(^|\.)(body|headers)\./.test(path) ? path : labelFor(path)),
  isPlain: true,
};

export function renderOwnObject(body: Uint8Array, reader: Reader): string {
  return renderAnything(body, reader, LABEL_WORDING);
}

export type ListRenderer = (body: Uint8Array, wrapper: string, reader: Reader) => string;

export function listRenderer(views: Readonly<Record<string, OwnListView>>): ListRenderer {
  return (body, wrapper, reader) => {
    const view = valueUnder(views, wrapper);
    const elements = view === undefined ? null : findList(body, wrapper);
    if (view === undefined || elements === null) return renderList(body, wrapper, reader, LABEL_WORDING);
    const items = elements.map((range) => JsonValue.at(body, range));
    return renderBlocks([view(items, reader, JsonValue.of(body))].flat(), reader.width, reader.style);
  };
}

export const renderPlainList = listRenderer({});
