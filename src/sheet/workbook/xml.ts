/** Parses XML piece by piece with bounded memory. Never expands entities. */
import { SaxesParser } from 'saxes';
import { StringDecoder } from 'node:string_decoder';
import { Failure } from '../../runtime/failure.js';
import type { Archive } from './archive.js';

const BETWEEN_TAGS_MAX_CHARACTERS = 1024 * 1024;
const DEPTH_MAX = 64;

/** A path is like `sst/si/t`. A "?" stands before an element of a foreign namespace. */
export interface XmlListener {
  open?(path: string, attributes: Readonly<Record<string, string>>): void;
  close?(path: string): void;
  text?(text: string): void;
}

const NAMESPACES: ReadonlySet<string> = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
]);

interface Place {
  readonly path: string;
  readonly names: Readonly<Record<string, string>>;
  last: readonly [name: string, place: Place] | null;
}

function placeOf(name: string, attributes: Readonly<Record<string, string>>, outer: Place): Place {
  const { path, names, last } = outer;
  let namespaces = names;
  // The length check comes first, because the attributes of millions of cells have names of one letter.
  for (const key in attributes)
    if (key.length > 1 && key.startsWith('xmlns'))
      namespaces = { ...namespaces, [key.slice(6)]: attributes[key] ?? '' };
  if (namespaces === names && last?.[0] === name) return last[1];
  const colon = name.indexOf(':');
  const isKnown = NAMESPACES.has(namespaces[name.slice(0, Math.max(colon, 0))] ?? '');
  const step = (isKnown ? '' : '?') + name.slice(colon + 1);
  const place = { path: path === '' ? step : `${path}/${step}`, names: namespaces, last: null };
  if (namespaces === names) outer.last = [name, place];
  return place;
}

export async function* listen({ refusal, part }: Archive, name: string, listener: XmlListener) {
  // XML 1.1 can express the control characters that separate cells and rows here. No workbook uses it, so force 1.0.
  const parser = new SaxesParser({ xmlns: false, defaultXMLVersion: '1.0', forceXMLVersion: true } as const);
  const decoder = new StringDecoder('utf8');
  const places: Place[] = [];
  const root: Place = { path: '', names: {}, last: null };
  let sinceTag = 0;
  parser.on('opentag', ({ name: tag, attributes }) => {
    sinceTag = 0;
    if (places.length >= DEPTH_MAX) throw refusal('is a damaged workbook: it is nested too deep');
    const place = placeOf(tag, attributes, places.at(-1) ?? root);
    places.push(place);
    listener.open?.(place.path, attributes);
  });
  parser.on('closetag', () => {
    sinceTag = 0;
    const place = places.pop();
    listener.close?.(place?.path ?? '');
  });
  const onText = (text: string): void => listener.text?.(text);
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('error', (error) => {
    throw refusal('is a damaged workbook', error);
  });
  const write = (text: string): void => {
    sinceTag += text.length;
    parser.write(text);
    if (sinceTag > BETWEEN_TAGS_MAX_CHARACTERS) throw refusal('holds more in one cell than a cell holds');
  };
  try {
    for await (const piece of part(name)) {
      write(decoder.write(piece));
      yield;
    }
    write(decoder.end());
    parser.close();
    yield;
  } catch (error) {
    throw error instanceof Failure ? error : refusal('is a damaged workbook', error);
  }
}

export async function listenWhole(archive: Archive, name: string, listener: XmlListener): Promise<void> {
  for await (const _piece of listen(archive, name, listener));
}
