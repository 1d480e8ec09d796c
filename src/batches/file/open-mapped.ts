import { createHash } from 'node:crypto';
import { Failure } from '../../runtime/failure.js';
import { Problems } from '../../runtime/problems.js';
import {
  readBothMarks,
  DecimalClues,
  doubtText,
  plainText,
  AmountCells,
  type CellRead,
} from '../../sheet/amount.js';
import {
  findHeader,
  type HeaderCandidate,
  unmappedColumns,
  type ColumnVocabulary,
} from '../../sheet/header.js';
import { cutterFor, type LookAhead, recordsAhead, recordsOf, recordsAgain } from '../../sheet/look-ahead.js';
import type { RecordCutter, SheetRecord } from '../../sheet/records.js';
import { CELL_KINDS } from '../../sheet/workbook/sheet-records.js';
import type { FileHead, FileRow, RowFile, RowFlags, RowReading } from './row-file.js';
import type { DecimalMark } from '../../sheet/forms.js';
import {
  bodyOfCells,
  columnAt,
  type FileColumn,
  byBodyOrder,
  isMetadata,
  knownColumns,
  nearColumn,
} from './columns.js';
import { AMOUNT_PATTERN } from '../../contract/money.js';
import { excerpt, isTotalRow, TOTAL_ROW, unaccented } from '../../sheet/words.js';
import type { Capabilities } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';

const FIRST_ROWS = 3;
const MAY_BE_DATE = /^amount$|^metadata[.]|date/;

export async function openMappedFile(
  { ahead, brokenAt }: FileHead,
  flags: RowFlags,
  direction: Direction,
  catalog: Capabilities,
): Promise<RowFile> {
  const { source } = ahead;
  const fields = knownColumns(direction, catalog);
  const table = headerOf(ahead, flags, rowVocabulary(direction, fields));
  const { delimiter, header, columns } = table;
  const cellUse = {
    mark: 'point',
    places: columns.map(({ index }) => index),
    amounts: columns.filter(({ field }) => field === 'amount').map(({ index }) => index),
    texts: columns.filter(({ field }) => !MAY_BE_DATE.test(field)).map(({ index }) => index),
  } as const;
  const makeCutter = (): RecordCutter => cutterFor(delimiter, cellUse);
  const hash = createHash('sha256');
  for await (const piece of source.bytes()) hash.update(piece);
  const decimal = flags.decimal ?? (await guessDecimal(ahead, table, makeCutter));
  const rowsWith = (problems: Problems): MappedRows =>
    new MappedRows(table, decimal, flags.decimal !== null, problems);
  const ignored = header.filter((name, at) => name !== '' && !columns.some(({ index }) => index === at));
  const isExact = ignored.length === 0 && columns.every(({ name, field }) => name === field);
  const guesses = {
    delimiter: flags.delimiter === null && delimiter !== ',' && ahead.workbook === null,
    decimal: flags.decimal === null && decimal === 'comma',
    encoding:
      flags.encoding === null &&
      (brokenAt !== null || (ahead.encoding === 'utf16' && !ahead.hasByteOrderMark)),
    map: flags.map === null && !isExact,
  };
  const sampleRows = rowsWith(new Problems());
  const first: FileRow[] = [];
  for (const record of recordsAhead(ahead, makeCutter())) {
    const row = sampleRows.read(record);
    if (row !== null && first.push(row) === FIRST_ROWS) break;
  }
  const reading: RowReading = {
    sheets: ahead.workbook,
    encoding: ahead.encoding,
    delimiter,
    decimal,
    headerLine: table.line,
    header,
    columns,
    ignored,
    unmapped: unmappedColumns(header, columns, (name) =>
      fields.has(name) || isMetadata(name) ? name : undefined,
    ),
    above: table.records.flatMap(({ line }) => (line < table.line ? [line] : [])),
    guessed: (Object.keys(guesses) as (keyof typeof guesses)[]).filter((name) => guesses[name]),
    brokenAt,
    first,
  };
  return {
    reading,
    rows: async function* (problems) {
      const rows = rowsWith(problems);
      for await (const records of recordsOf(ahead, makeCutter(), problems))
        for (const record of records) {
          const row = rows.read(record);
          if (row !== null) yield row;
        }
    },
    hash: () => hash.copy().digest('hex'),
    requireUnchanged: () => source.requireUnchanged(),
    close: () => source.close(),
  };
}

