/** The first page of help: what people do first. */

/** What they want, and what they type. */
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
