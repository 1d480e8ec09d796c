import { PLAIN, type Reader } from '../../src/output/style.js';
import { UTC } from '../../src/runtime/clock.js';

export function readerOf(width: number, known: Partial<Reader> = {}): Reader {
  return { width, style: PLAIN, zone: UTC, nowMs: null, ...known };
}

export const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

export const json = (value: unknown): Uint8Array => bytes(JSON.stringify(value));

export const PAYIN = {
  ...{ id: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', type: 'payin', country: 'VE', currency: 'VES' },
  ...{ method: 'debit_otp', amount: '1500.50', status: 'pending', pending_reason: 'awaiting_code' },
  ...{ code_expires_at: '2026-09-23T15:04:05Z', bank_reference: null, failure: null },
  reference: 'invoice 2026-0917, second reminder, to be paid before the end of the month',
  ...{ metadata: { order: { id: 'A-17', lines: 3 }, note: 'gift' }, concept: 'Cobro TCP6F1C2A' },
  ...{ created_by: 'company', created_at: '2026-09-23T14:59:05Z', updated_at: '2026-09-23T14:59:05Z' },
};

export const FAILED_PAYOUT = {
  ...PAYIN,
  ...{ id: '0c9d1b2e-7f3a-4b8c-9d0e-1f2a3b4c5d6e', type: 'payout', method: 'bank_transfer' },
  ...{ status: 'failed', pending_reason: null },
  code_expires_at: undefined,
  failure: {
    code: 'counterparty_rejected',
    reason: 'invalid_account',
    message: 'The account does not exist.',
  },
  purpose: 'payroll',
  reference: 'salary-09',
};

const FIELDS = [
  { name: 'document.type', required: true, type: 'enum', enum: ['V', 'E', 'J', 'P'] },
  { name: 'document.number', required: true, type: 'string', pattern: '^[0-9]{6,9}$', example: '12345678' },
  { name: 'phone', required: true, type: 'string', example: '04121234567' },
  { name: 'email', required: false, type: 'string' },
];

const METHODS = [
  {
    ...{ code: 'incoming_mobile_payment', name: 'Mobile payment received', country: 'VE' },
    ...{ currency: 'VES', direction: 'payin', availability: 'available', min_amount: '1.00' },
    ...{ max_amount: '250000.00', fields: FIELDS },
    receiving_account: {
      ...{ bank_code: '0102', document: 'J123456789', holder: 'Acme C.A.', phone: '04121234567' },
    },
  },
  {
    ...{ code: 'bank_transfer', name: 'Bank transfer', country: 'VE', currency: 'VES' },
    ...{ direction: 'payout', availability: 'temporarily_unavailable', min_amount: '10.00' },
    ...{ max_amount: null, fields: FIELDS.slice(0, 2) },
  },
] as const;

export const ANSWERS = {
  'payins.get': PAYIN,
  'payouts.get': FAILED_PAYOUT,
  methods: { methods: METHODS },
  banks: {
    banks: [
      { code: '0102', name: 'Banco de Venezuela', methods: ['mobile_payment', 'bank_transfer', 'debit_otp'] },
      { code: '0172', name: 'Bancamiga', methods: ['mobile_payment'] },
    ],
  },
  balances: {
    balances: [
      { currency: 'VES', available: '-1500.50', reserved: '0.00' },
      { currency: 'CLP', available: '98765432109876543210', reserved: '12' },
    ],
  },
  'events.list': {
    events: [
      {
        id: '3f0c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f',
        type: 'payin.confirmed',
        occurred_at: '2026-09-23T15:04:05Z',
        data: {
          ...PAYIN,
          ...{ status: 'confirmed', pending_reason: null, code_expires_at: undefined },
          ...{ bank_reference: '00000042', confirmed_at: '2026-09-23T15:04:05Z' },
        },
      },
      {
        ...{ id: '4f0c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', type: 'payout.failed' },
        ...{ occurred_at: '2026-09-23T15:05:05Z', data: FAILED_PAYOUT },
      },
    ],
    next_cursor: 'c2',
  },
  capabilities: {
    config_version: 42,
    countries: [
      {
        ...{ code: 'VE', name: 'Venezuela', currencies: [{ code: 'VES', decimals: 2 }] },
        ...{ payin_methods: METHODS.slice(0, 1), payout_methods: METHODS.slice(1) },
      },
    ],
  },
  'webhooks.register': {
    id: '5f0c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f',
    url: 'https://shop.example/hooks/payments',
    secret: 'whsec_0123456789abcdef0123456789abcdef',
    created_at: '2026-09-23T15:04:05Z',
    active: true,
  },
} as const;
