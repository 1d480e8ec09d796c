/** Views of the catalog (contract section 2.5). */
import type { Column, Cell } from '../table.js';
import type { JsonValue } from '../value.js';
import { type Block, type ListColumn, listTable, money, textAt } from './blocks.js';

const METHOD_COLUMNS: readonly ListColumn[] = [
  { header: 'Method', whole: true, content: 'code' },
  { header: 'Direction', whole: true, below: 'together', content: 'direction' },
  {
    ...{ header: 'Minimum', align: 'right', whole: true },
    content: (method) => money(textAt(method, 'min_amount'), textAt(method, 'currency')),
  },
  {
    ...{ header: 'Maximum', align: 'right', whole: true },
    content: (method) => {
      const maximum = textAt(method, 'max_amount');
      return maximum === '' ? 'no limit' : money(maximum, textAt(method, 'currency'));
    },
  },
  {
    ...{ header: 'Availability', whole: true, below: 'together' },
    content: (method) => availabilityCell(textAt(method, 'availability')),
  },
  {
    ...{ header: 'Required fields', below: true },
    content: ({ members }) => {
      const fields = members.get('fields')?.elements ?? [];
      const requiredFields = fields.filter((field) => textAt(field, 'required') === 'true');
      return requiredFields.map((field) => textAt(field, 'name')).join(', ');
    },
  },
  { header: 'Name', optional: true, content: 'name' },
];

const RECEIVING_COLUMNS: readonly Column[] = [
  { header: 'Method', whole: true },
  { header: 'Bank', whole: true },
  { header: 'Account or phone', whole: true },
  { header: 'Document', whole: true, below: 'together' },
  { header: 'Holder', below: 'together' },
];

export function viewMethodsByCountry(methods: readonly JsonValue[]): Block[] {
  const countries = [...new Set(methods.map((method) => textAt(method, 'country')))];
  if (countries.length === 0) return viewMethods(methods);
  return countries.flatMap((country): Block[] => [
    { block: 'heading', text: country },
    ...viewMethods(methods.filter((method) => textAt(method, 'country') === country)),
  ]);
}

function viewMethods(methods: readonly JsonValue[]): Block[] {
  const accountRows = methods.flatMap(receivingRow);
  const table = listTable(methods, METHOD_COLUMNS, 'No methods.');
  if (accountRows.length === 0) return [table];
  const accountTable: Block = { block: 'table', columns: RECEIVING_COLUMNS, rows: accountRows, empty: '' };
  return [table, { block: 'heading', text: 'Receiving accounts' }, accountTable];
}

function availabilityCell(text: string): Cell {
  if (text === 'available') return { text, mark: 'good' };
  const words = text.replaceAll('_', ' ');
  return { text: words, mark: text === 'disabled' ? 'bad' : 'waiting' };
}

function receivingRow(method: JsonValue): Cell[][] {
  const account = method.members.get('receiving_account');
  if (account?.kind !== 'object') return [];
  const numbers = [textAt(account, 'account_number'), textAt(account, 'phone')];
  const numberText = numbers.filter((text) => text !== '').join(' / ');
  const [code, bank] = [textAt(method, 'code'), textAt(account, 'bank_code')];
  return [[code, bank, numberText, textAt(account, 'document'), textAt(account, 'holder')]];
}

export function viewCapabilities(capabilities: JsonValue): Block[] {
  const countries = capabilities.members.get('countries')?.elements ?? [];
  return [
    { block: 'detail', pairs: [{ label: 'Catalog version', value: textAt(capabilities, 'config_version') }] },
    ...countries.flatMap((country): Block[] => {
      const { members } = country;
      const methodLists = [members.get('payin_methods'), members.get('payout_methods')];
      const methods = methodLists.flatMap((list) => list?.elements ?? []);
      const currencies = (members.get('currencies')?.elements ?? []).map((currency) => {
        const [code, decimals] = [textAt(currency, 'code'), textAt(currency, 'decimals')];
        return decimals === '' ? code : `${code} (${decimals} decimals)`;
      });
      const countryTexts = [textAt(country, 'code'), textAt(country, 'name')].filter((text) => text !== '');
      const currencyText = currencies.length === 0 ? '' : `: ${currencies.join(', ')}`;
      return [{ block: 'heading', text: countryTexts.join(' ') + currencyText }, ...viewMethods(methods)];
    }),
  ];
}

const REPEATED_METHODS_MIN = 4;

export function viewBanks(banks: readonly JsonValue[]): Block[] {
  const columns: Column[] = [{ header: 'Code', whole: true }, { header: 'Name' }, { header: 'Methods' }];
  const methodsOf = (bank: JsonValue): string[] =>
    (bank.members.get('methods')?.elements ?? []).map((method) => method.text);
  const allMethods = [...new Set(banks.flatMap(methodsOf))];
  const fullBanks = banks.filter((bank) => new Set(methodsOf(bank)).size === allMethods.length);
  const isRepeated = allMethods.length >= REPEATED_METHODS_MIN && fullBanks.length > 1;
  const rows = banks.map((bank) => [
    textAt(bank, 'code'),
    textAt(bank, 'name'),
    isRepeated && fullBanks.includes(bank) ? `all ${String(allMethods.length)}` : methodsOf(bank).join(', '),
  ]);
  const table: Block = { block: 'table', columns, rows, empty: 'No banks.' };
  if (!isRepeated) return [table];
  return [table, { block: 'note', text: `All ${String(allMethods.length)}: ${allMethods.join(', ')}` }];
}
