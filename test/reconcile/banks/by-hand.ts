/** Files that were written by hand, each untrue in a way of its own: what banks and people do to a ledger. */
import { PAYMENTS, type Payment, type Said } from './truth.js';

export interface ByHand {
  readonly what: string;
  readonly text: string;
  readonly said?: Said;
}
type Written = readonly [what: string, text: string, said?: Said];

/** `1500,50` */
const amount = ({ minor }: Payment): string => (minor / 100).toFixed(2).replace('.', ',');
const signed = (one: Payment): string => `${one.direction === 'payout' ? '-' : ''}${amount(one)}`;
const day = ({ date }: Payment): string => date.split('-').reverse().join('/');
const rows = (row: (one: Payment, at: number) => string, all: readonly Payment[] = PAYMENTS): string =>
  all.map((one, at) => `${row(one, at)}\n`).join('');
const plain = rows((one) => `${one.reference};${amount(one)}`);
const head = 'Referencia;Importe\n';
const json = (more: (one: Payment, at: number) => object): string =>
  rows((one, at) =>
    JSON.stringify({ reference: one.reference, amount: (one.minor / 100).toFixed(2), ...more(one, at) }),
  );

/** What all of them are made of, and what agrees. */
const AGREEING: readonly Written[] = [
  ['references and amounts', head + plain],
  ['signs', head + rows((one) => `${one.reference};${signed(one)}`)],
  ['NDJSON', json(() => ({ status: 'confirmed', currency: 'VES' }))],
  [
    'a column for what is void',
    `Referencia;Importe;Anulado\n${rows((one) => `${one.reference};${amount(one)};No`)}`,
  ],
];

