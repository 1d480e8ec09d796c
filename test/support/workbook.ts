import { crc32, deflateRawSync } from 'node:zlib';

/** `value` is a number or a text, and `format` the code of its format or the number of a built-in one. */
export type BookCell =
  string | number | { readonly xml: string } | Readonly<Record<'value' | 'format', string | number>> | null;

export const dateCell = (serial: number | string): BookCell => ({ xml: `<c s="1"><v>${serial}</v></c>` });

export interface GivenSheet {
  readonly name?: string;
  readonly rows: readonly (readonly BookCell[])[];
  readonly merged?: readonly string[];
  readonly hiddenRows?: readonly number[];
  readonly state?: 'hidden';
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';

export const WORKSHEET = `<worksheet ${MAIN}>`;

export function workbook(
  sheets: readonly GivenSheet[],
  changes: Readonly<Record<string, string | null | ((xml: string) => string)>> = {},
  more: readonly (readonly [name: string, xml: string])[] = [],
): Buffer {
  const texts: string[] = [];
  const formats: (string | number)[] = [0, 14];
  const sheetParts = sheets.map((sheet, at) => [
    `xl/worksheets/sheet${at + 1}.xml`,
    sheetXml(sheet, texts, formats),
  ]);
  const parts: Record<string, string | null> = {
    'xl/workbook.xml': `${XML}<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets>${sheets
      .map(
        ({ name = 'Hoja1', state }, at) =>
          `<sheet name="${escaped(name)}" sheetId="${at + 1}"${state === undefined ? '' : ` state="${state}"`} r:id="rId${at + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}">${sheets
      .map(
        (_, at) =>
          `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
      )
      .join('')}</Relationships>`,
    'xl/styles.xml': stylesXml(formats),
    ...(Object.fromEntries(sheetParts) as Record<string, string>),
  };
  parts['xl/sharedStrings.xml'] =
    `${XML}<sst ${MAIN}>${texts.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`;
  const changed = Object.entries({ ...parts, ...changes }).map(
    ([name, part]) => [name, typeof part === 'function' ? part(parts[name] ?? '') : part] as const,
  );
  return archive([...changed, ...more]);
}

/** Custom formats are numbered from 164. */
function stylesXml(formats: readonly (string | number)[]): string {
  const codes = formats.filter((one) => typeof one === 'string');
  const numbered = codes.map((code, at) => `<numFmt numFmtId="${at + 164}" formatCode="${escaped(code)}"/>`);
  const styles = formats.map(
    (one) => `<xf numFmtId="${typeof one === 'string' ? codes.indexOf(one) + 164 : one}"/>`,
  );
  return `${XML}<styleSheet ${MAIN}><numFmts>${numbered.join('')}</numFmts><cellXfs>${styles.join('')}</cellXfs></styleSheet>`;
}

function sheetXml(
  { rows, merged = [], hiddenRows = [] }: GivenSheet,
  texts: string[],
  formats: (string | number)[],
): string {
  const cells = (row: readonly BookCell[], at: number): string =>
    row
      .map((cell, column) => cellXml(cell, `${String.fromCharCode(0x41 + column)}${at + 1}`, texts, formats))
      .join('');
  const body = rows
    .map((row, at) => {
      const hidden = hiddenRows.includes(at + 1) ? ' hidden="1"' : '';
      return row.length === 0 ? '' : `<row r="${at + 1}"${hidden}>${cells(row, at)}</row>`;
    })
    .join('');
  const merges = merged.map((range) => `<mergeCell ref="${range}"/>`).join('');
  return `${XML}<worksheet ${MAIN}><sheetData>${body}</sheetData>${merges === '' ? '' : `<mergeCells>${merges}</mergeCells>`}</worksheet>`;
}

function cellXml(cell: BookCell, place: string, texts: string[], formats: (string | number)[]): string {
  if (cell === null) return '';
  if (typeof cell === 'object' && 'format' in cell) {
    const known = formats.indexOf(cell.format);
    const style = known === -1 ? formats.push(cell.format) - 1 : known;
    return cellXml(cell.value, place, texts, formats).replace('<c', `<c s="${style}"`);
  }
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell === 'object') return cell.xml.replace('<c', `<c r="${place}"`);
  const known = texts.indexOf(cell);
  return `<c r="${place}" t="s"><v>${known === -1 ? texts.push(cell) - 1 : known}</v></c>`;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

export function archive(
  parts: Readonly<Record<string, string | null>> | readonly (readonly [name: string, text: string | null])[],
  flag = 0,
): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  const entries = Array.isArray(parts) ? (parts as [string, string | null][]) : Object.entries(parts);
  for (const [name, text] of entries) {
    if (text === null) continue;
    const [plain, path] = [Buffer.from(text), Buffer.from(name)];
    const packed = deflateRawSync(plain);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(flag, 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(plain), 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(plain.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const head = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, path]);
    local.push(head, packed);
    central.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 0]), fields, place, path);
    offset += head.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  const count = central.length / 5;
  end.writeUInt16LE(count, 4);
  end.writeUInt16LE(count, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...local, directory, Buffer.from('PK\u0005\u0006'), end]);
}
