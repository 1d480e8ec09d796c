/** Reads XML piece by piece, in bounds: nothing in it is expanded, and nothing grows without an end. */
import { SaxesParser } from 'saxes';
import { StringDecoder } from 'node:string_decoder';
import { Failure } from '../../runtime/failure.js';
import type { WorkbookRefusal } from './archive.js';

/** A cell holds 32,767 characters at most. */
const SILENT_MAX_CHARACTERS = 1024 * 1024;
const DEPTH_MAX = 64;

/** What is heard of the XML; names are without their prefix. */
export interface XmlListener {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  close(name: string): void;
  text(text: string): void;
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
  let depth = 0;
  let silent = 0;
  parser.on('opentag', ({ name, attributes }) => {
    silent = 0;
    depth += 1;
    if (depth > DEPTH_MAX) throw refused('is a damaged workbook: it is nested too deep');
    listener.open(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    silent = 0;
    depth -= 1;
    listener.close(localName(name));
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

function localName(name: string): string {
  return name.includes(':') ? name.slice(name.indexOf(':') + 1) : name;
}
