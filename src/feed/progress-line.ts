import { momentText } from '../contract/notation.js';
import type { SyncProgress } from './sync.js';
import type { Ports } from '../runtime/ports.js';
import { lineReplacer, mayRepaint } from '../command/line/terminal.js';

const TERMINAL_EVERY_MS = 250;
const LINE_EVERY_MS = 5000;

export function reportReading(
  { clock, errors, env }: Ports,
  { quiet = false }: { readonly quiet?: boolean },
): { onPage: (progress: SyncProgress) => Promise<void>; end: () => Promise<void> } {
  const repaints = mayRepaint({ errors, env });
  const everyMs = repaints ? TERMINAL_EVERY_MS : LINE_EVERY_MS;
  const startedAtMs = clock.monotonic();
  let writtenAtMs = startedAtMs;
  const paint = lineReplacer(errors);
  let isShown = false;
  return {
    onPage: async (progress) => {
      const nowMs = clock.monotonic();
      if (quiet || nowMs - writtenAtMs < everyMs) return;
      writtenAtMs = nowMs;
      isShown = true;
      const { events, latestMs } = progress;
      const perSecond = Math.round((events / (nowMs - startedAtMs)) * 1000);
      const upTo = latestMs === null ? '' : `, up to ${momentText(latestMs)}`;
      const text = `Reading events: ${events.toLocaleString('en-US')} (${perSecond.toLocaleString('en-US')}/s)${upTo}`;
      await errors.write(repaints ? paint(text) : `${text}\n`);
    },
    end: async () => {
      if (isShown && repaints) await errors.write('\n');
    },
  };
}
