/** Tells on standard error how far a batch is: a bar on a terminal, a line every five seconds elsewhere. */
import { addMoney, progressText, type Progress } from '../../bulk/progress.js';
import { systemTicker, type Ticker } from '../../runtime/ticker.js';
import { systemClock } from '../../runtime/clock.js';
import type { Ports } from '../../runtime/ports.js';
import type { Batch, ClaimedRow } from '../../bulk/store/batch-store.js';
import type { Verdict } from '../../bulk/run/verdict.js';

const LINE_MS = 5000;
const BAR_MS = 200;

export interface ProgressReport {
  readonly onRow: (row: ClaimedRow, verdict: Verdict) => void;
  /** Ends the bar. */
  readonly end: () => Promise<void>;
}

/** @param rows how many are to be sent */
export function reportProgress(ports: Ports, isQuiet: boolean, batch: Batch, rows: number): ProgressReport {
  const { clock, errors } = ports;
  if (isQuiet) return { onRow: () => undefined, end: () => Promise.resolve() };
  const startedMs = clock.monotonic();
  const progress: Progress = { rows, done: 0, problems: 0, money: new Map() };
  let isShown = false;
  const write = (): void => {
    const text = progressText(
      progress,
      batch.currencies,
      clock.monotonic() - startedMs,
      errors.isTTY ? errors.columns : null,
    );
    isShown = true;
    void errors.write(errors.isTTY ? `\r${text}\u001b[K` : `${text}\n`);
  };
  // A clock that a test turns by hand does not tick.
  const tick: Ticker = clock === systemClock ? systemTicker : () => () => undefined;
  const stop = tick(errors.isTTY ? BAR_MS : LINE_MS, write);
  return {
    onRow: (row, verdict) => addMoney(progress, batch.currencies, row, verdict.state),
    end: async () => {
      stop();
      if (!errors.isTTY || !isShown) return;
      write();
      await errors.write('\n');
    },
  };
}
