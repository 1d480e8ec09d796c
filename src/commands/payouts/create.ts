/** `svc payouts create`: sends money to a person. */
import { createOperation } from '../../cli/creation.js';
import { SvcCommand } from '../../cli/command.js';
import { payoutFlags } from '../../cli/line/body-flags.js';

export default class PayoutsCreate extends SvcCommand {
  static override readonly endpoint = 'payouts.create';
  static override readonly summary = 'Send money to a person.';
  static override readonly examples = [
    'svc payouts create --method mobile_payment --country VE --currency VES --amount 10.00 ' +
      '--beneficiary document.type=V --beneficiary document.number=12345678 --beneficiary bank_code=0102 ' +
      '--beneficiary account_number=04121234567',
    'svc payouts create --method mobile_payment --interactive',
    'svc payouts create --data @payout.json --idempotency-key invoice-2048',
  ];
  static override readonly needs = ['method', 'amount', 'beneficiary'];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = {};
  static override readonly flags = payoutFlags;

  async run(): Promise<void> {
    await createOperation(await this.line(PayoutsCreate));
  }
}
