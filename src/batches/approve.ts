import { compareDecimals, isDecimal } from '../contract/money.js';
import { readTotals } from './flags.js';
import type { Run } from '../command/command.js';
import { renderReview } from './approval/review-view.js';
import { type ReviewedPlan, type ReviewFlags, openReview } from './approval/review-plan.js';
import { signPlan, signingKey, writeSignature } from './approval/sign.js';
import { isPersonThere, readTypedAnswer, styleForErrors, styleForOutput } from '../command/line/terminal.js';
import { withFlags, withoutFlags } from '../command/line/typed-words.js';
import { printerOfAnything, printerOfText } from '../command/printer.js';
import { refuseLocked } from '../session/guard/open-guard.js';
import { renderNote } from '../output/error-prose.js';
import { Failure } from '../runtime/failure.js';
import { commandLine } from '../runtime/shell.js';
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
  const { against, signers } = flags;
  await using opened = await openReview(path, { against, signers }, ports);
  const { review, plan } = opened;
  const key = await signingKey(flags['ssh-key'], plan.folder, ports.machine);
  if (key.fingerprint === review.maker) {
    const text = `The key ${key.path} made this plan, and who made a plan does not approve it. ${NOT_SIGNED}`;
    throw new Failure('unsafe', text, { code: 'made_the_plan' });
  }
  await confirmTotals(review, confirmedTotals, run);
  const text = await signPlan(plan.copy, 'approver', key, ports);
  const signature = writeSignature(path, 'approver', key, text);
  const { fingerprint } = key;
  const { digest, batch, totals } = review;
  const answer = { plan: path, digest, batch, totals, signature, fingerprint };
  await printer.answer(Buffer.from(JSON.stringify(answer)));
  if (flags.quiet) return;
  const nextText = `Approved, and nothing was sent. To send the plan, keep both files side by side: ${plan.path} and ${signature}.`;
  await ports.errors.write(renderNote(nextText, ports.errors));
}

async function confirmTotals(
  review: ReviewedPlan,
  confirmedTotals: ReadonlyMap<string, string>,
  run: ApproveRun,
): Promise<void> {
  const { ports, flags } = run;
  const { totals } = review;
  for (const [currency, amount] of confirmedTotals) {
    const match = totals.find((one) => one.currency === currency);
    if (match !== undefined && compareDecimals(match.total, amount) === 0) continue;
    const mismatch =
      match === undefined ? `The plan has nothing in ${currency}` : `The total is ${currency} ${match.total}`;
    throw new Failure(
      'unsafe',
      `${mismatch}, but --confirm-total says ${currency}:${amount}. ${NOT_SIGNED}`,
      {
        code: 'total_differs',
      },
    );
  }
  const otherTotals = totals.filter(({ currency }) => !confirmedTotals.has(currency));
  const style = await styleForErrors(ports, flags);
  const width = ports.errors.isTTY ? ports.errors.columns : Infinity;
  if (!flags.quiet || otherTotals.length > 0)
    await ports.errors.write(`${renderReview(review, width, style)}\n`);
  if (otherTotals.length === 0) return;
  if (!isPersonThere(ports, { 'no-input': flags['no-input'] })) throw refusal(review, '', run);
  for (const { currency, total } of otherTotals) {
    await ports.errors.write(`${style.strong(`Type the total in ${currency} to approve it:`)} `);
    const answer = await readTypedAnswer(ports, NOT_SIGNED);
    // A person may type the total with or without the currency in front, and with or without commas.
    const text =
      answer
        ?.trim()
        .replace(/^[A-Z]{3}[: ]/i, '')
        .replace(/,(?=[0-9]{3}(?:,|[.]|$))/g, '') ?? '';
    if (!isDecimal(text) || compareDecimals(text, total) !== 0)
      throw refusal(review, text === '' ? '' : `"${text}" is not the total ${currency} ${total}. `, run);
  }
}

function refusal({ totals }: ReviewedPlan, why: string, { typed }: ApproveRun): Failure {
  const flags = totals.flatMap(({ currency, total }) => ['--confirm-total', `${currency}:${total}`]);
  const words = withFlags(withoutFlags(typed, ['--confirm-total']), flags);
  return new Failure('unsafe', `Not confirmed. ${why}${NOT_SIGNED}`, {
    code: 'not_confirmed',
    otherCommand: { when: 'If these totals are right', line: commandLine(['svc', ...words]) },
  });
}

export async function reviewPlan(
  { ports, flags }: Run<Run['flags'] & ReviewFlags>,
  path: string,
): Promise<void> {
  // Both calls come before anything else is loaded, because a heap that has grown does not shrink again.
  streamInLittleMemory();
  collectOften();
  const style = await styleForOutput(ports, flags);
  let text = '';
  const printer = await printerOfText(ports, flags, () => text);
  await using opened = await openReview(path, flags, ports);
  const { review } = opened;
  text = renderReview(review, ports.output.columns, style);
  await printer.answer(Buffer.from(JSON.stringify(review)));
}
