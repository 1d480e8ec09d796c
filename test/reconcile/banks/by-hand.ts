import { NOT_PAID, PAYMENTS, type Payment, type Said } from './truth.js';

export interface ByHand {
  readonly what: string;
  readonly text: string;
  readonly said?: Said;
}
type Cell = (one: Payment, at: number) => string;
type Written = Readonly<Record<string, string | readonly [text: string, said: Said]>>;

const amount = ({ minor }: Payment): string => (minor / 100).toFixed(2).replace('.', ',');
const signed = (one: Payment): string => `${one.direction === 'payout' ? '-' : ''}${amount(one)}`;
const day = ({ date }: Payment): string => date.split('-').reverse().join('/');
const rows = (row: Cell, all: readonly Payment[] = PAYMENTS): string =>
  all.map((one, at) => `${row(one, at)}\n`).join('');
const plain = rows((one) => `${one.reference};${amount(one)}`);
const head = 'Referencia;Importe\n';
const listed = (cell: Cell): string => head + rows((one, at) => `${one.reference};${cell(one, at)}`);
const called = (name: Cell, all?: readonly Payment[]): string =>
  head + rows((one, at) => `${name(one, at)};${amount(one)}`, all);
const cellsOf = (name: string, cell: Cell): string =>
  `Referencia;Importe;${name}\n${rows((one, at) => `${one.reference};${amount(one)};${cell(one, at)}`)}`;
const before = (name: string, cell: Cell): string =>
  `${name};${head}${rows((one, at) => `${cell(one, at)};${one.reference};${amount(one)}`)}`;
const beside = (cells: Cell): string =>
  `Referencia;Comprobante;Importe\n${rows((one, at) => `${cells(one, at)};${amount(one)}`)}`;
const sided = (names: string, isRight: (one: Payment, at: number) => boolean): string =>
  `Referencia;${names}\n${rows((one, at) => `${one.reference};${isRight(one, at) ? `;${amount(one)}` : `${amount(one)};`}`)}`;
const dated = (one: Payment): string => `${day(one)};${one.reference};${amount(one)}`;
const noted = (row: Cell = (one) => `${dated(one)};Pago`): string =>
  `Fecha;Referencia;Importe;Concepto\n${rows(row)}`;
const json = (more: (one: Payment, at: number) => object): string =>
  rows((one, at) =>
    JSON.stringify({ reference: one.reference, amount: (one.minor / 100).toFixed(2), ...more(one, at) }),
  );

const AGREEING: Written = {
  'references and amounts': head + plain,
  signs: listed((one) => signed(one)),
  NDJSON: json(() => ({ status: 'confirmed', currency: 'VES' })),
  'a column for what is void': cellsOf('Anulado', () => 'No'),
};

