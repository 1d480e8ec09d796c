/** `svc payins batch`: collects from everybody in a file, by methods that need no person in the middle. */
import { SvcCommand } from '../../cli/command.js';
import { bulkFlags, fileArgs, sendingExitCodes } from '../../cli/bulk/flags.js';
import { runFile } from '../../cli/bulk/run.js';
import { allRowsFlags } from '../../cli/line/body-flags.js';

export default class PayinsBatch extends SvcCommand {
  static override readonly summary =
    'Collect from everybody in a CSV or NDJSON file, by direct_debit or an incoming method.';
  static override readonly examples = [
    'svc payins batch fees.csv --batch fees-2026-09',
    'svc payins batch fees.csv --country VE --currency VES --method direct_debit --wait',
  ];
  static override readonly ownExitCodes = [...sendingExitCodes, 14];
  static override readonly args = fileArgs;
  static override readonly flags = { ...bulkFlags, ...allRowsFlags('payin') };

  async run(): Promise<void> {
    const run = await this.line(PayinsBatch);
    await runFile(run, 'payin', run.args.file);
  }
}
