/** The words by which payrolls and lists of collections call a column, in English, Spanish and Portuguese. Pure. */
import type { Capabilities } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import type { ColumnVocabulary } from '../../sheet/header.js';
import { unaccented } from '../../sheet/words.js';
import { isMetadata, knownColumns, nearColumn } from './columns.js';

/** Without case, accents, marks and articles; fields of the party without its name. The surest first. */
const WORDS: Readonly<Record<string, string>> = {
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
/** Behind what is exact and what is spelled otherwise. */
const FIRST_RANK = 2;

/** What the columns of a batch may be called: the body paths as they stand, in another spelling, or by a word for them. */
export function rowVocabulary(direction: Direction, catalog: Capabilities): ColumnVocabulary<string> {
  const known = knownColumns(direction, catalog);
  const ranks = new Map<string, { field: string; rank: number }>();
  for (const [name, words] of Object.entries(WORDS)) {
    const field = known.has(name) ? name : `${partyOf(direction)}.${name}`;
    if (known.has(field))
      for (const [rank, word] of words.split(', ').entries())
        ranks.set(word, { field, rank: rank + FIRST_RANK });
  }
  return {
    meaningOf: (name) => {
      if (known.has(name) || isMetadata(name)) return { field: name, rank: 0 };
      if (name.length > 60) return null;
      const near = nearColumn(name, direction, known);
      return near === null ? (ranks.get(folded(name)) ?? null) : { field: near, rank: 1 };
    },
    isEnough: (fields) => fields.includes('reference') && fields.includes('amount'),
  };
}

function folded(name: string): string {
  const words = unaccented(name)
    .replace(/[([].*$/, '')
    .replace(/[^a-z]+/g, ' ')
    .trim()
    .split(' ');
  // "N°" is a letter and a sign that says number.
  return words.filter((word) => !ARTICLES.has(word)).join(' ');
}
