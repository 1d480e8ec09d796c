/** `svc payouts batch`: pays everybody in a file. */
import { SvcCommand } from '../../cli/command.js';
import { bulkFlags, fileArgs, sendingExitCodes } from '../../cli/bulk/flags.js';
import { runFileOrTemplate } from '../../cli/bulk/template.js';
import { allRowsFlags, methodFlag } from '../../cli/line/body-flags.js';
import { grouped } from '../../cli/line/flags.js';

export default class PayoutsBatch extends SvcCommand {
  static override readonly summary = 'Pay everyone in a file; safe to stop and to run again.';
  static override readonly examples = [
    'svc payouts batch payroll.csv --batch payroll-2026-09',
    'svc payouts batch payroll.csv --country VE --currency VES --method mobile_payment --dry-run',
    'svc payouts batch --template --method bank_transfer > payroll.csv',
  ];
  static override readonly ownExitCodes = [...sendingExitCodes, 14];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = fileArgs;
  static override readonly flags = {
    ...bulkFlags,
    ...grouped('WHAT IS PAID', {
      method: methodFlag('payout', 'Method of rows without one: '),
      ...allRowsFlags('payout'),
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(PayoutsBatch);
    await runFileOrTemplate(run, 'payout', run.args.file);
  }
}
