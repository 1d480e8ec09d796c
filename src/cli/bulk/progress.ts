/** Tells on standard error how far a batch is: a bar on a terminal, a line every five seconds elsewhere. */
import {
  addMoney,
  progressLine,
  type BatchProgress,
  type RowEnd,
  ProgressOfAll,
} from '../../bulk/progress.js';
import type { Style } from '../../output/style.js';
import { type Clock, systemClock, systemTicker, type Ticker } from '../../runtime/clock.js';
import type { Ports } from '../../runtime/ports.js';
import { mayRepaint, styleForErrors } from '../line/interaction.js';
import type { Batch } from '../../bulk/store/batch.js';
import type { ClaimedRow, TallyEntry } from '../../bulk/store/row.js';
import type { SendingFlags } from './flags.js';

const LINE_MS = 5000;
/** The whole batch is counted for it. */
const LOOK_MS = 2000;
const BAR_MS = 200;
const GAP = '  ';

export interface ProgressReport {
  readonly onRow: (row: Pick<ClaimedRow, 'currency' | 'amount'>, end: RowEnd) => void;
  readonly end: () => Promise<void>;
}

/**
 * @param rows how many are to be sent, or waited for
 * @param look how the batch stands now, where others work at it too; null where nobody does
 */
export async function reportProgress(
  ports: Ports,
  flags: Pick<SendingFlags, 'quiet' | 'no-color'>,
  batch: Batch,
  {
    rows,
    waits,
    look = null,
  }: {
    readonly rows: number;
    readonly waits: boolean;
    readonly look?: (() => Promise<readonly TallyEntry[]>) | null;
  },
): Promise<ProgressReport> {
  const { clock, errors } = ports;
  if (flags.quiet) return { onRow: () => undefined, end: () => Promise.resolve() };
  const isBar = mayRepaint(ports);
  const style = await styleForErrors(ports, flags);
  const startedMs = clock.monotonic();
  const all = look === null ? null : new ProgressOfAll(batch, await look());
  const progress: BatchProgress = all ?? { rows, done: 0, before: 0, own: 0, problems: 0, money: new Map() };
  let isShown = false;
  const write = (): void => {
    const elapsedMs = clock.monotonic() - startedMs;
    const columns = isBar ? errors.columns : null;
    const line = progressLine(progress, batch.currencies, elapsedMs, { columns, waits });
    isShown = true;
    const plain = line.parts.map(({ text }) => text).join(GAP);
    void errors.write(isBar ? `\r${barText(line, style)}\u001b[K` : `${plain}\n`);
  };
  // A clock that a test turns by hand does not tick.
  const tick: Ticker = clock === systemClock ? systemTicker : () => () => undefined;
  const seen = look === null || all === null ? null : lookNowAndThen(clock, look, all);
  const stop = tick(isBar ? BAR_MS : LINE_MS, () => {
    if (seen === null) write();
    else void seen().finally(write);
  });
  return {
    onRow: (row, end) => (all === null ? addMoney(progress, batch.currencies, row, end) : all.add(row, end)),
    end: async () => {
      stop();
      if (!isBar || !isShown) return;
      await seen?.(true);
      write();
      await errors.write('\n');
    },
  };
}

/** Looks at most so often that nobody is held up, one look at a time; what cannot be seen now is seen later. */
function lookNowAndThen(
  clock: Clock,
  look: () => Promise<readonly TallyEntry[]>,
  all: ProgressOfAll,
): (isLast?: boolean) => Promise<void> {
  let nextMs = clock.monotonic() + LOOK_MS;
  return async (isLast = false) => {
    if (!isLast && clock.monotonic() < nextMs) return;
    nextMs = Infinity;
    await look().then(
      (tally) => all.see(tally),
      () => undefined,
    );
    nextMs = clock.monotonic() + LOOK_MS;
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