const DIFFERING: readonly Written[] = [
  ['euros by their symbol', head + rows((one) => `${one.reference};€ ${amount(one)}`)],
  ['euros behind', head + rows((one) => `${one.reference};${amount(one)} €`)],
  ['dollars by a symbol of several', head + rows((one) => `${one.reference};$${amount(one)}`)],
  ['bolivianos by a symbol of two', head + rows((one) => `${one.reference};Bs ${amount(one)}`)],
  ['an account in words', `Cuenta en dólares americanos\n${head}${plain}`],
  ['an account by a code', `Banco de Ejemplo\nCuenta corriente USD 0102\n\n${head}${plain}`],
  ['a title in two cells', `Divisa\tEUR\nReferencia\tImporte\n${plain.replaceAll(';', '\t')}`],
  [
    'a balance in dollars',
    `Referencia;Importe;Saldo (USD)\n${rows((one) => `${one.reference};${amount(one)};9`)}`,
  ],
  ['a total in dollars', `${head}${plain}Total;USD 100,00\n`],
  [
    'a note below in dollars',
    `Fecha;${head}${rows((one) => `${day(one)};${one.reference};${amount(one)}`)}\nMontos en dólares americanos\n`,
  ],
  ['Mon. with a symbol', `Referencia;Importe;Mon.\n${rows((one) => `${one.reference};${amount(one)};US$`)}`],
  [
    'Curr in small letters',
    `Reference,Amount,Curr\n${rows((one) => `${one.reference},${amount(one).replace(',', '.')},usd`)}`,
  ],
  [
    'the amount beside its worth in dollars',
    `Referencia;Monto USD;Tasa\n${rows((one) => `${one.reference};${amount(one)};36,5`)}`,
  ],
  [
    'only the first with a code',
    head + rows((one, at) => `${one.reference};${at === 0 ? 'USD ' : ''}${amount(one)}`),
  ],
  [
    'a map without the currency',
    `Referencia;Importe;Moneda\n${rows((one) => `${one.reference};${amount(one)};USD`)}`,
    { map: 'reference=Referencia,amount=Importe' },
  ],
  ['NDJSON in dollars', json(() => ({ currency: 'USD' }))],
  ['NDJSON with one that failed', json((_one, at) => ({ status: at === 3 ? 'failed' : 'confirmed' }))],
  [
    'one void',
    `Referencia;Importe;Estado\n${rows((one, at) => `${one.reference};${amount(one)};${at === 4 ? 'ANULADO POR EL BANCO' : 'Pagado'}`)}`,
  ],
  [
    'one charged back',
    `Reference,Amount,Status\n${rows((one, at) => `${one.reference},${amount(one).replace(',', '.')},${at === 4 ? 'Reversed - chargeback' : 'Completed'}`)}`,
  ],
  [
    'a map without the status',
    `Referencia;Importe;Estado\n${rows((one, at) => `${one.reference};${amount(one)};${at === 4 ? 'Reversado' : 'Pagado'}`)}`,
    { map: 'reference=Referencia,amount=Importe' },
  ],
  [
    'one void, by a column of its own',
    `Referencia;Importe;Anulado\n${rows((one, at) => `${one.reference};${amount(one)};${at === 4 ? 'Sí' : 'No'}`)}`,
  ],
  [
    'one reversed, by a column of its own',
    `Reference,Amount,Reversed\n${rows((one, at) => `${one.reference},${amount(one).replace(',', '.')},${at === 4 ? 'Y' : ''}`)}`,
  ],
  [
    'a pay-in among payouts',
    head + rows((one, at) => `${one.reference};${at === 1 ? '' : '-'}${amount(one)}`, PAYMENTS.slice(0, 6)),
    { direction: 'payout' },
  ],
  [
    'a payout in parentheses that is a pay-in',
    head +
      rows((one) => `${one.reference};${one.reference === 'rent-0008' ? `(${amount(one)})` : signed(one)}`),
  ],
  [
    'a debit in the column of credits',
    `Referencia;Debe;Haber\n${rows((one, at) => (one.direction === 'payin' || at === 2 ? `${one.reference};;${amount(one)}` : `${one.reference};${amount(one)};`))}`,
  ],
  [
    'Saldo with a day',
    `Referencia;Importe;Fecha\n${rows((one) => `${one.reference};${amount(one)};${day(one)}`)}Saldo;77,00;20/11/2026\n`,
  ],
  [
    'Suma to somebody',
    `Referencia;Importe;Beneficiario\n${rows((one) => `${one.reference};${amount(one)};Nombre`)}Suma;77,00;Nombre Apellido\n`,
  ],
  [
    'somebody called Suma',
    `Beneficiario;Referencia;Importe\n${rows((one) => `Nombre;${one.reference};${amount(one)}`)}Suma Gestion;;77,00\n`,
  ],
  [
    'an id of another payment',
    `Operation id;Referencia;Importe\n${rows((one, at) => `${PAYMENTS[at === 0 ? 1 : at]!.id};${one.reference};${amount(one)}`)}`,
  ],
  [
    'an id of nothing',
    `Operation id;Referencia;Importe\n${rows((one, at) => `${at === 0 ? one.id.replace(/1$/, '7') : one.id};${one.reference};${amount(one)}`, PAYMENTS.slice(0, 6))}${rows((one) => `;${one.reference};${amount(one)}`, PAYMENTS.slice(6))}`,
  ],
  [
    'a bank reference of another payment',
    `Referencia;Comprobante;Importe\n${rows((one, at) => `${one.reference};${PAYMENTS[at === 0 ? 5 : at]!.bank};${amount(one)}`)}`,
  ],
  ['one twice in other letters', `${head}${plain}RENT–0003;45,00\n`],
  ['one twice as a spreadsheet writes it', `${head}${plain}="rent-0003";45,00\n`],
  ['one between totals', `${head}${plain}Total;100\nrent-0042;45,00\n`],
  ['thousands that are none', head + plain.replace('rent-0003;45,00', 'rent-0003;45.000')],
  [
    'a column of yes and no for what is paid',
    `Referencia;Importe;Estado\n${rows((one, at) => `${one.reference};${amount(one)};${at === 4 ? 'No' : 'Sí'}`)}`,
  ],
  [
    'two columns of a status',
    `Referencia;Importe;Status;Estado\n${rows((one, at) => `${one.reference};${amount(one)};OK;${at === 4 ? 'Anulado' : 'Activo'}`)}`,
  ],
  [
    'two columns of currencies',
    `Referencia;Importe;Moneda;Moneda operación\n${rows((one) => `${one.reference};${amount(one)};VES;USD`)}`,
  ],
  [
    'one type that is no direction, and one that is another one',
    `Referencia;Importe;Tipo\n${rows((one, at) => `${one.reference};${amount(one)};${at === 0 ? 'Comisión' : at === 1 ? 'Crédito' : one.direction === 'payin' ? 'Crédito' : 'Débito'}`)}`,
  ],
  ['a mark for a currency that nobody knows', `Referencia;Importe (¤)\n${plain}`],
  ['amounts in dollars by the title above', `Importes expresados en USD\n${head}${plain}`],
  ['an old bolívar', head + rows((one) => `${one.reference};Bs.F ${amount(one)}`)],
];

const named = (all: readonly Written[]): readonly ByHand[] =>
  all.map(([what, text, said]) => ({ what, text, ...(said === undefined ? {} : { said }) }));

export const [TRUE, UNTRUE] = [named(AGREEING), named(DIFFERING)];