const DIFFERING: Written = {
  'a note below in dollars': `Fecha;${head}${rows((one) => `${day(one)};${one.reference};${amount(one)}`)}\nMontos en dólares americanos\n`,
  'the amount beside its worth in dollars': `Referencia;Monto USD;Tasa\n${rows((one) => `${one.reference};${amount(one)};36,5`)}`,
  'one void, by a column of its own': cellsOf('Anulado', (_one, at) => (at === 4 ? 'Sí' : 'No')),
  'one reversed, by a column of its own': `Reference,Amount,Reversed\n${rows((one, at) => `${one.reference},${amount(one).replace(',', '.')},${at === 4 ? 'Y' : ''}`)}`,
  'a pay-in among payouts': [
    head + rows((one, at) => `${one.reference};${at === 1 ? '' : '-'}${amount(one)}`, PAYMENTS.slice(0, 6)),
    { direction: 'payout' },
  ],
  'a payout in parentheses that is a pay-in': listed((one) =>
    one.reference === 'rent-0008' ? `(${amount(one)})` : signed(one),
  ),
  'a debit in the column of credits': sided(
    'Debe;Haber',
    ({ direction }, at) => direction === 'payin' || at === 2,
  ),
  'Saldo with a day': `${cellsOf('Fecha', day)}Saldo;77,00;20/11/2026\n`,
  'Suma to somebody': `${cellsOf('Beneficiario', () => 'Nombre')}Suma;77,00;Nombre Apellido\n`,
  'an id of another payment': before('Operation id', (_one, at) => PAYMENTS[at === 0 ? 1 : at]!.id),
  'an id of nothing': `Operation id;Referencia;Importe\n${rows((one, at) => `${at === 0 ? one.id.replace(/1$/, '7') : one.id};${one.reference};${amount(one)}`, PAYMENTS.slice(0, 6))}${rows((one) => `;${one.reference};${amount(one)}`, PAYMENTS.slice(6))}`,
  'a bank reference of another payment': beside(
    (one, at) => `${one.reference};${PAYMENTS[at === 0 ? 5 : at]!.bank}`,
  ),
  'one twice in other letters': `${head}${plain}RENT–0003;45,00\n`,
  'one twice as a spreadsheet writes it': `${head}${plain}="rent-0003";45,00\n`,
  'thousands that are none': head + plain.replace('rent-0003;45,00', 'rent-0003;45.000'),
  'a column of yes and no for what is paid': cellsOf('Estado', (_one, at) => (at === 4 ? 'No' : 'Sí')),
  'one type that is no direction, and one that is another one': cellsOf('Tipo', (one, at) =>
    at === 0 ? 'Comisión' : at === 1 ? 'Crédito' : one.direction === 'payin' ? 'Crédito' : 'Débito',
  ),
  'a mark for a currency that nobody knows': `Referencia;Importe (¤)\n${plain}`,
  'amounts in dollars by the title above': `Importes expresados en USD\n${head}${plain}`,
  'an old bolívar': listed((one) => `Bs.F ${amount(one)}`),
};

const bank = rows((one) => `${one.bank};${amount(one)}`);
const lettered = (letters: Cell): string =>
  head + rows((one, at) => `${one.reference};${amount(one)} ${letters(one, at)}`);
const letter = ({ direction }: Payment): string => (direction === 'payin' ? 'C' : 'D');
const datedHead = 'Fecha;Referencia;Importe\n';
const own = (name: string, cell: Cell): string =>
  `Ref;Neto;${name}\n${rows((one, at) => `${one.reference};${amount(one)};${cell(one, at)}`)}`;
const OWN: Said = { map: 'reference=Ref,amount=Neto' };

const AGREEING_TOO: Written = {
  "the bank's references under Referencia": head + bank,
  'ids under Referencia': called((one) => one.id),
  'own references under Comprobante': `Comprobante;Importe\n${plain}`,
  'letters for directions': lettered(letter),
  'words for directions': lettered((one) => (one.direction === 'payin' ? 'CR' : 'DR')),
  'letters before': listed((one) => `${letter(one)} ${amount(one)}`),
  'dashes for signs': listed((one) => signed(one).replace('-', '\u2013')),
  'a dash for nothing': `Referencia;Debe;Haber\n${rows((one) => (one.direction === 'payin' ? `${one.reference};-;${amount(one)}` : `${one.reference};${amount(one)};-`))}`,
  'a balance of nothing below': `${datedHead}${rows(dated)}20/11/2026;;0,00\n`
    .replace(';;0,00', ';;0,00;SALDO INICIAL')
    .replace('Importe\n', 'Importe;Concepto\n'),
  'a balance of nothing between': noted(
    (one, at) => `${at === 3 ? '16/11/2026;0;0,00;Saldo\n' : ''}${dated(one)};Pago`,
  ),
  'a total in another column': `${noted()};;99,00;TOTAL\n`,
  'columns that bear the names of fields, beside a map': [own('direction', (one) => one.direction), OWN],
};

