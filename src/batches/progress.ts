import { fromMinor, toMinor } from '../contract/money.js';
import { COUNT_OF, SKIPPED_AS_PAID, isOneOf, SENDABLE } from '../storage/batches/row-state.js';
import type { Batch } from '../storage/batches/batch-store.js';
import { sumOf } from '../storage/batches/tally.js';
import type { ClaimedRow, RowStatus, TallyEntry } from '../storage/batches/row.js';
import type { Style } from '../output/style.js';
import { type Clock, systemClock, systemTicker, type Ticker } from '../runtime/clock.js';
import type { Ports } from '../runtime/ports.js';
import { lineReplacer, mayRepaint, styleForErrors } from '../command/line/terminal.js';
import type { SendingFlags } from './flags.js';

type RowMoney = Pick<ClaimedRow, 'currency' | 'amount'>;
type RowEnd = Pick<RowStatus, 'state' | 'code'>;

export class BatchProgress {
  readonly rows: number;
  readonly doneBefore: number;
  readonly currencies: Batch['currencies'];
  readonly money = new Map<string, bigint>();
  #open = 0;
  done = 0;
  doneNow = 0;
  problems = 0;

  constructor(
    { rows, currencies }: Pick<Batch, 'rows' | 'currencies'>,
    tallyOfAll: readonly TallyEntry[] = [],
  ) {
    this.rows = rows;
    this.currencies = currencies;
    this.setCounts(tallyOfAll);
    this.doneBefore = this.done;
  }

  setCounts(tally: readonly TallyEntry[]): void {
    const settledGroups = tally.filter(({ state }) => !isOneOf(SENDABLE, state));
    this.done = sumOf(settledGroups, () => true).rows + this.#open;
    this.problems = sumOf(settledGroups, (entry) => !entry.isSkipped && !isPaid(entry)).rows + this.#open;
    for (const [currency] of this.currencies) {
      const { rows, minor } = sumOf(settledGroups, (entry) => entry.currency === currency && isPaid(entry));
      if (rows > 0) this.money.set(currency, minor);
    }
  }

  add({ currency, amount }: RowMoney, { state, code }: RowEnd): void {
    if (isOneOf(SENDABLE, state)) this.#open += 1;
    this.done += 1;
    this.doneNow += 1;
    if (state === 'earlier' && code === SKIPPED_AS_PAID) return;
    const count = COUNT_OF[state];
    if (count !== 'confirmed' && count !== 'pending') {
      this.problems += 1;
      return;
    }
    const minor = toMinor(amount, this.currencies.get(currency)?.decimals ?? 0) ?? 0n;
    this.money.set(currency, (this.money.get(currency) ?? 0n) + minor);
  }
}

function isPaid({ state }: TallyEntry): boolean {
  return COUNT_OF[state] === 'confirmed' || COUNT_OF[state] === 'pending';
}

interface ProgressPart {
  readonly name: 'share' | 'rows' | 'money' | 'problems' | 'rate' | 'time';
  readonly text: string;
}

const GAP = '  ';
const BAR_MAX = 30;
const BAR_MIN = 6;
const MARK_WIDTH = 2;
const DROPPABLE_PARTS: readonly ProgressPart['name'][] = ['rate', 'share', 'time', 'money', 'problems'];

