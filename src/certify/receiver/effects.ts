import type { Clock } from '../../runtime/clock.js';

export type Look = () => Promise<string>;

const LOOK_EVERY_MS = 50;
const STILL_MIN_MS = 400;
const OUTLAST_MIN_MS = 200;
const WAIT_FACTOR = 3;

export function effectWaits(clock: Clock, settleMs: number, signal: AbortSignal) {
  let longestMs = 0;
  const waitMs = (leastMs: number): number => Math.min(settleMs, Math.max(leastMs, WAIT_FACTOR * longestMs));

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
    while (clock.monotonic() - sinceMs < waitMs(STILL_MIN_MS)) {
      await clock.sleep(LOOK_EVERY_MS, signal);
      const newText = await look();
      if (newText === text) continue;
      text = newText;
      sinceMs = clock.monotonic();
      longestMs = Math.max(longestMs, sinceMs - beganMs);
      // Gives up, because some texts never stop changing.
      if (sinceMs - beganMs > WAIT_FACTOR * settleMs) return text;
    }
    return text;
  };

  return {
    effectMs: (): number => longestMs,
    untilChanged,
    untilStill,
    outlast: (): Promise<void> => clock.sleep(waitMs(OUTLAST_MIN_MS), signal),
  };
}
