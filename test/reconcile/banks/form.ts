import type { Payment, Said } from './truth.js';

export type Chance = (below: number) => number;

export interface Form {
  readonly words: (typeof WORDS)[number];
  readonly encoding: 'utf8' | 'bom' | 'latin1' | 'utf16';
  readonly delimiter: string;
  readonly decimal: 'comma' | 'point';
  readonly isGrouped: boolean;
  readonly sides: 'sign' | 'behind' | 'columns' | 'negative debits' | 'word';
  readonly dates: 'DMY' | 'YMD' | 'named';
  readonly currencyBy: 'nothing' | 'column' | 'name' | 'title' | 'code';
  readonly paid: string | null;
  readonly hasIds: boolean;
  readonly hasBank: boolean;
  readonly hasTitles: boolean;
  readonly hasTotal: boolean;
  readonly hasBalance: boolean;
  readonly symbol: string;
}

const WORDS = [
  {
    ...{ reference: 'Referencia', bank: 'Referencia bancaria', date: 'Fecha', amount: 'Importe' },
    ...{ debit: 'Débito', credit: 'Crédito', direction: 'D/H', currency: 'Moneda', status: 'Estado' },
    ...{ name: 'Beneficiario', balance: 'Saldo' },
  },
  {
    ...{ reference: 'Reference', bank: 'Bank reference', date: 'Posting date', amount: 'Amount' },
    ...{ debit: 'Money out', credit: 'Money in', direction: 'Dr/Cr', currency: 'Currency' },
    ...{ status: 'Status', name: 'Beneficiary', balance: 'Balance' },
  },
  {
    ...{ reference: 'Nº Ref.', bank: 'Comprobante', date: 'FECHA VALOR', amount: 'MONTO', debit: 'CARGO' },
    ...{ credit: 'ABONO', direction: 'Naturaleza', currency: 'Mon.', status: 'ESTATUS' },
    ...{ name: 'Titular', balance: 'SALDO' },
  },
  {
    ...{ reference: 'Referência', bank: 'Comprovante', date: 'Data', amount: 'Valor', debit: 'Saída' },
    ...{ credit: 'Entrada', direction: 'Natureza', currency: 'Divisa', status: 'Situação' },
    ...{ name: 'Favorecido', balance: 'Saldo' },
  },
];

export function formOf(chance: Chance): Form {
  const one = <T>(...all: readonly T[]): T => all[chance(all.length)] as T;
  const decimal = one('comma' as const, 'point' as const);
  return {
    words: one(...WORDS),
    encoding: one('utf8', 'bom', 'latin1', 'utf16'),
    delimiter: decimal === 'comma' ? one(';', '\t', '|') : one(',', ';', '\t', '|'),
    ...{ decimal, isGrouped: chance(2) === 0 },
    sides: one('sign', 'behind', 'columns', 'negative debits', 'word'),
    dates: one('DMY', 'YMD', 'named'),
    currencyBy: one('nothing', 'column', 'name', 'title', 'code'),
    paid: one(null, 'Pagado', 'Completed', 'PROCESADA', 'Aprobado'),
    ...{ hasIds: chance(3) === 0, hasBank: chance(2) === 0, hasTitles: chance(2) === 0 },
    ...{ hasTotal: chance(2) === 0, hasBalance: chance(2) === 0, symbol: 'VES' },
  };
}

