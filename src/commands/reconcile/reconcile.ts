/** `svc reconcile`: a ledger or a bank's statement against the service, both ways. */
import { SvcCommand } from '../../cli/command.js';
import { ledgerArgs, reconcileFlags } from './flags.js';
import { reconcileFile } from './reconciling.js';

export default class Reconcile extends SvcCommand {
  static override readonly summary = 'Compare a ledger or a statement with the service.';
  static override readonly description =
    'svc reads the events first. It matches lines and operations by id, reference or bank reference only; direction, currency and amount must be equal unless a flag allows a difference. Nothing is sent.';
  static override readonly examples = [
    'svc reconcile ledger.csv',
    'svc reconcile bank.csv --map reference=Ref,amount=Monto,currency=Moneda --decimal comma --from 2026-09-01 --to 2026-09-30',
    'svc reconcile ledger.csv --tolerance VES:0.01 --report report.html',
    "svc reconcile ledger.csv --json --jq 'select(.class) | .next_command'",
  ];
  static override readonly ownExitCodes = [6, 10, 11, 14, 18];
  static override readonly args = ledgerArgs;
  static override readonly flags = reconcileFlags;

  async run(): Promise<void> {
    const run = await this.line(Reconcile);
    await reconcileFile(run, run.args.file);
  }
}
