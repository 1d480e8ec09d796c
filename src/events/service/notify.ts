import type { Environ } from '../../runtime/ports.js';
import { type FollowerFacts, judge, duration } from './follower-state.js';

export function supervisionIn(env: Environ, pid: number): { readonly watchdogMs: number | null } | null {
  if ((env['NOTIFY_SOCKET'] ?? '') === '') return null;
  const { WATCHDOG_USEC: usec = '', WATCHDOG_PID: watchdogPid } = env;
  const isForUs = watchdogPid === undefined || watchdogPid === '' || watchdogPid === String(pid);
  const watchdogMs = /^[1-9][0-9]{0,17}$/.test(usec) && isForUs ? Number(usec) / 1000 : null;
  return { watchdogMs };
}

export type ChangeKind = 'progress' | 'change';

interface NotifierOptions {
  readonly watchdogMs: number | null;
  readonly send: (words: readonly string[]) => Promise<void>;
  readonly status: () => string;
  readonly monotonic: () => number;
}

const REPORT_INTERVAL_MS = 10_000;
const REPORTS_PER_WATCHDOG = 4;

export class Notifier {
  readonly #intervalMs: number;
  #isReady = false;
  #sentMs = -Infinity;
  #sending: Promise<void> | null = null;
  #hasProgressed = false;
  #ending: Promise<void> | null = null;

  constructor(private readonly options: NotifierOptions) {
    this.#intervalMs = Math.min(REPORT_INTERVAL_MS, (options.watchdogMs ?? Infinity) / REPORTS_PER_WATCHDOG);
  }

  onChange(kind: ChangeKind): void {
    this.#hasProgressed ||= kind === 'progress';
    const isFirst = !this.#isReady && this.#hasProgressed;
    const isDue = this.options.monotonic() - this.#sentMs >= this.#intervalMs;
    if (this.#sending !== null || this.#ending !== null || (!isFirst && !isDue)) return;
    this.#sendReport(isFirst);
  }

  end(): Promise<void> {
    const lastReport = this.#sending ?? Promise.resolve();
    this.#ending ??= lastReport.then(() => this.options.send(['STOPPING=1', 'STATUS=Ending.']));
    return this.#ending;
  }

  #sendReport(isFirst: boolean): void {
    const { watchdogMs, send, status, monotonic } = this.options;
    const feedsWatchdog = this.#hasProgressed && watchdogMs !== null;
    this.#isReady ||= isFirst;
    this.#sentMs = monotonic();
    this.#hasProgressed = false;
    const assignments = [
      ...(isFirst ? ['READY=1'] : []),
      ...(feedsWatchdog ? ['WATCHDOG=1'] : []),
      `STATUS=${status()}`,
    ];
    this.#sending = send(assignments).finally(() => (this.#sending = null));
  }
}

export function statusLine(facts: FollowerFacts, maxLagMs: number): string {
  if (!facts.hasBegun && facts.answeredAtMs !== null)
    return 'The service answered. svc is reading the first events.';
  const { health, why } = judge(facts, maxLagMs);
  const count = `${facts.accepted.toLocaleString('en-US')} events accepted, lag ${duration(facts.lagMs)}`;
  const { firstWaiting } = facts;
  const isWaiting = health === 'ok' && firstWaiting !== null && firstWaiting.waitedMs >= 1000;
  const sentence = isWaiting
    ? `Event ${firstWaiting.id} has not been accepted for ${duration(firstWaiting.waitedMs)}.`
    : why;
  return `${health === 'ok' && !isWaiting ? 'OK' : sentence.replace(/\.$/, '')}: ${count}.`;
}