const DIFFERING_TOO: Written = {
  'a letter that is wrong': lettered((one, at) => (at === 2 ? 'C' : letter(one))),
  'letters that are all wrong': lettered((one) => (letter(one) === 'C' ? 'D' : 'C')),
  'a word that is wrong': lettered((one, at) => (at === 7 ? 'DR' : letter(one) === 'C' ? 'CR' : 'DR')),
  'a letter and another currency': lettered((one) => `USD ${letter(one)}`),
  'a dash for a sign of a pay-in':
    head +
    rows((one, at) =>
      `${one.reference};${at === 7 ? '\u2014' : ''}${signed(one)}`.replace('\u2014-', '\u2014'),
    ),
  'a failed one of another amount': `${head}${plain}rent-0099;1,00\n`,
  'a failed one of its own amount, by its bank reference': `Comprobante;Importe\n${bank}770099;1500,50\n`,
  'a pending one of another amount': `${head}${plain}rent-0098;1,00\n`,
  'a payment of nothing': `${head}${plain}rent-0077;0,00\n`,
  'a payment of nothing in place of one': head + plain.replace('rent-0003;45,00', 'rent-0003;0,00'),
  'a balance of nothing that names a payment': noted(
    (one, at) => `${day(one)};${one.reference};${at === 2 ? '0,00;Saldo' : `${amount(one)};Pago`}`,
  ),
  'a balance with money': `${noted()}21/11/2026;;77,00;SALDO INICIAL\n`,
  'money with a day that is called a total': `${noted()}21/11/2026;;77,00;TOTAL\n`,
  'a payment beside the word for a total': `${before('Concepto', () => 'Pago')}Total;rent-0042;45,00\n`,
  "the bank's references, one of them twice": `${head}${bank}770013;45,00\n`,
  "the bank's references without one": called((one) => one.bank, PAYMENTS.slice(1)),
  "the bank's references and a fee": `${head}${bank}880001;0,10\n`,
  "the bank's references, two of them swapped": called((_one, at) => PAYMENTS[at < 2 ? 1 - at : at]!.bank),
  "the bank's references with another amount": head + bank.replace('45,00', '45,01'),
  "the bank's references with zeros before them": called((one) => `00${one.bank}`),
  "the bank's reference of one that failed among them": `${head}${bank}770099;1500,50\n`,
  "half of the bank's references and half of ours": called((one, at) =>
    at % 2 === 0 ? one.bank : one.reference,
  ),
  'ids, two of them swapped': called((_one, at) => PAYMENTS[at < 2 ? 1 - at : at]!.id),
  'ids, one of which is of nothing':
    head +
    rows(
      (one, at) => `${at === 0 ? one.id.replace(/1$/, '7') : one.id};${amount(one)}`,
      PAYMENTS.slice(0, 6),
    ),
  'a reference that nobody has beside a bank reference': beside(
    (one, at) => `${at === 0 ? 'rent-9999' : one.reference};${one.bank}`,
  ),
  'references that nobody has beside bank references': beside((one, at) => `x-${String(at)};${one.bank}`),
  'references and bank references in the columns of each other': beside(
    (one) => `${one.bank};${one.reference}`,
  ),
  'own references under Comprobante, two of them swapped': `Comprobante;Importe\n${rows((one, at) => `${PAYMENTS[at < 2 ? 1 - at : at]!.reference};${amount(one)}`)}`,
  'in dollars by a column of that name, outside the map': [own('currency', () => 'USD'), OWN],
  'with one void by a column of that name, outside the map': [
    own('status', (_one, at) => (at === 4 ? 'failed' : 'paid')),
    OWN,
  ],
  'with a word for nothing in a status outside the map': [
    own('Status', (_one, at) => (at === 4 ? 'En revisión (7)' : 'paid')),
    OWN,
  ],
  'of another direction by a column of that name, outside the map': [
    own('direction', (one, at) => (at === 0 ? 'payin' : one.direction)),
    OWN,
  ],
  'of another day by a column of that name, outside the map': [
    own('date', (one, at) => (at === 0 ? '01/11/2026' : day(one))),
    OWN,
  ],
  'of another id by a column of that name, outside the map': [
    own('id', (one, at) => (at === 0 ? PAYMENTS[1]!.id : one.id)),
    OWN,
  ],
  'of another bank reference by a column of that name, outside the map': [
    own('bank reference', (one, at) => (at === 0 ? PAYMENTS[1]!.bank : one.bank)),
    OWN,
  ],
  'net of a tax, beside the amount': [
    `Ref;Neto;amount\n${rows((one) => `${one.reference};1,00;${amount(one)}`)}`,
    OWN,
  ],
};

