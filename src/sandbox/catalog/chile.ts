/** Chile in the sandbox: CLP without decimals beside USD, a method that is down for the moment and one switched off. */
import { choiceField, country, name, textField } from './country.js';

const document = [
  choiceField('document.type', 'RUT', 'PASSPORT'),
  textField('document.number', '^[0-9]{7,8}[0-9Kk]?$', '12345678K'),
];
const bank = textField('bank_code', '^[0-9]{3}$', '012');
const account = textField('account_number', '^[0-9]{5,20}$', '00012345678');
const phone = textField('phone', '^[+]569[0-9]{8}$', '+56912345678');

export const chile = country({
  code: 'CL',
  name: 'Chile',
  currencies: [
    { code: 'CLP', decimals: 0 },
    { code: 'USD', decimals: 2 },
  ],
  offers: [
    {
      code: 'debit_otp',
      name: 'Debit with a one-time code',
      currency: 'CLP',
      min: '100',
      max: '5000000',
      fields: [...document, bank, phone],
      availability: 'temporarily_unavailable',
    },
    {
      code: 'direct_debit',
      name: 'Direct debit',
      currency: 'CLP',
      min: '100',
      max: '5000000',
      fields: [...document, bank, account],
    },
    {
      code: 'incoming_transfer',
      name: 'Incoming transfer',
      currency: 'CLP',
      min: '100',
      max: '7000000',
      fields: [...document, bank],
      receivingAccount: {
        bank_code: '037',
        document: '760123456',
        holder: 'Servicios de Cobro Sandbox SpA',
        account_number: '00370000000012345678',
      },
    },
    {
      code: 'bank_transfer',
      name: 'Bank transfer',
      currency: 'CLP',
      min: '100',
      max: '7000000',
      fields: [...document, bank, account, name],
    },
    {
      code: 'bank_transfer',
      name: 'Bank transfer in dollars',
      currency: 'USD',
      min: '10.00',
      max: null,
      fields: [...document, bank, account, name],
    },
    {
      code: 'mobile_payment',
      name: 'Mobile payment',
      currency: 'CLP',
      min: '100',
      max: '500000',
      fields: [...document, bank, textField('account_number', '^[+]569[0-9]{8}$', '+56912345678'), name],
      availability: 'disabled',
    },
  ],
  banks: [
    { code: '001', name: 'Banco de Chile', methods: ['direct_debit', 'incoming_transfer', 'bank_transfer'] },
    { code: '012', name: 'BancoEstado', methods: ['direct_debit', 'incoming_transfer', 'bank_transfer'] },
    { code: '037', name: 'Banco Santander', methods: ['direct_debit', 'incoming_transfer', 'bank_transfer'] },
    { code: '053', name: 'Banco Ripley', methods: ['incoming_transfer', 'bank_transfer'] },
  ],
});
