import { writeFileSync } from 'node:fs';
import { crc32, deflateRawSync } from 'node:zlib';

const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships';
const HEADER =
  'reference,amount,country,currency,method,beneficiary.name,beneficiary.document.type,beneficiary.document.number,' +
  'beneficiary.bank_code,beneficiary.account_number';

/** @param {string} file @param {number} rows */
export function writeWorkbook(file, rows) {
  /** @type {Map<string, number>} */
  const texts = new Map();
  const cell = (/** @type {string | number} */ value) => {
    if (typeof value === 'number') return `<c><v>${value}</v></c>`;
    if (!texts.has(value)) texts.set(value, texts.size);
    return `<c t="s"><v>${texts.get(value)}</v></c>`;
  };
  const lines = [HEADER.split(',')].concat(Array.from({ length: rows }, (_, row) => rowOf(row)));
  const body = lines.map((cells, at) => `<row r="${at + 1}">${cells.map(cell).join('')}</row>`).join('');
  const shared = [...texts.keys()].map((text) => `<si><t>${text}</t></si>`).join('');
  writeFileSync(
    file,
    archive({
      'xl/workbook.xml': `<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets><sheet name="Hoja1" sheetId="1" r:id="r1"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${PACKAGE}"><Relationship Id="r1" Type="${RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
      'xl/styles.xml': `<styleSheet ${MAIN}><cellXfs count="1"><xf numFmtId="0"/></cellXfs></styleSheet>`,
      'xl/worksheets/sheet1.xml': `<worksheet ${MAIN}><sheetData>${body}</sheetData></worksheet>`,
      'xl/sharedStrings.xml': `<sst ${MAIN}>${shared}</sst>`,
    }),
  );
}

/** @param {number} row @returns {any[]} */
function rowOf(row) {
  const phone = `0412${String(row).padStart(7, '0')}`;
  const amount = (1000 + (row % 9000)) / 100;
  return [
    `pay-${row}`,
    amount,
    'VE',
    'VES',
    'mobile_payment',
    'Ana Pérez',
    'V',
    String(10_000_000 + row),
    '0102',
    phone,
  ];
}

/** @param {Record<string, string>} parts */
function archive(parts) {
  const [local, central] = [[], []].map((list) => /** @type {Buffer[]} */ (list));
  let offset = 0;
  for (const [name, text] of Object.entries(parts)) {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(20, 0);
    facts.writeUInt16LE(8, 4);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(name.length, 22);
    const before = Buffer.concat([Buffer.from('PK\x03\x04'), facts, Buffer.from(name)]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    local?.push(before, packed);
    central?.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts, place, Buffer.from(name)]));
    offset += before.length + packed.length;
  }
  const directory = Buffer.concat(central ?? []);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(central?.length ?? 0, 8);
  end.writeUInt16LE(central?.length ?? 0, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...(local ?? []), directory, end]);
}
