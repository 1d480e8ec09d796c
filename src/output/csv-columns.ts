/** The columns that csv output of each kind of list always has, in this order. */
import { ECHOED } from '../contract/bodies.js';
import type { ResultKind } from '../contract/endpoint.js';
import { OPERATION_MEMBERS } from '../contract/operation-members.js';

/** What has no label, such as metadata, has the columns that its members need. */
const UNLABELLED = ECHOED.filter(([, { label }]) => label === null).map(([name]): string => name);
const OPERATION = OPERATION_MEMBERS.filter((name) => !UNLABELLED.includes(name)).flatMap((name) =>
  name === 'failure' ? ['failure.code', 'failure.reason', 'failure.message'] : [name],
);

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
