/** Kuwait in the sandbox: KWD with three decimals, and no cap on what is sent. */
import { choiceField, country, name, textField } from './country.js';

const document = [
  choiceField('document.type', 'CIVIL_ID', 'PASSPORT'),
  textField('document.number', '^[0-9]{8,12}$', '290010112345'),
];
const bank = textField('bank_code', '^[A-Z]{4}$', 'NBOK');
const account = textField(
  'account_number',
  '^KW[0-9]{2}[A-Z]{4}[0-9A-Z]{22}$',
  'KW81CBKU0000000000001234560101',
);

export const kuwait = country({
  code: 'KW',
  name: 'Kuwait',
  currencies: [{ code: 'KWD', decimals: 3 }],
  offers: [
    {
      code: 'direct_debit',
      name: 'Direct debit',
      currency: 'KWD',
      min: '0.250',
      max: '1500.000',
      fields: [...document, bank, account, name],
    },
    {
      code: 'incoming_transfer',
      name: 'Incoming transfer',
      currency: 'KWD',
      min: '0.250',
      max: '3000.000',
      fields: [...document, bank],
      receivingAccount: {
        bank_code: 'NBOK',
        document: '290010112345',
        holder: 'SANDBOX COLLECTIONS W.L.L.',
        account_number: '00001234567890123456',
      },
    },
    {
      code: 'bank_transfer',
      name: 'Bank transfer',
      currency: 'KWD',
      min: '0.250',
      max: null,
      fields: [...document, bank, account, name],
    },
  ],
  banks: [
    {
      code: 'NBOK',
      name: 'National Bank of Kuwait',
      methods: ['direct_debit', 'incoming_transfer', 'bank_transfer'],
    },
    {
      code: 'CBKU',
      name: 'Commercial Bank of Kuwait',
      methods: ['direct_debit', 'incoming_transfer', 'bank_transfer'],
    },
    { code: 'GULB', name: 'Gulf Bank', methods: ['incoming_transfer', 'bank_transfer'] },
  ],
});
