/** What is wrong with the outcome of a simulation, as lines; empty where every row was paid once or not at all, and the books say so. */
import type { Outcome } from './simulation.js';

const SAFE_MS = 23 * 3_600_000;

export function faultsOf({ rows, ledger, pausedMs, decided }: Outcome): string[] {
  const faults: string[] = [];
  if (decided > 0 && pausedMs < SAFE_MS - 3_600_000) faults.push('a person was needed, and nothing is old');
  for (const row of rows) {
    const carriedOut = ledger.filter(({ reference }) => reference === row.reference);
    const paid = carriedOut.filter(({ status }) => status !== 'failed');
    const payment = paid[0] ?? carriedOut.at(-1);
    if (paid.length > 1) faults.push(`${row.reference} was carried out ${paid.length} times`);
    if (payment !== undefined && payment.amount !== row.amount)
      faults.push(`${row.reference} was paid another amount`);
    const isRejected = row.reference.endsWith('3');
    if (isRejected !== (row.state === 'rejected')) {
      faults.push(`${row.reference} is ${row.state}`);
    }
    const states = { confirmed: 'confirmed', failed: 'failed', pending: 'accepted' } as const;
    if (row.state === 'needs_review') {
      faults.push(`${row.reference} still waits for a person`);
    } else if (!isRejected && payment === undefined) {
      faults.push(`${row.reference} is ${row.state} and was lost`);
    } else if (payment !== undefined && states[payment.status] !== row.state) {
      faults.push(`${row.reference} is ${row.state}, and its payment ${payment.status}`);
    } else if (payment !== undefined && row.operation !== payment.id) {
      faults.push(`${row.reference} names another operation`);
    }
  }
  for (const { reference } of ledger)
    if (!rows.some((row) => row.reference === reference)) faults.push(`${reference} is nobody's`);
  return faults;
}