function headerOf(ahead: LookAhead, flags: RowFlags, vocabulary: ColumnVocabulary<string>) {
  const { name, undone } = ahead.source;
  const refusal = (why: string): Failure => new Failure('bad_file', `${name} ${why} ${undone}`);
  const isText = ahead.workbook === null;
  if (isText && /^\s*\[/.test(ahead.sample))
    throw refusal(
      'begins with "[". Put one request body on each line (NDJSON), without brackets around them.',
    );
  if (isText && /^\s*\{/.test(ahead.sample))
    throw refusal('is JSON, and is read as it is: leave out what says how it is read.');
  const table = findHeader(ahead, flags, vocabulary, 'bad_file');
  const { columns, header, line } = table;
  // A header with an amount is really a payment, which svc would skip as a header.
  const amountAt = columns.find(({ field }) => field === 'amount')?.index ?? -1;
  const { comma, point } = readBothMarks(header[amountAt] ?? '');
  if (comma !== null || point !== null)
    throw refusal(`has no header: line ${line} holds an amount. Put the names of the columns above it.`);
  for (const { field, index } of columns) {
    const other = columns.find((column) => column.index === index && column.field !== field);
    if (other !== undefined)
      throw refusal(`has one column for ${field} and ${other.field}: --map names it twice.`);
  }
  return table;
}

async function guessDecimal(
  ahead: LookAhead,
  { columns, line: headerLine }: HeaderCandidate,
  makeCutter: () => RecordCutter,
): Promise<DecimalMark | null> {
  const { name, undone } = ahead.source;
  const clues = new DecimalClues();
  const amountAt = columns.find(({ field }) => field === 'amount')?.index ?? -1;
  const add = ({ line, cells, kinds }: SheetRecord): void => {
    // Leaves out number cells of a workbook, because their decimal mark is always a point.
    if (line > headerLine && kinds?.[amountAt] !== CELL_KINDS.number) clues.add(line, cells[amountAt] ?? '');
  };
  for (const record of recordsAhead(ahead, makeCutter())) add(record);
  if (!ahead.isWhole && clues.doubt !== null)
    for await (const records of recordsAgain(ahead, makeCutter())) records.forEach(add);
  const { doubt } = clues;
  if (doubt === null) return clues.mark;
  const item = `line ${doubt.line}: amount: ${doubtText(doubt, (mark) => `--decimal ${mark}`)}`;
  const head = `${name} can be read in more than one way. ${undone} Add --decimal comma or --decimal point.`;
  throw new Failure('bad_file', head, {
    items: [item],
    details: [{ field: `line ${doubt.line} amount`, code: 'invalid' }],
  });
}

class MappedRows {
  readonly #columns: readonly FileColumn[];
  #blankAt: number | null = null;

  constructor(
    private readonly candidate: HeaderCandidate,
    private readonly decimal: DecimalMark | null,
    private readonly isDecimalGiven: boolean,
    private readonly problems: Problems,
  ) {
    this.#columns = candidate.columns.map(({ field, index }) => columnAt(field, index)).sort(byBodyOrder);
  }

  read(record: SheetRecord): FileRow | null {
    const { line, cells, fault, kinds } = record;
    if (line <= this.candidate.line) return null;
    if (fault !== null) return this.#note(line, null, fault);
    if (cells.every((cell) => cell.trim() === '')) {
      this.#blankAt ??= line;
      return null;
    }
    if (isTotalRow(cells)) return this.#note(line, null, TOTAL_ROW);
    if (this.#blankAt !== null) this.#note(this.#blankAt, null, 'a blank line in the middle');
    this.#blankAt = null;
    const width = this.candidate.header.length;
    // A workbook leaves out empty cells at the end of a row.
    const isShort = cells.length < width && kinds === undefined;
    if (isShort || cells.slice(width).some((cell) => cell.trim() !== ''))
      return this.#note(line, null, `${cells.length} cells, and the header has ${width} columns`);
    const countBefore = this.problems.count;
    const cleanCells = [...cells];
    for (const column of this.#columns) cleanCells[column.index] = this.#cell(column, record);
    const amountAt = this.#columns.find(({ name }) => name === 'amount')?.index ?? -1;
    const [, sign, amount = ''] = /^(.+) (.+)$/.exec(cleanCells[amountAt] ?? '') ?? [];
    if (sign !== undefined) cleanCells[amountAt] = amount;
    const body = bodyOfCells(cleanCells, line, this.#columns, this.problems);
    return this.problems.count === countBefore ? { line, body, text: null, sign } : null;
  }

  #cell({ name, index }: FileColumn, { line, cells, kinds }: SheetRecord): string {
    const cell = cells[index] ?? '';
    if (kinds?.[index] === CELL_KINDS.number) return cell;
    const isFree = name.endsWith('.name') || name.startsWith('metadata.');
    if (isFree) return cell.trim();
    if (name !== 'amount' || cell.trim() === '')
      return plainText(cell, this.candidate.header[index] === name);
    const amount = this.#amount(cell);
    if ('value' in amount) return amount.value;
    this.#note(line, name, amount.problem);
    return '';
  }

  #amount(cell: string): CellRead<string> {
    const amounts = new AmountCells(this.decimal);
    const amountRead = amounts.read(cell);
    if ('problem' in amountRead) return amountRead;
    const { amount, isNegative, currency, side } = amountRead.value;
    if (side !== null) return { problem: `${excerpt(cell)} says debit or credit beside the amount` };
    if (currency !== null) return { problem: `${excerpt(cell)} has a currency beside the amount` };
    const isPlain = AMOUNT_PATTERN.test(plainText(cell));
    if (this.decimal === null && amounts.mark === 'comma')
      return { problem: `${excerpt(cell)} is ${amount} with --decimal comma` };
    if (this.decimal !== 'comma' && !this.isDecimalGiven && !isPlain && !isNegative)
      return { problem: `${excerpt(cell)} is ${amount} with --decimal point` };
    return { value: isNegative ? `-${amount}` : amount };
  }

  #note(line: number, field: string | null, message: string): null {
    this.problems.add(line, field, message);
    return null;
  }
}

/** Of two columns that fit one field, the one whose name comes first here is read. */
const COLUMN_NAMES: Readonly<Record<string, string>> = {
  reference:
    'referencia, ref, referencia pago, payment reference, id pago, payment id, referencia cliente, client reference, referencia externa, referencia interna, factura, invoice, fatura, recibo',
  amount:
    'importe, monto, valor, montante, neto, neto pagar, importe neto, monto neto, monto pagar, importe pagar, valor pagar, valor liquido, total pagar, sueldo neto, salario neto, salario liquido, net pay, net amount, net salary',
  country: 'pais',
  currency: 'moneda, moeda, divisa, currency code, ccy, codigo moneda',
  method: 'metodo, metodo pago, payment method, forma pago, forma pagamento',
  purpose: 'proposito, finalidad, finalidade',
  name: 'nombre, nombre completo, nombre beneficiario, nombre apellido, nombres apellidos, apellidos nombres, beneficiario, beneficiary, beneficiary name, full name, titular, account holder, empleado, employee, employee name, trabajador, nome, nome completo, favorecido, pagador, payer, cliente, customer, nombre cliente, customer name',
  'document.type':
    'tipo documento, document type, tipo doc, tipo identificacion, tipo identidad, id type, nacionalidad',
  'document.number':
    'documento, numero documento, document, cedula, cedula identidad, ci, rif, cedula rif, identificacion, numero identificacion, doc, rut, cpf, cnpj, dni, nif, id number, document id',
  bank_code: 'banco, codigo banco, cod banco, bank, bank id, codigo bancario, banco destino',
  account_number:
    'cuenta, numero cuenta, cuenta bancaria, cuenta destino, account, account id, iban, cuenta beneficiario, conta, numero conta, conta bancaria',
  phone: 'telefono, celular, movil, mobile, phone number, telefone, numero telefono',
  email: 'correo, correo electronico, e mail, mail',
};

const ARTICLES = new Set(
  'de, del, la, el, da, do, of, the, y, e, and, a, al, por, n, no, nro, num, o, para'.split(', '),
);
const FIRST_RANK = 2;

function rowVocabulary(direction: Direction, fields: ReadonlySet<string>): ColumnVocabulary<string> {
  const ranks = new Map<string, { field: string; rank: number }>();
  for (const [name, words] of Object.entries(COLUMN_NAMES)) {
    const field = fields.has(name) ? name : `${partyOf(direction)}.${name}`;
    if (fields.has(field))
      for (const [rank, word] of words.split(', ').entries())
        ranks.set(word, { field, rank: rank + FIRST_RANK });
  }
  return {
    meaningOf: (name) => {
      if (fields.has(name) || isMetadata(name)) return { field: name, rank: 0 };
      if (name.length > 60) return null;
      const near = nearColumn(name, direction, fields);
      return near === null ? (ranks.get(foldedName(name)) ?? null) : { field: near, rank: 1 };
    },
    missingFields: (fields) => ['reference', 'amount'].filter((field) => !fields.includes(field)),
  };
}

function foldedName(name: string): string {
  const words = unaccented(name)
    .replace(/[([].*$/, '')
    .replace(/[^a-z]+/g, ' ')
    .trim()
    .split(' ');
  return words.filter((word) => !ARTICLES.has(word)).join(' ');
}
