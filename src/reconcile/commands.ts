import { command } from '../command/command.js';
import { ledgerArgs, reconcileFlags } from './flags.js';

export const RECONCILE = command({
  summary: 'Compare a ledger or a statement with the service.',
  prints: { lines: ['ReconciliationFinding', 'ReconciliationSummary'] },
  description:
    'svc reads the events first. It matches lines and operations by id, reference or bank reference only; direction, currency and amount must be equal unless a flag allows a difference. Nothing is sent.',
  examples: [
    'svc reconcile ledger.csv',
    'svc reconcile bank.csv --map reference=Ref,amount=Monto,currency=Moneda --decimal comma --from 2026-09-01 --to 2026-09-30',
    'svc reconcile ledger.csv --tolerance VES:0.01 --report report.html',
    "svc reconcile ledger.csv --json --jq 'select(.class) | .next_command'",
  ],
  exits: [6, 10, 11, 14, 18],
  args: ledgerArgs,
  flags: reconcileFlags,
  run: async (run) => (await import('./reconcile.js')).reconcileFile(run, run.args.file),
});
