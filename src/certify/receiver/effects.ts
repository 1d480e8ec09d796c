/** Waits for the effects of a delivery, which may come after the answer: until one shows, until it no longer changes, or until none is expected. */
import type { Clock } from '../../runtime/clock.js';

/** Reads the receiver's state for one operation, as text. */
export type Look = () => Promise<string>;

const LOOK_EVERY_MS = 50;
/** The shortest wait for a further change of the text. A receiver may pause between two steps for longer than the first step took. */
const STILL_MIN_MS = 400;
const OUTLAST_MIN_MS = 200;
const WAIT_FACTOR = 3;

/** @param settleMs the longest wait for an effect, in milliseconds */
export function effectWaits(clock: Clock, settleMs: number, signal: AbortSignal) {
  let longestMs = 0;
  const within = (leastMs: number): number => Math.min(settleMs, Math.max(leastMs, WAIT_FACTOR * longestMs));

  /** Returns the first text that differs from `from`, or `from` if no text differs within the limit. */
  const untilChanged = async (look: Look, from: string, limitMs = settleMs): Promise<string> => {
    const beganMs = clock.monotonic();
    for (;;) {
      const text = await look();
      if (text !== from || clock.monotonic() - beganMs >= limitMs) return text;
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  };

  /** Returns the text after its last change, or `from` if nothing changes. Remembers how long the effect took. */
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
      // The wait ends even if the text still changes: some texts never stop.
      if (sinceMs - beganMs > WAIT_FACTOR * settleMs) return text;
    }
    return text;
  };

  return {
    /** The longest time that an effect has taken so far, in milliseconds. */
    effectMs: (): number => longestMs,
    untilChanged,
    untilStill,
    /** Waits three times as long as the longest effect took (at least 200 ms, at most the limit): no effect is expected after that. */
    outlast: (): Promise<void> => clock.sleep(within(OUTLAST_MIN_MS), signal),
  };
}