export function progressLine(
  progress: BatchProgress,
  elapsedMs: number,
  { columns, waits }: { readonly columns: number | null; readonly waits: boolean },
) {
  const { rows, done, doneBefore, doneNow, problems, money, currencies } = progress;
  const share = rows === 0 ? 1 : Math.min(1, done / rows);
  const ownPerSecond = elapsedMs === 0 ? 0 : (doneNow / elapsedMs) * 1000;
  const allPerSecond = elapsedMs === 0 ? 0 : ((done - doneBefore) / elapsedMs) * 1000;
  const sums = [...money].map(
    ([currency, minor]) => `${currency} ${fromMinor(minor, currencies.get(currency)?.decimals ?? 0)}`,
  );
  const hasEstimate = allPerSecond > 0 && done < rows;
  const remaining = `${timeText((rows - done) / allPerSecond)} left`;
  const part = (name: ProgressPart['name'], text: string): ProgressPart[] =>
    text === '' ? [] : [{ name, text }];
  let parts: readonly ProgressPart[] = [
    ...part('share', `${Math.floor(share * 100)} %`),
    ...part('rows', `${done}/${rows} rows${waits ? ' final' : ''}`),
    ...part('money', sums.join(GAP)),
    ...part('problems', problems === 0 ? '' : problems === 1 ? '1 problem' : `${problems} problems`),
    ...part('rate', waits ? '' : `${ownPerSecond.toFixed(ownPerSecond < 10 ? 1 : 0)}/s`),
    ...part('time', waits ? `${timeText(elapsedMs / 1000)} so far` : hasEstimate ? remaining : ''),
  ];
  if (columns === null) return { bar: null, parts };
  const lengthOf = ({ name, text }: ProgressPart): number =>
    GAP.length + text.length + (name === 'problems' ? MARK_WIDTH : 0);
  const roomFor = (keptParts: typeof parts): number =>
    columns - 1 + GAP.length - keptParts.reduce((sum, one) => sum + lengthOf(one), 0);
  for (const name of DROPPABLE_PARTS) {
    if (roomFor(parts) >= BAR_MIN + GAP.length) break;
    parts = parts.filter((one) => one.name !== name);
  }
  const cells = Math.min(BAR_MAX, roomFor(parts) - GAP.length);
  const bar = cells < BAR_MIN ? null : { cells, done: Math.floor(share * cells) };
  if (bar !== null || roomFor(parts) >= 0) return { bar, parts };
  const width = Math.max(0, columns - 1);
  return { bar, parts: parts.map(({ name, text }) => ({ name, text: text.slice(0, width) })) };
}

function timeText(seconds: number): string {
  const wholeSeconds = Math.ceil(seconds);
  if (wholeSeconds < 60) return `${wholeSeconds} s`;
  if (wholeSeconds < 3600) return `${Math.floor(wholeSeconds / 60)} min ${wholeSeconds % 60} s`;
  return `${Math.floor(wholeSeconds / 3600)} h ${Math.floor((wholeSeconds % 3600) / 60)} min`;
}

const LINE_EVERY_MS = 5000;
const COUNT_EVERY_MS = 2000;
const BAR_EVERY_MS = 200;

export async function reportProgress(
  ports: Ports,
  flags: Pick<SendingFlags, 'quiet' | 'no-color'>,
  batch: Batch,
  rows: number,
  waits: boolean,
  countAll: (() => Promise<readonly TallyEntry[]>) | null = null,
): Promise<{ onRow: (row: RowMoney, rowEnd: RowEnd) => void; end: () => Promise<void> }> {
  const { clock, errors } = ports;
  if (flags.quiet) return { onRow: () => undefined, end: () => Promise.resolve() };
  const isBar = mayRepaint(ports);
  const paint = lineReplacer(errors);
  const style = await styleForErrors(ports, flags);
  const startedMs = clock.monotonic();
  const progress =
    countAll === null ? new BatchProgress({ ...batch, rows }) : new BatchProgress(batch, await countAll());
  let isShown = false;
  const write = (): void => {
    const elapsedMs = clock.monotonic() - startedMs;
    const columns = isBar ? errors.columns : null;
    const line = progressLine(progress, elapsedMs, { columns, waits });
    isShown = true;
    const text = isBar ? barText(line, style) : line.parts.map((part) => part.text).join(GAP);
    void errors.write(isBar ? paint(text) : `${text}\n`);
  };
  const tick: Ticker = clock === systemClock ? systemTicker : () => () => undefined;
  const recount = countAll === null ? null : countOccasionally(clock, countAll, progress);
  const stop = tick(isBar ? BAR_EVERY_MS : LINE_EVERY_MS, () => {
    if (recount === null) write();
    else void recount().finally(write);
  });
  return {
    onRow: (row, rowEnd) => progress.add(row, rowEnd),
    end: async () => {
      stop();
      if (!isBar || !isShown) return;
      await recount?.(true);
      write();
      await errors.write('\n');
    },
  };
}

function countOccasionally(
  clock: Clock,
  countAll: () => Promise<readonly TallyEntry[]>,
  progress: BatchProgress,
): (isLast?: boolean) => Promise<void> {
  let nextMs = clock.monotonic() + COUNT_EVERY_MS;
  return async (isLast = false) => {
    if (!isLast && clock.monotonic() < nextMs) return;
    nextMs = Infinity;
    await countAll().then(
      (tally) => progress.setCounts(tally),
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
