/** Ages are counted by the clock of the service and by that of a shared store: where the two disagree, an old row would count as young. Pure. */
import { Failure } from '../../runtime/failure.js';
import type { Worker } from '../store/worker.js';

/** The 23 hours for which a key is trusted have one to spare. */
const APART_MS = 5 * 60_000;

/** Null where they agree, or where only one of them is known. */
export function clocksApart({
  serviceMs = () => null,
  worker = null,
}: {
  readonly serviceMs?: () => number | null;
  readonly worker?: Pick<Worker, 'timeMs'> | null;
}): Failure | null {
  const [service, database] = [serviceMs(), worker?.timeMs ?? null];
  if (service === null || database === null) return null;
  const aheadMs = database - service;
  if (Math.abs(aheadMs) <= APART_MS) return null;
  const text =
    `The clock of the database of the shared state is ${timeText(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the service: ` +
    'how old a row is cannot be told. Nothing leaves until they agree.';
  return new Failure('local_state', text, { code: 'clocks_differ', outcome: 'not_sent' });
}

function timeText(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
}
