/** What systemd hears of a follower, and when. Events drive it and no timer does, so that a stuck run falls silent. Pure but for its ports. */
import type { Environ } from '../../runtime/ports.js';
import { type Facts, judge, words } from './follower-state.js';

interface Supervision {
  /** Without a word of progress for so long systemd ends the service; null where it does not watch. */
  readonly watchdogMs: number | null;
}

/** Null where no systemd waits for word. @param pid of this process: a watchdog may be meant for another one */
export function supervisionIn(env: Environ, pid: number): Supervision | null {
  if ((env['NOTIFY_SOCKET'] ?? '') === '') return null;
  const { WATCHDOG_USEC: usec = '', WATCHDOG_PID: meant } = env;
  const isMeant = meant === undefined || meant === '' || meant === String(pid);
  const watchdogMs = /^[1-9][0-9]{0,17}$/.test(usec) && isMeant ? Number(usec) / 1000 : null;
  return { watchdogMs };
}

/** Happened: something was accepted or answered (progress), or anything else that changes how the run stands. */
export type Happening = 'progress' | 'change';

interface NotifierOptions extends Supervision {
  /** Hands words to systemd (`READY=1`, `STATUS=...`); never rejects. */
  readonly send: (words: readonly string[]) => Promise<void>;
  readonly status: () => string;
  readonly monotonic: () => number;
}

/** Each word starts a program: more often than this nobody reads it. */
const EVERY_MS = 10_000;
/** Of the watchdog's time, so that one word that comes late harms nothing. */
const SHARE = 4;

export class Notifier {
  readonly #options: NotifierOptions;
  readonly #everyMs: number;
  #isReady = false;
  #saidMs = -Infinity;
  /** What is being said; there is one word at a time. */
  #saying: Promise<void> | null = null;
  #progressed = false;
  #ending: Promise<void> | null = null;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#everyMs = Math.min(EVERY_MS, (options.watchdogMs ?? Infinity) / SHARE);
  }

  /** Says it where it is time to; the first progress is `READY=1`. Never waits, never fails. */
  happened(what: Happening): void {
    this.#progressed ||= what === 'progress';
    const isFirst = !this.#isReady && this.#progressed;
    const isDue = this.#options.monotonic() - this.#saidMs >= this.#everyMs;
    if (this.#saying !== null || this.#ending !== null || (!isFirst && !isDue)) return;
    this.#say(isFirst);
  }

  /** The service is ending: nothing else is said from now on. Resolves once that was said, the first time. */
  end(): Promise<void> {
    const said = this.#saying ?? Promise.resolve();
    this.#ending ??= said.then(() => this.#options.send(['STOPPING=1', 'STATUS=Ending.']));
    return this.#ending;
  }

  #say(isFirst: boolean): void {
    const { watchdogMs, send, status, monotonic } = this.#options;
    const feeds = this.#progressed && watchdogMs !== null;
    this.#isReady ||= isFirst;
    this.#saidMs = monotonic();
    this.#progressed = false;
    const words = [...(isFirst ? ['READY=1'] : []), ...(feeds ? ['WATCHDOG=1'] : []), `STATUS=${status()}`];
    this.#saying = send(words).finally(() => (this.#saying = null));
  }
}

/** How the run stands, in a line for systemd and a terminal. */
export function statusLine(facts: Facts, maxLagMs: number): string {
  if (!facts.hasBegun && facts.answeredAtMs !== null)
    return 'The service answered. svc is reading the first events.';
  const { health, why } = judge(facts, maxLagMs);
  const count = `${facts.accepted.toLocaleString('en-US')} events accepted, lag ${words(facts.lagMs)}`;
  // Half of the limit is no alarm yet, and worth a look.
  const { front } = facts;
  const waits = health === 'ok' && front !== null && front.waitedMs >= 1000;
  const more = waits ? `Event ${front.id} has not been accepted for ${words(front.waitedMs)}.` : why;
  return `${health === 'ok' && !waits ? 'OK' : more.replace(/\.$/, '')}: ${count}.`;
}
