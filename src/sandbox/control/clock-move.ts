import { counted, groupDigits } from '../../contract/on-screen.js';

/** What a move of the clock did. A member that would be 0 is absent. */
export interface ClockMove {
  readonly expired_payins?: number;
  readonly settled_operations?: number;
  readonly due_deliveries?: number;
}

/** Without a server, deliveries are due and nobody tries them. */
export function clockMoveText(move: ClockMove, isServed: boolean): string | null {
  const { expired_payins: expired = 0, settled_operations: settled = 0, due_deliveries: due = 0 } = move;
  const counts = [
    [expired, 'pay-in', 'expired'],
    [settled, 'operation', 'settled'],
    [due, 'delivery', isServed ? 'tried' : 'due'],
  ] as const;
  const parts = counts
    .filter(([count]) => count > 0)
    .map(([count, noun, verb]) => `${groupDigits(counted(count, noun))} ${verb}`);
  return parts.length === 0 ? null : parts.join(', ');
}
