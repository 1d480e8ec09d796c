/** `svc payins create`: collects money from a person. */
import { createOperation } from '../../cli/creation.js';
import { SvcCommand } from '../../cli/command.js';
import { payinFlags } from '../../cli/line/body-flags.js';

export default class PayinsCreate extends SvcCommand {
  static override readonly endpoint = 'payins.create';
  static override readonly summary = 'Collect money from a person.';
  static override readonly examples = [
    'svc payins create --method debit_otp --country VE --currency VES --amount 10.00 --payer document.type=V ' +
      '--payer document.number=12345678 --payer bank_code=0102 --payer phone=04121234567',
    'svc payins create --method debit_otp --interactive',
    'svc payins create --data @payin.json --wait',
  ];
  static override readonly needs = ['method', 'amount', 'payer'];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = {};
  static override readonly flags = payinFlags;

  async run(): Promise<void> {
    await createOperation(await this.line(PayinsCreate));
  }
}
