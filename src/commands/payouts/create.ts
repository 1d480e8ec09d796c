/** `svc payouts create`: sends money to a person. */
import type { Parsed } from '../../cli/command.js';
import { assignment, pathAssignments, type Assignment } from '../../cli/line/body.js';
import { CreateCommand } from '../../cli/create-command.js';
import { payoutFlags } from '../../cli/line/flags.js';

export default class PayoutsCreate extends CreateCommand {
  static override readonly endpoint = 'payouts.create';
  static override readonly summary = 'Create a payout: send money to a person.';
  static override readonly examples = [
    'svc payouts create --method mobile_payment --country VE --currency VES --amount 10.00 ' +
      '--beneficiary document.type=V --beneficiary document.number=12345678 --beneficiary bank_code=0102 ' +
      '--beneficiary account_number=04121234567',
    'svc payouts create --method mobile_payment --interactive',
    'svc payouts create --data @payout.json --idempotency-key invoice-2048',
  ];
  static override readonly args = {};
  static override readonly flags = payoutFlags;

  protected override assignments({ flags }: Parsed<typeof PayoutsCreate>): Assignment[] {
    return [
      ...pathAssignments('--beneficiary', ['beneficiary'], flags.beneficiary),
      ...assignment('--purpose', 'purpose', flags.purpose),
    ];
  }
}
