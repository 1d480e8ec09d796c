/** What each topic is about, in one line, and what people do first. */
import type { Topic } from '../../contract/endpoints.js';

/** A new topic of the table does not compile until it is here. */
export const TOPICS: Readonly<Record<string, string>> = {
  payins: 'Collect money from a person',
  payouts: 'Send money to a person',
  batches: 'Many operations from a file: how they stand, going on, starting anew',
  transactions: 'Any operation, pay-in or payout',
  events: 'What happened, in order',
  webhooks: 'Deliveries of events to your own url',
  profiles: 'Addresses and keys, kept under a name',
  requests: 'Creates whose outcome is not known: look, repeat, forget',
  sandbox: 'The embedded sandbox: a double of the whole service',
} satisfies Record<Topic | 'batches' | 'profiles' | 'requests' | 'sandbox', string>;

/** The five things people do first: what they want, and what they type. */
export const FIRST_STEPS: readonly (readonly [want: string, type: string])[] = [
  ['Collect money', 'svc payins create --method debit_otp --interactive'],
  ['Confirm it with the code', 'svc payins confirm ID'],
  [
    'Send money',
    'svc payouts create --method mobile_payment --country VE --currency VES --amount 10.00 --beneficiary document.type=V ' +
      '--beneficiary document.number=12345678 --beneficiary bank_code=0102 --beneficiary account_number=04121234567',
  ],
  ['See what happened', 'svc events list --all'],
  ['Use your own account', 'svc profiles add NAME --base-url URL'],
];
