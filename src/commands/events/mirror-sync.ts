/** `svc events sync`: reads the feed into the mirror ahead of time, so that the next batch has little left to read. */
import { streamInLittleMemory } from '../../runtime/memory.js';
import type { Run } from '../../cli/command.js';
import { printerOfAnything } from '../../cli/printing/printer.js';
import { withSession } from '../../cli/session/session.js';
import { openMirror } from '../../cli/feed/mirror.js';
import { reportReading } from '../../cli/feed/reading-progress.js';

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
