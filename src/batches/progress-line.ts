import { addMoney, progressLine, type BatchProgress, type RowEnd, ProgressOfAll } from './progress.js';
import type { Style } from '../output/style.js';
import { type Clock, systemClock, systemTicker, type Ticker } from '../runtime/clock.js';
import type { Ports } from '../runtime/ports.js';
import { mayRepaint, styleForErrors } from '../command/line/terminal.js';
import type { Batch } from '../storage/batches/batch.js';
import type { ClaimedRow, TallyEntry } from '../storage/batches/row.js';
import type { SendingFlags } from './flags.js';

const LINE_EVERY_MS = 5000;
const COUNT_EVERY_MS = 2000;
const BAR_EVERY_MS = 200;
const GAP = '  ';

export interface ProgressReport {
  readonly onRow: (row: Pick<ClaimedRow, 'currency' | 'amount'>, end: RowEnd) => void;
  readonly end: () => Promise<void>;
}

/** @param countAll counts all rows of the batch by state, or null if only this machine works at the batch */
export async function reportProgress(
  ports: Ports,
  flags: Pick<SendingFlags, 'quiet' | 'no-color'>,
  batch: Batch,
  rows: number,
  waits: boolean,
  countAll: (() => Promise<readonly TallyEntry[]>) | null = null,
): Promise<ProgressReport> {
  const { clock, errors } = ports;
  if (flags.quiet) return { onRow: () => undefined, end: () => Promise.resolve() };
  const isBar = mayRepaint(ports);
  const style = await styleForErrors(ports, flags);
  const startedMs = clock.monotonic();
  const totalProgress = countAll === null ? null : new ProgressOfAll(batch, await countAll());
  const noProgress = { done: 0, before: 0, own: 0, problems: 0 };
  const progress: BatchProgress = totalProgress ?? { rows, ...noProgress, money: new Map() };
  let isShown = false;
  const write = (): void => {
    const elapsedMs = clock.monotonic() - startedMs;
    const columns = isBar ? errors.columns : null;
    const line = progressLine(progress, batch.currencies, elapsedMs, { columns, waits });
    isShown = true;
    const plainLine = line.parts.map(({ text }) => text).join(GAP);
    void errors.write(isBar ? `\r${barText(line, style)}\u001b[K` : `${plainLine}\n`);
  };
  // A test's clock has no timers.
  const tick: Ticker = clock === systemClock ? systemTicker : () => () => undefined;
  const recount =
    countAll === null || totalProgress === null ? null : countOccasionally(clock, countAll, totalProgress);
  const stop = tick(isBar ? BAR_EVERY_MS : LINE_EVERY_MS, () => {
    if (recount === null) write();
    else void recount().finally(write);
  });
  return {
    onRow: (row, end) =>
      totalProgress === null ? addMoney(progress, batch.currencies, row, end) : totalProgress.add(row, end),
    end: async () => {
      stop();
      if (!isBar || !isShown) return;
      await recount?.(true);
      write();
      await errors.write('\n');
    },
  };
}

/** A count that fails is ignored, because the next count corrects it. */
function countOccasionally(
  clock: Clock,
  countAll: () => Promise<readonly TallyEntry[]>,
  totalProgress: ProgressOfAll,
): (isLast?: boolean) => Promise<void> {
  let nextMs = clock.monotonic() + COUNT_EVERY_MS;
  return async (isLast = false) => {
    if (!isLast && clock.monotonic() < nextMs) return;
    nextMs = Infinity;
    await countAll().then(
      (tally) => totalProgress.setCounts(tally),
      () => undefined,
    );
    nextMs = clock.monotonic() + COUNT_EVERY_MS;
  };
}

function barText({ bar, parts }: ReturnType<typeof progressLine>, style: Style): string {
  const [done, open] = style.bar;
  const cells =
    bar === null ? [] : [style.good(done.repeat(bar.done)) + style.faint(open.repeat(bar.cells - bar.done))];
  const words = parts.map(({ name, text }) => {
    if (name === 'rows' || name === 'money') return style.strong(text);
    if (name === 'problems') return style.bad(`${style.marks.bad} ${text}`);
    return name === 'share' ? text : style.faint(text);
  });
  return [...cells, ...words].join(GAP);
}
