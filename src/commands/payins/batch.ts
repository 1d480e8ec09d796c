/** `svc payins batch`: collects from everybody in a file, by methods that need no person in the middle. */
import { SvcCommand } from '../../cli/command.js';
import { bulkFlags, fileArgs, sendingExitCodes } from '../../cli/bulk/flags.js';
import { runFileOrTemplate } from '../../cli/bulk/template.js';
import { allRowsFlags, methodFlag } from '../../cli/line/body-flags.js';
import { grouped } from '../../cli/line/flags.js';

export default class PayinsBatch extends SvcCommand {
  static override readonly summary = 'Collect from everyone in a file; safe to stop and to run again.';
  static override readonly examples = [
    'svc payins batch fees.csv --batch fees-2026-09',
    'svc payins batch fees.csv --country VE --currency VES --method direct_debit --wait',
  ];
  static override readonly ownExitCodes = [...sendingExitCodes, 14];
  static override readonly namesGlobal = ['live'] as const;
  static override readonly args = fileArgs;
  static override readonly flags = {
    ...bulkFlags,
    ...grouped('WHAT IS PAID', {
      method: methodFlag('payin', 'Method of rows without one: '),
      ...allRowsFlags('payin'),
    }),
  };

  async run(): Promise<void> {
    const run = await this.line(PayinsBatch);
    await runFileOrTemplate(run, 'payin', run.args.file);
  }
}