export function written(
  payments: readonly Payment[],
  form: Form,
): { readonly bytes: Uint8Array; readonly said: Said } {
  const { words, delimiter, currencyBy, symbol, paid } = form;
  const isSplit = form.sides === 'columns' || form.sides === 'negative debits';
  const named = (word: string): string => (currencyBy === 'name' ? `${word} (${symbol})` : word);
  type Column = readonly [name: string, cell: (payment: Payment) => string];
  const side =
    (direction: Payment['direction']) =>
    (payment: Payment): string =>
      payment.direction === direction ? amountOf(payment, form) : '';
  const columns: readonly Column[] = [
    [words.date, ({ date }) => dateOf(date, form.dates)],
    ...(form.hasIds ? [['Operation id', ({ id }) => id] satisfies Column] : []),
    [words.reference, ({ reference }) => reference],
    ...(form.hasBank ? [[words.bank, ({ bank }) => bank] satisfies Column] : []),
    [words.name, ({ name }) => name],
    ...(isSplit
      ? [
          [named(words.debit), side('payout')] satisfies Column,
          [named(words.credit), side('payin')] satisfies Column,
        ]
      : [[named(words.amount), (payment) => amountOf(payment, form)] satisfies Column]),
    ...(form.sides === 'word'
      ? [[words.direction, ({ direction }) => (direction === 'payin' ? 'C' : 'D')] satisfies Column]
      : []),
    ...(currencyBy === 'column'
      ? [[words.currency, ({ currency }) => (symbol === 'VES' ? currency : symbol)] satisfies Column]
      : []),
    ...(paid === null ? [] : [[words.status, ({ status }) => status ?? paid] satisfies Column]),
    ...(form.hasBalance ? [[words.balance, () => plainAmount(900_000, form)] satisfies Column] : []),
  ];
  const quoted = (cell: string): string =>
    cell.includes(delimiter) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
  const row = (cells: readonly string[]): string => cells.map(quoted).join(delimiter);
  const blank = (text: string): string => row([text, ...columns.slice(1).map(() => '')]);
  const lines = [
    ...(form.hasTitles
      ? ['Banco de Ejemplo, C.A.'.replace(delimiter, ' '), blank('Cuenta 0102-0000'), '']
      : []),
    ...(currencyBy === 'title' ? [`${words.currency}: ${symbol}`] : []),
    row(columns.map(([name]) => name)),
    ...payments.map((payment) => row(columns.map(([, cell]) => cell(payment)))),
    ...(form.hasTotal ? [blank('Total')] : []),
  ];
  const text = `${lines.join(form.encoding === 'bom' ? '\r\n' : '\n')}\n`;
  const said: Said = {
    ...(form.encoding === 'latin1' ? { encoding: 'latin1' } : {}),
    dateFormat: form.dates === 'YMD' ? 'YYYY-MM-DD' : 'DD/MM/YYYY',
    decimal: form.decimal,
  };
  return { bytes: encoded(text, form.encoding), said };
}

function encoded(text: string, encoding: Form['encoding']): Buffer {
  if (encoding === 'latin1') return Buffer.from(text.replaceAll('€', '\x80'), 'latin1');
  if (encoding === 'utf16') return Buffer.from(`\ufeff${text}`, 'utf16le');
  return Buffer.from(encoding === 'bom' ? `\ufeff${text}` : text);
}

function dateOf(date: string, form: Form['dates']): string {
  const [year = '', month = '', day = ''] = date.split('-');
  if (form === 'YMD') return date;
  return form === 'DMY' ? `${day}/${month}/${year}` : `${day}-nov-${year}`;
}

function plainAmount(minor: number, { decimal, isGrouped }: Form): string {
  const [mark, group] = decimal === 'comma' ? [',', '.'] : ['.', ','];
  const whole = String(Math.floor(minor / 100));
  const grouped = isGrouped ? whole.replace(/\B(?=(\d{3})+$)/g, group) : whole;
  return `${grouped}${mark}${String(minor % 100).padStart(2, '0')}`;
}

function amountOf({ minor, direction, currency }: Payment, form: Form): string {
  const isOut = direction === 'payout';
  const code = form.currencyBy === 'code' ? (form.symbol === 'VES' ? currency : form.symbol) : '';
  const plain = `${code} ${plainAmount(minor, form)}`.trim();
  if (form.sides === 'sign' || form.sides === 'negative debits') return isOut ? `-${plain}` : plain;
  return form.sides === 'behind' && isOut ? `${plain}-` : plain;
}
