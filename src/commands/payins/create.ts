/** `svc payins create`: collects money from a person. */
import { numberAssignment, pathAssignments } from '../../cli/line/body.js';
import { createOperation } from '../../cli/creation.js';
import { SvcCommand } from '../../cli/command.js';
import { payinFlags } from '../../cli/line/flags.js';

export default class PayinsCreate extends SvcCommand {
  static override readonly endpoint = 'payins.create';
  static override readonly summary = 'Create a pay-in: collect money from a person.';
  static override readonly examples = [
    'svc payins create --method debit_otp --country VE --currency VES --amount 10.00 --payer document.type=V ' +
      '--payer document.number=12345678 --payer bank_code=0102 --payer phone=04121234567',
    'svc payins create --method debit_otp --interactive',
    'svc payins create --data @payin.json --wait',
  ];
  static override readonly args = {};
  static override readonly flags = payinFlags;

  async run(): Promise<void> {
    const run = await this.line(PayinsCreate);
    const { flags } = run;
    await createOperation(run, () => [
      ...pathAssignments('--payer', ['payer'], flags.payer),
      ...pathAssignments('--mandate', ['mandate'], flags.mandate),
      ...numberAssignment('--expires-in-hours', 'expires_in_hours', flags['expires-in-hours']),
    ]);
  }
}
