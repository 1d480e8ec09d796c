/** Waiting for effects that come after the answer, in steps: until one shows, until it stands still, and how long "none" has to last. */
import type { Clock } from '../runtime/clock.js';

/** Looks at the receiver's state for one operation, as text. */
export type Look = () => Promise<string>;

export interface EffectWaits {
  /** How long effects take, as far as it is known, in milliseconds: the longest that was measured. */
  effectMs(): number;
  /** The text once it is another one than `from`; `from` where it stays that until the limit. */
  untilChanged(look: Look, from: string, limitMs?: number): Promise<string>;
  /** The text once it has changed and then stands still; `from` where nothing changed. How long that took is remembered. */
  untilStill(look: Look, from: string): Promise<string>;
  /** Three times as long as an effect takes: what has not come then is taken not to come. */
  outlast(): Promise<void>;
}

const LOOK_EVERY_MS = 50;
/** An effect of two steps may pause between them for longer than the first one took. */
const STILL_MIN_MS = 400;
const OUTLAST_MIN_MS = 200;
const TIMES = 3;

/** @param settleMs the longest that anything is waited for, in milliseconds */
export function effectWaits(clock: Clock, settleMs: number, signal: AbortSignal): EffectWaits {
  let longestMs = 0;
  const within = (leastMs: number): number => Math.min(settleMs, Math.max(leastMs, TIMES * longestMs));

  const untilChanged = async (look: Look, from: string, limitMs = settleMs): Promise<string> => {
    const beganMs = clock.monotonic();
    for (;;) {
      const text = await look();
      if (text !== from || clock.monotonic() - beganMs >= limitMs) return text;
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  };

  const untilStill = async (look: Look, from: string): Promise<string> => {
    const beganMs = clock.monotonic();
    let text = await untilChanged(look, from);
    if (text === from) return from;
    let sinceMs = clock.monotonic();
    longestMs = Math.max(longestMs, sinceMs - beganMs);
    while (clock.monotonic() - sinceMs < within(STILL_MIN_MS)) {
      await clock.sleep(LOOK_EVERY_MS, signal);
      const now = await look();
      if (now === text) continue;
      text = now;
      sinceMs = clock.monotonic();
      longestMs = Math.max(longestMs, sinceMs - beganMs);
      // One that never stands still is not waited for: what it shows then is what it shows.
      if (sinceMs - beganMs > TIMES * settleMs) return text;
    }
    return text;
  };

  return {
    effectMs: () => longestMs,
    untilChanged,
    untilStill,
    outlast: () => clock.sleep(within(OUTLAST_MIN_MS), signal),
  };
}
