/** `svc events sync`: reads the feed into the mirror ahead of time, so that the next batch has little left to read. */
import { momentText } from '../../contract/notation.js';
import type { SyncProgress } from '../../mirror/sync.js';
import { streamInLittleMemory } from '../../runtime/memory.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags, Run } from '../../cli/command.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { withSession } from '../../cli/session/session.js';
import { openMirror } from '../../cli/feed/mirror.js';
import { mayRepaint } from '../../cli/line/interaction.js';

const TERMINAL_EVERY_MS = 250;
const LINE_EVERY_MS = 5000;

/** Prints how much was read and how much is known. @throws Failure by the table of exit codes; Stopped, with what was read kept */
export async function syncEvents(run: Run): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags);
  streamInLittleMemory();
  await withSession(run, async (open) => {
    const mirror = await openMirror(open);
    try {
      const progress = reportReading(ports, flags);
      const report = await mirror.sync(progress.onPage).finally(() => progress.end());
      await printer.answer(Buffer.from(JSON.stringify(report)));
    } finally {
      await mirror.close();
    }
  });
}

/** Tells on standard error how far the reading is: a line that is written anew on a terminal, one every five seconds elsewhere. */
function reportReading(
  { clock, errors, env }: Ports,
  { quiet }: Pick<GlobalFlags, 'quiet'>,
): { onPage: (progress: SyncProgress) => Promise<void>; end: () => Promise<void> } {
  const repaints = mayRepaint({ errors, env });
  const everyMs = repaints ? TERMINAL_EVERY_MS : LINE_EVERY_MS;
  const startedMs = clock.monotonic();
  let saidAtMs = startedMs;
  let isShown = false;
  return {
    onPage: async (progress) => {
      const nowMs = clock.monotonic();
      if (quiet || nowMs - saidAtMs < everyMs) return;
      saidAtMs = nowMs;
      isShown = true;
      const text = readingText(progress, nowMs - startedMs);
      await errors.write(repaints ? `\r${text.slice(0, errors.columns - 1)}\u001b[K` : `${text}\n`);
    },
    end: async () => {
      if (isShown && repaints) await errors.write('\n');
    },
  };
}

function readingText({ events, latestMs }: SyncProgress, elapsedMs: number): string {
  const perSecond = Math.round((events / elapsedMs) * 1000);
  const upTo = latestMs === null ? '' : `, up to ${momentText(latestMs)}`;
  return `Reading events: ${events.toLocaleString('en-US')} (${perSecond.toLocaleString('en-US')}/s)${upTo}`;
}
