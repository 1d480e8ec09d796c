import type { PlannedRow } from '../../../../src/storage/batches/row.js';
import type { RowState } from '../../../../src/storage/batches/row-state.js';
import type { SeveralRule } from './rules.js';

export interface RowKept {
  readonly planned: Pick<
    PlannedRow,
    'number' | 'line' | 'reference' | 'currency' | 'amount' | 'follows' | 'generation' | 'key'
  > & { readonly body: string; readonly seal: Uint8Array; readonly minor: bigint };
  state: RowState;
  sentAt: number | null;
  sentClocks: string | null;
  leftAt: number | null;
  operation: string | null;
  worker: number | null;
  seq: number | null;
  wave: number;
}

export interface Tables {
  readonly batch: {
    joins: number;
    lastWorker: number;
    wave: number;
    pauseUntilMs: number;
    stopped: object | null;
    timeline: number;
  };
  readonly workers: {
    readonly worker: number;
    readonly mode: 'send';
    readonly name: string;
    readonly token: string;
    seq: number;
    leaseUntilMs: number;
    hasEnded: boolean;
  }[];
  readonly rows: RowKept[];
}

interface Result {
  readonly number: number;
  readonly generation: number;
  readonly mine: boolean;
  readonly before: RowState | null;
  readonly state: RowState;
  readonly sent_at: number | null;
  readonly operation: string | null;
}

const OPEN: readonly RowState[] = ['planned', 'intent', 'unavailable', 'unknown'];

export function claimedBy(
  { batch, workers, rows }: Tables,
  values: readonly unknown[],
  nowMs: number,
  without: SeveralRule | null,
) {
  const [worker, seq, leaseMs, results, , after, count, states, claimedAtMs, takes, numbers] = values as [
    ...[number, number, number, string, number, number, number, readonly RowState[]],
    ...[number | null, boolean, readonly number[]],
  ];
  const only = values[19] as readonly number[] | null;
  const me = workers.find((one) => one.worker === worker && !one.hasEnded);
  const isAlive = me !== undefined && (me.seq === seq - 1 || without === 'seq and home');
  if (isAlive) [me.seq, me.leaseUntilMs] = [seq, nowMs + leaseMs];
  const hasEnded = (other: number | null): boolean =>
    other !== worker && workers.some((one) => one.worker === other && one.hasEnded);
  const isOpen = ({ planned, state }: RowKept): boolean =>
    OPEN.includes(state) &&
    states.includes(state) &&
    !numbers.includes(planned.number) &&
    only?.includes(planned.number) !== false;
  const isFree = (row: RowKept, isBehind: boolean): boolean => {
    if (row.state === 'planned') return true;
    if (row.state === 'intent') return hasEnded(row.worker) || (!isBehind && row.worker === worker);
    return row.wave < batch.wave || (!isBehind && row.worker === worker);
  };
  const open = rows.filter(isOpen);
  const pick = (isBehind: boolean): RowKept[] =>
    takes && isAlive
      ? open
          .filter((row) => row.planned.number <= after === isBehind && isFree(row, isBehind))
          .slice(0, count)
      : [];
  const fresh = pick(false);
  const picked = fresh.length > 0 ? fresh : pick(true);
  const others =
    takes &&
    picked.length === 0 &&
    open.some((row) => row.state === 'planned' || (row.state === 'intent' && row.worker !== worker));
  const recorded = record(rows, JSON.parse(results) as Result[], { worker, hasEnded, without });
  const taken = picked.map((row) => {
    const before = row.state;
    Object.assign(row, { state: 'intent', worker, seq, wave: batch.wave });
    if (row.sentAt === null) row.sentClocks = values[18] as string;
    row.sentAt ??= claimedAtMs;
    row.leftAt ??= nowMs;
    return { row, before };
  });
  return { recorded, isAlive, others, taken };
}

function record(
  rows: readonly RowKept[],
  results: readonly Result[],
  {
    worker,
    hasEnded,
    without,
  }: {
    readonly worker: number;
    readonly hasEnded: (worker: number | null) => boolean;
    readonly without: SeveralRule | null;
  },
): number {
  let recorded = 0;
  for (const result of results) {
    const row = rows[result.number]!;
    const isMine =
      (row.worker === worker && row.state === 'intent' && row.planned.generation === result.generation) ||
      without === 'results of whoever has the row';
    const isAsSeen =
      row.state === (result.before ?? row.state) &&
      (row.state !== 'intent' || row.worker === null || hasEnded(row.worker));
    if (!(result.mine ? isMine : isAsSeen)) continue;
    recorded += 1;
    row.state = result.state;
    row.operation = result.operation;
    row.sentAt = result.sent_at === null ? null : (row.sentAt ?? result.sent_at);
    if (result.sent_at === null) row.leftAt = null;
  }
  return recorded;
}
