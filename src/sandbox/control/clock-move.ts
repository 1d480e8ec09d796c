import { counted, groupDigits } from '../../contract/on-screen.js';

/** What a move of the clock did. A member that would be 0 is absent. */
export interface ClockMove {
  readonly expired_payins?: number;
  readonly settled_operations?: number;
  readonly due_deliveries?: number;
}

/** Without a server, deliveries are due and nobody tries them. */
export function clockMoveText(move: ClockMove, isServed: boolean): string | null {
  const counts = [
    [move.expired_payins, 'pay-in', 'expired'],
    [move.settled_operations, 'operation', 'settled'],
    [move.due_deliveries, 'delivery', isServed ? 'tried' : 'due'],
  ] as const;
  const parts = counts.flatMap(([count = 0, noun, verb]) =>
    count > 0 ? [`${groupDigits(counted(count, noun))} ${verb}`] : [],
  );
  return parts.length === 0 ? null : parts.join(', ');
}
