import { SaxesParser } from 'saxes';
import { StringDecoder } from 'node:string_decoder';
import { Failure } from '../../runtime/failure.js';
import type { Archive } from './archive.js';

const BETWEEN_TAGS_MAX_CHARACTERS = 1024 * 1024;
const DEPTH_MAX = 64;

/** A path is like `sst/si/t`, with a "?" before an element of a foreign namespace. */
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

interface OpenElement {
  readonly path: string;
  readonly namespaces: Readonly<Record<string, string>>;
  last: readonly [name: string, element: OpenElement] | null;
}

function openElementOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  outer: OpenElement,
): OpenElement {
  const { path, last } = outer;
  let { namespaces } = outer;
  for (const key in attributes)
    if (key.length > 1 && key.startsWith('xmlns'))
      namespaces = { ...namespaces, [key.slice(6)]: attributes[key] ?? '' };
  if (namespaces === outer.namespaces && last?.[0] === name) return last[1];
  const colon = name.indexOf(':');
  const isKnown = NAMESPACES.has(namespaces[name.slice(0, Math.max(colon, 0))] ?? '');
  const step = (isKnown ? '' : '?') + name.slice(colon + 1);
  const element = { path: path === '' ? step : `${path}/${step}`, namespaces, last: null };
  if (namespaces === outer.namespaces) outer.last = [name, element];
  return element;
}

export async function* listen({ refusal, part }: Archive, name: string, listener: XmlListener) {
  // XML 1.0 is forced, because XML 1.1 can express the control characters that separate cells and rows.
  const parser = new SaxesParser({ xmlns: false, defaultXMLVersion: '1.0', forceXMLVersion: true } as const);
  const decoder = new StringDecoder('utf8');
  const openElements: OpenElement[] = [];
  const root: OpenElement = { path: '', namespaces: {}, last: null };
  let sinceTag = 0;
  parser.on('opentag', ({ name: tag, attributes }) => {
    sinceTag = 0;
    if (openElements.length >= DEPTH_MAX) throw refusal('is a damaged workbook: it is nested too deep');
    const element = openElementOf(tag, attributes, openElements.at(-1) ?? root);
    openElements.push(element);
    listener.open?.(element.path, attributes);
  });
  parser.on('closetag', () => {
    sinceTag = 0;
    const element = openElements.pop();
    listener.close?.(element?.path ?? '');
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
