/** Reads XML piece by piece, in bounds: nothing in it is expanded, and nothing grows without an end. */
import { SaxesParser } from 'saxes';
import { StringDecoder } from 'node:string_decoder';
import { Failure } from '../../runtime/failure.js';
import type { WorkbookRefusal } from './archive.js';

/** A cell holds 32,767 characters at most. */
const SILENT_MAX_CHARACTERS = 1024 * 1024;
const DEPTH_MAX = 64;

/** What is heard of the XML: where an element stands, as `sst/si/t`; the name of one that is no workbook's begins with "?". */
export interface XmlListener {
  open(path: string, attributes: Readonly<Record<string, string>>): void;
  close(path: string): void;
  text(text: string): void;
}

/** As Excel writes them, and in the strict form. */
const NAMESPACES: ReadonlySet<string> = new Set([
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
]);

/** Where an element stands, and its namespaces by prefix. */
interface Place {
  readonly path: string;
  readonly names: Readonly<Record<string, string>>;
  /** What stood in it last, by its name as it is written: most often it comes again. */
  last: readonly [name: string, place: Place] | null;
}

function placeOf(name: string, attributes: Readonly<Record<string, string>>, outer: Place): Place {
  const { path, names, last } = outer;
  let own = names;
  // The attributes of cells, which are millions, have names of one letter.
  for (const key in attributes)
    if (key.length > 1 && key.startsWith('xmlns')) own = { ...own, [key.slice(6)]: attributes[key] ?? '' };
  if (own === names && last?.[0] === name) return last[1];
  const colon = name.indexOf(':');
  const isOwn = NAMESPACES.has(own[name.slice(0, Math.max(colon, 0))] ?? '');
  const step = (isOwn ? '' : '?') + name.slice(colon + 1);
  const place = { path: path === '' ? step : `${path}/${step}`, names: own, last: null };
  if (own === names) outer.last = [name, place];
  return place;
}

/** Feeds the listener; yields after each piece. @throws Failure `bad_file` where it is no XML, or such that no workbook has */
export async function* listen(
  bytes: AsyncIterable<Uint8Array>,
  listener: XmlListener,
  refused: WorkbookRefusal,
): AsyncGenerator<void, void, void> {
  // XML 1.1, which no workbook is in, has references to the characters that keep cells and rows apart here.
  const parser = new SaxesParser({ xmlns: false, defaultXMLVersion: '1.0', forceXMLVersion: true } as const);
  const decoder = new StringDecoder('utf8');
  const places: Place[] = [];
  const root: Place = { path: '', names: {}, last: null };
  let silent = 0;
  parser.on('opentag', ({ name, attributes }) => {
    silent = 0;
    if (places.length >= DEPTH_MAX) throw refused('is a damaged workbook: it is nested too deep');
    const place = placeOf(name, attributes, places.at(-1) ?? root);
    places.push(place);
    listener.open(place.path, attributes);
  });
  parser.on('closetag', () => {
    silent = 0;
    listener.close(places.pop()?.path ?? '');
  });
  const onText = (text: string): void => listener.text(text);
  parser.on('text', onText);
  parser.on('cdata', onText);
  parser.on('error', (error) => {
    throw refused('is a damaged workbook', error);
  });
  const write = (text: string): void => {
    silent += text.length;
    parser.write(text);
    if (silent > SILENT_MAX_CHARACTERS) throw refused('holds more in one cell than a cell holds');
  };
  try {
    for await (const piece of bytes) {
      write(decoder.write(piece));
      yield;
    }
    write(decoder.end());
    parser.close();
    yield;
  } catch (error) {
    throw error instanceof Failure ? error : refused('is a damaged workbook', error);
  }
}

/** All of a small part. @throws as `listen` */
export async function listenWhole(
  bytes: AsyncIterable<Uint8Array>,
  listener: XmlListener,
  refused: WorkbookRefusal,
): Promise<void> {
  for await (const _piece of listen(bytes, listener, refused));
}
