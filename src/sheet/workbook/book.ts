import type { Archive } from './archive.js';
import { builtInCode, parseFormat, type Format } from './number-format.js';
import { excerpt } from '../words.js';
import { listenWhole } from './xml.js';

const TEXTS_MAX = 5_000_000;
const TEXTS_MAX_CHARACTERS = 64 * 1024 * 1024;
const WORKBOOK = 'xl/workbook.xml';

export type Book = Awaited<ReturnType<typeof readBook>>;

export async function readBook(archive: Archive) {
  const { names, refusal } = archive;
  if (!names.includes(WORKBOOK)) {
    if (names.includes('xl/workbook.bin')) throw refusal('is a binary workbook (XLSB)');
    if (names.includes('mimetype')) throw refusal('is a document of another kind (such as ODS)');
    throw refusal('is an archive, not a workbook');
  }
  const { sheets, is1904 } = await readSheets(archive);
  if (sheets.length === 0) throw refusal('has no sheet that can be seen');
  return { sheets, is1904, formats: await readFormats(archive), texts: await readTexts(archive) };
}

async function readSheets(archive: Archive) {
  const { refusal } = archive;
  const targets = new Map<string, string>();
  await listenWhole(archive, 'xl/_rels/workbook.xml.rels', {
    open: (path, { Id = '', Target = '', Type = '' }) => {
      if (path !== 'Relationships/Relationship' || !Type.endsWith('/worksheet')) return;
      if (targets.has(Id)) throw refusal(`is a damaged workbook: ${excerpt(Id)} is there twice`);
      targets.set(Id, Target.startsWith('/') ? Target.slice(1) : `xl/${Target.replace(/^\.\//, '')}`);
    },
  });
  const sheets: { name: string; part: string }[] = [];
  const names = new Set<string>();
  let is1904 = false;
  await listenWhole(archive, WORKBOOK, {
    open: (path, attributes) => {
      if (path === 'workbook/workbookPr') is1904 = /^(?:1|true)$/.test(attributes['date1904'] ?? '');
      if (path !== 'workbook/sheets/sheet') return;
      const { name = '', state = 'visible' } = attributes;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      if (names.has(name)) throw refusal(`is a damaged workbook: the sheet ${excerpt(name)} is there twice`);
      names.add(name);
      const part = targets.get(id);
      if (part !== undefined && state === 'visible') sheets.push({ name, part });
    },
  });
  return { sheets, is1904 };
}

async function readFormats(archive: Archive): Promise<readonly Format[]> {
  if (!archive.names.includes('xl/styles.xml')) return [parseFormat('General')];
  const codes = new Map<number, string>();
  const formats: Format[] = [];
  await listenWhole(archive, 'xl/styles.xml', {
    open: (path, { numFmtId = '0', formatCode = '' }) => {
      if (path === 'styleSheet/numFmts/numFmt') codes.set(Number(numFmtId), formatCode);
      if (path === 'styleSheet/cellXfs/xf')
        formats.push(parseFormat(codes.get(Number(numFmtId)) ?? builtInCode(Number(numFmtId))));
    },
  });
  return formats;
}

async function readTexts(archive: Archive): Promise<readonly string[]> {
  const texts: string[] = [];
  if (!archive.names.includes('xl/sharedStrings.xml')) return texts;
  let characters = 0;
  let text = '';
  let isInText = false;
  await listenWhole(archive, 'xl/sharedStrings.xml', {
    open: (path) => {
      if (path === 'sst/si') text = '';
      isInText = path === 'sst/si/t' || path === 'sst/si/r/t';
    },
    close: (path) => {
      isInText = false;
      if (path !== 'sst/si') return;
      characters += text.length;
      texts.push(withCharacters(text));
      if (texts.length > TEXTS_MAX || characters > TEXTS_MAX_CHARACTERS)
        throw archive.refusal('holds more text than can be read');
    },
    text: (piece) => {
      if (isInText) text += piece;
    },
  });
  return texts;
}

export function withCharacters(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_all, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d
      ? '\ufffd'
      : String.fromCharCode(code);
  });
}
