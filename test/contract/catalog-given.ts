import type { Capabilities, FieldDescriptor, MethodEntry } from '../../src/contract/catalog.js';
import type { Method } from '../../src/contract/operation.js';

export const FIELDS: readonly FieldDescriptor[] = [
  { name: 'document.type', required: true, type: 'enum', enum: ['V', 'E'] },
  { name: 'document.number', required: true, type: 'string', pattern: '^[0-9]{8}$', example: '12345678' },
  { name: 'bank_code', required: true, type: 'string', pattern: '^[0-9]{4}$', example: '0102' },
  { name: 'name', required: false, type: 'string', example: 'Ana' },
];

export function entry(code: string, changes: Partial<MethodEntry> = {}): MethodEntry {
  return {
    ...{ availability: 'available', code: code as Method, country: 'VE', currency: 'VES' },
    ...{ direction: 'payin', fields: FIELDS, min_amount: '1.00', max_amount: '1000.00', name: code },
    ...changes,
  };
}

export const CATALOG: Capabilities = {
  config_version: 7,
  countries: [
    {
      code: 'VE',
      name: 'Venezuela',
      currencies: [
        { code: 'VES', decimals: 2 },
        { code: 'USD', decimals: 2 },
      ],
      payin_methods: [
        entry('debit_otp'),
        entry('direct_debit', { availability: 'disabled' }),
        entry('incoming_transfer'),
        entry('incoming_mobile_payment', { availability: 'temporarily_unavailable' }),
        entry('wallet_of_tomorrow', {
          fields: [...FIELDS, { name: 'wallet', required: true, type: 'string' }],
        }),
      ],
      payout_methods: [entry('bank_transfer', { direction: 'payout', max_amount: null })],
    },
  ],
};

export const PAYER = { document: { type: 'V', number: '12345678' }, bank_code: '0102' };

export const PAYIN: Readonly<Record<string, unknown>> = {
  ...{ amount: '10.00', country: 'VE', currency: 'VES', method: 'debit_otp', payer: PAYER },
};

export const PAYOUT: Readonly<Record<string, unknown>> = {
  ...{ amount: '10.00', country: 'VE', currency: 'VES', method: 'bank_transfer', beneficiary: PAYER },
};
