/** Where in its life a machine is killed, reached from outside: by what the line to the database sees, or the service. */
import type { Payroll } from './machines.js';
import type { Line } from '../../support/line.js';

export const MACHINE_POINTS = [
  'at JOIN',
  'at REAP',
  'taken, not sent',
  'sent, not paid',
  'paid, not answered',
  'answered, not recorded',
] as const;
export type MachinePoint = (typeof MACHINE_POINTS)[number];

/** What only that statement says. */
const STATEMENT = {
  'at JOIN': 'joins = joins + 1',
  'at REAP': 'SET fenced_at',
  'taken, not sent': 'jsonb_to_recordset',
} as const;

/** Resolves when the machine behind the wire is there, and stays there. @param skip how many posts pass first */
export function reachPoint(
  point: MachinePoint,
  { ledger }: Payroll,
  wire: Line,
  skip: number,
): Promise<void> {
  if (point === 'at JOIN' || point === 'at REAP' || point === 'taken, not sent')
    return wire.hold(STATEMENT[point]);
  let passed = 0;
  return new Promise((resolve) => {
    ledger.onPost = () => {
      passed += 1;
      if (passed <= skip) return 'paid';
      setImmediate(resolve);
      if (point === 'sent, not paid') return 'never';
      return point === 'paid, not answered' ? 'paid, never answered' : 'paid';
    };
  });
}
