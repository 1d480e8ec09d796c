/** A list of svc's own as a person reads it: in its view where it has one, else as any list. */
import { findList } from './list.js';
import type { Reader } from './style.js';
import { JsonValue } from './value.js';
import { renderList } from './views.js';
import { renderBlocks } from './views/blocks.js';
import { OWN_VIEWS } from './views/own.js';

export function renderOwnList(body: Uint8Array, wrapper: string, reader: Reader): string {
  const view = Object.hasOwn(OWN_VIEWS, wrapper) ? OWN_VIEWS[wrapper] : undefined;
  const elements = view === undefined ? null : findList(body, wrapper);
  if (view === undefined || elements === null) return renderList(body, wrapper, reader);
  const items = elements.map((range) => JsonValue.at(body, range));
  return renderBlocks(view(items, reader), reader.width, reader.style);
}
