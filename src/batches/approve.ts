import { compareDecimals, isDecimal } from '../contract/money.js';
import { readTotals } from './flags.js';
import type { Run } from '../command/command.js';
import { renderReview } from './approval/review-view.js';
import { type ReviewedPlan, type ReviewFlags, openReview } from './approval/review.js';
import { correctedCommand } from './confirm.js';
import { signPlan, signingKey, writeSignature } from './approval/signature-files.js';
import { isPersonThere, readTypedAnswer, styleForErrors, styleForOutput } from '../command/line/terminal.js';
import { printerOfAnything, openPrinter } from '../command/printer.js';
import { refuseLocked } from '../session/guard/open-guard.js';
import { renderNote } from '../output/error-prose.js';
import { Failure } from '../runtime/failure.js';
import { collectOften, streamInLittleMemory } from '../runtime/memory.js';

type ApproveRun = Run<
  Run['flags'] &
    ReviewFlags & { readonly 'ssh-key': string; readonly 'confirm-total'?: readonly string[] | undefined }
>;

const NOT_SIGNED = 'Nothing was signed.';

export async function approvePlan(run: ApproveRun, path: string): Promise<void> {
  const { ports, flags } = run;
  await refuseLocked(ports);
  const confirmedTotals = readTotals(flags['confirm-total'] ?? []);
  const printer = await printerOfAnything(ports, flags);
  await using opened = await openReview(path, flags, ports);
  const { review, plan } = opened;
  const key = await signingKey(flags['ssh-key'], plan.folder, ports.machine);
  if (key.fingerprint === review.maker) {
    const text = `The key ${key.path} made this plan, and who made a plan does not approve it. ${NOT_SIGNED}`;
    throw new Failure('unsafe', text, { code: 'made_the_plan' });
  }
  await confirmTotals(review, confirmedTotals, run);
  const signatureText = await signPlan(plan.copy, 'approver', key, ports);
  const signature = writeSignature(path, 'approver', key, signatureText);
  const { digest, batch, totals } = review;
  const answer = { plan: path, digest, batch, totals, signature, fingerprint: key.fingerprint };
  await printer.answer(Buffer.from(JSON.stringify(answer)));
  if (flags.quiet) return;
  const nextText = `Approved, and nothing was sent. To send the plan, keep both files side by side: ${plan.path} and ${signature}.`;
  await ports.errors.write(renderNote(nextText, ports.errors));
}

async function confirmTotals(
  review: ReviewedPlan,
  confirmedTotals: ReadonlyMap<string, string>,
  { ports, flags, typed }: ApproveRun,
): Promise<void> {
  const totals = new Map(review.totals.map((one) => [one.currency, one]));
  for (const [currency, amount] of confirmedTotals) {
    const total = totals.get(currency)?.total;
    if (total !== undefined && compareDecimals(total, amount) === 0) continue;
    const mismatch =
      total === undefined ? `The plan has nothing in ${currency}` : `The total is ${currency} ${total}`;
    const text = `${mismatch}, but --confirm-total says ${currency}:${amount}. ${NOT_SIGNED}`;
    throw new Failure('unsafe', text, { code: 'total_differs' });
  }
  const otherTotals = review.totals.filter(({ currency }) => !confirmedTotals.has(currency));
  const style = await styleForErrors(ports, flags);
  const width = ports.errors.isTTY ? ports.errors.columns : Infinity;
  if (!flags.quiet || otherTotals.length > 0)
    await ports.errors.write(`${renderReview(review, width, style)}\n`);
  if (otherTotals.length === 0) return;
  const refusal = (why: string): Failure => {
    const facts = { code: 'not_confirmed', ...correctedCommand(totals, typed) };
    return new Failure('unsafe', `Not confirmed. ${why}${NOT_SIGNED}`, facts);
  };
  if (!isPersonThere(ports, { 'no-input': flags['no-input'] })) throw refusal('');
  for (const { currency, total } of otherTotals) {
    await ports.errors.write(`${style.strong(`Type the total in ${currency} to approve it:`)} `);
    const answer = (await readTypedAnswer(ports, NOT_SIGNED)) ?? '';
    const amount = answer.trim().replace(/^[A-Z]{3}[: ]/i, '');
    const typedTotal = amount.replace(/,(?=[0-9]{3}(?:,|[.]|$))/g, '');
    if (!isDecimal(typedTotal) || compareDecimals(typedTotal, total) !== 0)
      throw refusal(typedTotal === '' ? '' : `"${typedTotal}" is not the total ${currency} ${total}. `);
  }
}

export async function reviewPlan({ ports, flags }: Run<Run['flags'] & ReviewFlags>, path: string) {
  streamInLittleMemory();
  collectOften();
  const style = await styleForOutput(ports, flags);
  let text = '';
  const printer = await openPrinter(ports, flags, { table: () => Promise.resolve(text) });
  await using opened = await openReview(path, flags, ports);
  text = renderReview(opened.review, ports.output.columns, style);
  await printer.answer(Buffer.from(JSON.stringify(opened.review)));
}
