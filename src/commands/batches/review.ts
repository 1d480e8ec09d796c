/** `svc batches review`: a plan as somebody looks at it before they approve it. No key and no network. */
import type { Run } from '../../cli/command.js';
import { renderReview } from '../../cli/guard/review-screen.js';
import { type ReviewFlags, withReview } from '../../cli/guard/reviewing.js';
import { styleFor } from '../../cli/line/interaction.js';
import { printerOfText } from '../../cli/printing/printer.js';
import { collectOften, streamInLittleMemory } from '../../runtime/memory.js';

/** @throws Failure `bad_file`, `unsafe`, `local_state` */
export async function reviewPlan(
  { ports, flags }: Run<Run['flags'] & ReviewFlags>,
  path: string,
): Promise<void> {
  // Before anything is loaded: what has grown does not shrink again.
  streamInLittleMemory();
  collectOften();
  const style = await styleFor(ports, flags);
  let text = '';
  const printer = await printerOfText(ports, flags, () => text);
  await withReview(path, flags, ports, async ({ review }) => {
    text = renderReview(review, ports.output.columns, style);
    await printer.answer(Buffer.from(JSON.stringify(review)));
  });
}
