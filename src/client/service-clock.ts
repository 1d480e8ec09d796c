/** What time it is for the service, by what can be believed of its answers and what has passed since. This machine's clock may be hours off. */
import {
  type Age,
  ageOf,
  type Moment,
  maxElapsedMs,
  serviceTimeOf,
  type TimeAnchor,
} from '../contract/moment.js';
import { KEY_SAFE_MS } from '../contract/limits.js';
import type { BootTime, MachineClock } from '../runtime/clock.js';
import { answeredAtMs, hasWaited, type HttpAnswer } from '../runtime/transport.js';

/** What decides which answers are believed. */
export interface Belief {
  /** Nothing can stand in between, as before the embedded sandbox: every answer says what time it is. */
  readonly isDirect?: boolean | undefined;
  /** A time that goes back is believed: servers of the sandbox are restarted, and reset. */
  readonly mayGoBack?: boolean | undefined;
}

export interface ServiceClockOptions extends Belief {
  readonly clock: MachineClock;
  /** How far the service was ahead of this machine when that was last known, in milliseconds. */
  readonly aheadMs?: number | undefined;
}

/** A time that is earlier than the newest that was seen by more than this was kept somewhere. */
const BACK_MAX_MS = 60_000;

interface Heard {
  readonly serviceMs: number;
  readonly monotonicMs: number;
  readonly boot: BootTime;
}

/** A clock that ages are counted by. Sleeping and measuring are those of this machine. */
export class ServiceClock implements MachineClock {
  readonly #clock: MachineClock;
  readonly #belief: Belief;
  #aheadMs: number;
  /** What was proved in this process. */
  #heard: Heard | null = null;
  /** What an answer said that proves nothing; it is better than nothing. */
  #said: Heard | null = null;
  /** The newest that was proved here, in this process or before it. */
  #anchor: TimeAnchor | null = null;
  #leastMs = -Infinity;

  constructor({ clock, aheadMs = 0, ...belief }: ServiceClockOptions) {
    this.#clock = clock;
    this.#aheadMs = aheadMs;
    this.#belief = belief;
  }

  /**
   * Takes the time from an answer that has just come; one without a `Date` says nothing, nor does one that was kept somewhere.
   * @param isProof nobody in between can have kept it: it answers a POST, or a GET of what nobody has asked for before
   */
  hear(answer: Pick<HttpAnswer, 'headers'>, isProof: boolean): void {
    const serviceMs = answeredAtMs(answer);
    if (serviceMs === null || hasWaited(answer)) return;
    // A batch has thousands of answers in one second of the service: the first has said all, and what counts on from it is never younger.
    if (this.#heard?.serviceMs === serviceMs) return;
    const { isDirect = false, mayGoBack = false } = this.#belief;
    const newest = this.#anchor;
    if (newest !== null && serviceMs < newest.serviceMs - BACK_MAX_MS && !mayGoBack) return;
    const heard = {
      ...{ serviceMs, monotonicMs: this.#clock.monotonic() },
      boot: this.#clock.boot(),
    };
    this.#said = heard;
    if (!isProof && !isDirect) return;
    this.#heard = heard;
    // The newest never goes back a little: many little steps would be a long way.
    const leastMs = mayGoBack || newest === null ? -Infinity : newest.serviceMs;
    this.#anchor = { ...heard.boot, serviceMs: Math.max(serviceMs, leastMs) };
  }

  /** What an earlier process proved and kept. Nothing changes where this process has heard of a time itself. */
  remember(anchor: TimeAnchor | null): void {
    if (this.#heard === null) this.#anchor = anchor;
  }

  /** The newest that was proved, to be kept for later processes; null where nothing ever was. */
  get anchor(): TimeAnchor | null {
    return this.#anchor;
  }

  /** The service has said of something that it happened then: it is no earlier now. Counts where no answer carries a `Date`. */
  atLeast(serviceMs: number): void {
    if (serviceMs > this.#leastMs) this.#leastMs = serviceMs;
  }

  /** How far the service was ahead when that was last known. Counts until an answer is heard. */
  expect(aheadMs: number): void {
    this.#aheadMs = aheadMs;
  }

  /** True once an answer has proved in this process what time it is. */
  isHeard(): boolean {
    return this.#heard !== null;
  }

  /** How far the service is ahead of this machine, in milliseconds; null where no answer has said it. */
  get aheadMs(): number | null {
    return (this.#heard ?? this.#said) === null ? null : this.now() - this.#clock.now();
  }

  /** The service's time in milliseconds since the epoch, as well as it is known. */
  now(): number {
    return this.at(this.#clock.monotonic());
  }

  /** What the service's time was, or will be, when this machine's monotonic clock shows that. */
  at(monotonicMs: number): number {
    const heard = this.#heard ?? this.#said;
    if (heard !== null) return heard.serviceMs + (monotonicMs - heard.monotonicMs);
    const localMs = this.#clock.now() + (monotonicMs - this.#clock.monotonic());
    return Math.max(localMs + this.#aheadMs, this.#leastMs);
  }

  /** Now, to be kept with what leaves: what was proved in this boot of the machine is good enough, for it only makes that older. */
  moment(): Moment {
    const boot = this.boot();
    const here = { ...boot, wallMs: this.#clock.now() };
    return { ...here, serviceMs: this.#provedMs(boot) ?? serviceTimeOf(this.#anchor, here) };
  }

  /**
   * How long ago that was. What this process has not heard itself does not count: since an earlier one did, the machine may have been frozen.
   * @param sharedMs what time it is for the database that machines share
   */
  ageOf(then: Moment, sharedMs?: number): Age {
    return ageOf(then, this.#here(sharedMs));
  }

  /** True where a request that left in this process may leave again: no clock says that more than 23 hours have passed since then. */
  mayGoOn(then: Moment, sharedMs?: number): boolean {
    return maxElapsedMs(then, this.#here(sharedMs)) <= KEY_SAFE_MS;
  }

  /** How long ago that was for the service, by what this process has heard; null where it has not. */
  sinceMs(serviceMs: number): number | null {
    const provedMs = this.#provedMs();
    return provedMs === null ? null : provedMs - serviceMs;
  }

  boot(): BootTime {
    return this.#clock.boot();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }

  #here(sharedMs: number | undefined): Moment {
    const boot = this.boot();
    return { ...boot, wallMs: this.#clock.now(), serviceMs: this.#provedMs(boot), sharedMs };
  }

  /** What was heard and what has passed since, by the clock that goes on while the machine sleeps too. */
  #provedMs(boot = this.boot()): number | null {
    const heard = this.#heard;
    if (heard === null) return null;
    const passedMs = this.#clock.monotonic() - heard.monotonicMs;
    return heard.serviceMs + Math.max(passedMs, boot.bootMs - heard.boot.bootMs);
  }
}
