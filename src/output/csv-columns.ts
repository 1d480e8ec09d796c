/** The columns that csv output of each kind of list always has, in this order. */
import type { ResultKind } from '../contract/endpoint.js';

const OPERATION = [
  'id',
  'type',
  'country',
  'currency',
  'method',
  'amount',
  'status',
  'pending_reason',
  'code_expires_at',
  'expires_at',
  'bank_reference',
  'confirmed_at',
  'failure.code',
  'failure.reason',
  'failure.message',
  'reference',
  'purpose',
  'concept',
  'created_by',
  'created_at',
  'updated_at',
];

export const CSV_COLUMNS: Readonly<Partial<Record<ResultKind, readonly string[]>>> = {
  methods: [
    'code',
    'name',
    'direction',
    'country',
    'currency',
    'availability',
    'min_amount',
    'max_amount',
    'fields',
    'receiving_account.bank_code',
    'receiving_account.document',
    'receiving_account.holder',
    'receiving_account.account_number',
    'receiving_account.phone',
  ],
  banks: ['code', 'name', 'methods'],
  balances: ['currency', 'available', 'reserved'],
  events: ['id', 'type', 'occurred_at', ...OPERATION.map((name) => `data.${name}`)],
};