const odd =
  (bad: string, good: string) =>
  (_one: Payment, at: number): string =>
    at === 4 ? bad : good;
const [third, fourth] = [`${PAYMENTS[2]!.reference};45,00`, `${PAYMENTS[3]!.reference};12345,67`];

const DIFFERING_BESIDE: Written = {
  'one with an error as its result': cellsOf('Resultado', odd('ERROR', 'OK')),
  'the last in another currency': cellsOf('Divisa', (_o, at) => (at === 7 ? 'BRL' : 'VES')),
  'a sign behind that is wrong': listed(
    (one) => `${amount(one)}${one.direction === 'payout' || one.reference === 'rent-0008' ? '-' : ''}`,
  ),
  'a column of signs, one wrong': cellsOf('Signo', (one, at) =>
    at === 2 ? '+' : one.direction === 'payin' ? '+' : '-',
  ),
  'a column of letters, one wrong': cellsOf('D/C', (one, at) =>
    at === 2 ? 'C' : one.direction === 'payin' ? 'C' : 'D',
  ),
  'a charge in the column of deposits': sided(
    'Cargo;Abono',
    ({ direction }, at) => direction === 'payin' || at === 2,
  ),
  'a second table below': `${head}${plain}\nReferencia;Importe\nrent-0042;45,00\n`,
  'one behind the last words': `${head}${plain}Fin del reporte\nrent-0042;45,00\n`,
  'one behind a mark': `${head}${plain.replace('rent-0003;', '#rent-0003;')}`,
  'one more behind a mark': `${head}${plain}# rent-0042;45,00\n`,
  'one more behind a bare return': `${head}${plain.trimEnd()}\rrent-0042;45,00\n`,
  'a year of two digits that is another': `Fecha;Referencia;Importe\n${rows((one, at) => `${at === 2 ? day(one).replace('2026', '25') : day(one)};${one.reference};${amount(one)}`)}`,
  'NDJSON that is nearly right': json((_one, at) => (at === 2 ? { amount: 45.000001 } : {})),
  'NDJSON with one in dollars': json((_o, at) => ({ currency: at === 2 ? 'USD ' : 'VES' })),
  'NDJSON with one answer of yes': json((_o, at) => ({ refunded: at === 2 })),
  'a part of a hundredth': head + plain.replace(third, 'rent-0003;45,004'),
  'a cut amount with thousands': head + plain.replace(fourth, 'rent-0004;12.345,6'),
  'one that failed, below': `${head}${plain}${NOT_PAID[0]!.reference};${amount(NOT_PAID[0]!)}\n`,
  'one that failed, by its bank': `${head}${plain}${NOT_PAID[0]!.bank};${amount(NOT_PAID[0]!)}\n`,
  'one nature wrong': cellsOf('Naturaleza', (one, at) =>
    at === 2 ? 'H' : one.direction === 'payin' ? 'H' : 'D',
  ),
  'one with why it was rejected': cellsOf('Motivo de rechazo', odd('Cuenta cerrada', '')),
  'one with the answer of a network': cellsOf('Código de respuesta', odd('51', '00')),
  'one not paid, by an answer': cellsOf('Pagado', odd('No', 'Sí')),
  'one not settled, by a letter': cellsOf('Settled', odd('N', 'Y')),
  'one blocked': cellsOf('Bloqueado', odd('Sí', 'No')),
  'one more behind a form feed': `${head}${plain}\frent-0042;45,00\n`,
};

const named = (all: Written): readonly ByHand[] =>
  Object.entries(all).map(([what, one]) =>
    typeof one === 'string' ? { what, text: one } : { what, text: one[0], said: one[1] },
  );

export const TRUE = named({ ...AGREEING, ...AGREEING_TOO });
export const UNTRUE = named({ ...DIFFERING, ...DIFFERING_TOO, ...DIFFERING_BESIDE });
