/** Venezuela in the sandbox: VES with two decimals, all six methods available. */
import { METHOD_CODES } from '../../contract/operation.js';
import { choiceField, country, email, name, optionalField, textField } from './country.js';

const document = [
  choiceField('document.type', 'V', 'E', 'J', 'P'),
  textField('document.number', '^[0-9]{5,12}$', '12345678'),
];
const bank = textField('bank_code', '^[0-9]{4}$', '0102');
const PHONE = '^04[0-9]{9}$';
const phone = textField('phone', PHONE, '04121234567');
const account = textField('account_number', '^[0-9]{20}$', '01020123456789012345');
const holder = { bank_code: '0134', document: 'J501234567', holder: 'SERVICIOS DE COBRO SANDBOX, C.A.' };

export const venezuela = country({
  code: 'VE',
  name: 'Venezuela',
  currencies: [{ code: 'VES', decimals: 2 }],
  offers: [
    {
      code: 'debit_otp',
      name: 'Debit with a one-time code',
      currency: 'VES',
      min: '1.00',
      max: '500000.00',
      fields: [...document, bank, phone, name, email],
    },
    {
      code: 'direct_debit',
      name: 'Direct debit',
      currency: 'VES',
      min: '1.00',
      max: '1000000.00',
      fields: [
        ...document,
        bank,
        textField('account_number', '^([0-9]{20}|04[0-9]{9})$', '01020123456789012345'),
        optionalField(choiceField('account_type', 'account', 'mobile')),
        name,
      ],
    },
    {
      code: 'incoming_mobile_payment',
      name: 'Incoming mobile payment',
      currency: 'VES',
      min: '1.00',
      max: '500000.00',
      fields: [...document, bank, phone],
      receivingAccount: { ...holder, phone: '04141234567' },
    },
    {
      code: 'incoming_transfer',
      name: 'Incoming transfer',
      currency: 'VES',
      min: '1.00',
      max: '10000000.00',
      fields: [...document, bank],
      receivingAccount: { ...holder, account_number: '01340123456789012345' },
    },
    {
      code: 'mobile_payment',
      name: 'Mobile payment',
      currency: 'VES',
      min: '1.00',
      max: '500000.00',
      // The phone is the account of a mobile payment: `beneficiary` has no field of its own for it.
      fields: [...document, bank, textField('account_number', PHONE, '04121234567'), name],
    },
    {
      code: 'bank_transfer',
      name: 'Bank transfer',
      currency: 'VES',
      min: '1.00',
      max: '10000000.00',
      fields: [...document, bank, account, name],
    },
  ],
  banks: [
    { code: '0102', name: 'Banco de Venezuela', methods: METHOD_CODES },
    { code: '0105', name: 'Banco Mercantil', methods: METHOD_CODES },
    { code: '0108', name: 'BBVA Provincial', methods: METHOD_CODES },
    { code: '0114', name: 'Bancaribe', methods: METHOD_CODES },
    { code: '0134', name: 'Banesco', methods: METHOD_CODES },
    { code: '0172', name: 'Bancamiga', methods: METHOD_CODES },
    { code: '0191', name: 'Banco Nacional de Crédito', methods: METHOD_CODES },
    {
      code: '0175',
      name: 'Banco Digital de los Trabajadores',
      methods: ['incoming_mobile_payment', 'incoming_transfer', 'mobile_payment', 'bank_transfer'],
    },
    { code: '0146', name: 'Bangente', methods: ['incoming_transfer', 'bank_transfer'] },
  ],
});
