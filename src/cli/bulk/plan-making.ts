/** `--plan`: writes what a batch would send into a file that others approve. Nothing is sent, and the store keeps the rows only as a dry run. */
import { SKIPPED_PENDING } from '../../bulk/row-state.js';
import type { Batch } from '../../bulk/store/batch.js';
import { rowBlocks } from '../../bulk/store/row-blocks.js';
import { canonicalAddress } from '../../contract/access.js';
import { normalizeId, momentText } from '../../contract/notation.js';
import {
  bodyLine,
  headLine,
  type PlanCompany,
  PlanDamaged,
  type SkippedPending,
} from '../../guard/plan/spelling.js';
import { PlanDraft, type PlanFacts } from '../../guard/plan/reading.js';
import { renderNote } from '../../output/error-prose.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import { Problems } from '../../runtime/problems.js';
import { svcLine } from '../../runtime/shell.js';
import { requireKeygen } from '../../runtime/ssh-keygen.js';
import { makeTemporaryFolder } from '../../runtime/temporary-folder.js';
import { beginWholeFile } from '../../runtime/whole-file.js';
import { PLAN_BEGINNING, validForMs } from '../guard/plan-options.js';
import type { PlanFlags } from '../guard/plan-flags.js';
import { readPlanFile } from '../guard/plan-file.js';
import { signaturePath, signPlan, signingKey, writeSignature } from '../guard/signing.js';
import { askServiceTime, type SessionRun } from '../session/session.js';
import type { GlobalFlags } from '../command.js';
import { lettersOf } from './company.js';
import type { BulkJob } from './job.js';

type PlanMakingJob = Pick<BulkJob, 'store' | 'printer' | 'known'> & SessionRun<GlobalFlags & PlanFlags>;

/**
 * Writes the planned rows into a plan, and prints its facts.
 * @param name the future name of the batch: in the store it has a temporary one
 * @param file the name of the rows' file in messages
 * @throws Failure `bad_file` for a row that no plan may hold, `usage` if no row is left to pay, `unsafe` (`time_unknown`, another file at `path`)
 */
export async function makePlan(
  batch: Batch,
  { name, path, file }: Readonly<Record<'name' | 'path' | 'file', string>>,
  job: PlanMakingJob,
): Promise<void> {
  const { ports, flags, session, printer } = job;
  const draft = await draftOf(batch, file, job);
  const skipped = await skippedRows(batch, job);
  const madeMs = await serviceMs(job);
  const lifeMs = await validForMs(flags, session);
  const facts = {
    environment: batch.environment,
    address: canonicalAddress(batch.address),
    company: await companyOf(job, skipped[0]),
    direction: batch.direction,
    batch: name,
    since: batch.sinceMs === null ? null : momentText(batch.sinceMs),
    left_out: batch.rows - draft.rows,
    ...(skipped.length === 0 ? {} : { skipped_pending: skipped }),
    made_at: isoSeconds(madeMs),
    valid_until: isoSeconds(madeMs + lifeMs),
  };
  const { head, digest, signature } = await writePlan(path, facts, draft, { ...job, batch });
  const { environment, direction, rows, totals, left_out, skipped_pending, made_at, valid_until, maker } =
    head;
  const answer = { plan: path, digest, batch: name, environment, type: direction, rows, totals };
  const moreFacts = { left_out, skipped_pending, made_at, valid_until, maker, signature };
  await printer.answer(Buffer.from(JSON.stringify({ ...answer, ...moreFacts })));
  if (flags.quiet) return;
  const next = svcLine('batches review', [], [path]);
  await ports.errors.write(renderNote(`Nothing was sent. To look at it: ${next}`, ports.errors));
}

/** Reads all planned bodies once, for the counts and totals of the plan's head. */
async function draftOf(batch: Batch, file: string, job: PlanMakingJob): Promise<PlanDraft> {
  const draft = new PlanDraft();
  const problems = new Problems();
  for await (const { line, body } of plannedRows(batch, job)) {
    try {
      draft.add(body);
    } catch (error) {
      if (!(error instanceof PlanDamaged)) throw error;
      problems.add(line, null, error.why);
    }
  }
  problems.throwIfAny(file);
  if (draft.rows > 0) return draft;
  throw usageFailure(`${file} has no row that is left to pay. No plan was written.`);
}

/** Returns the rows that are skipped because a payment is pending. */
async function skippedRows({ id }: Batch, { store }: PlanMakingJob): Promise<SkippedPending[]> {
  const skipped: SkippedPending[] = [];
  for await (const rows of rowBlocks((...block) => store.rows(id, ...block, ['earlier'])))
    for (const { reference, operation, code } of rows)
      if (code === SKIPPED_PENDING && operation !== null)
        skipped.push({ reference, operation: normalizeId(operation) });
  return skipped;
}

/**
 * Writes a plan with mode 0600, never a part of one. With `--ssh-key` writes the maker's signature too.
 * @param draft has read all planned rows
 * @returns head and digest of the plan, and the path of the maker's signature (null without one)
 * @throws Failure `unsafe` for another file at `path`, `local_state`, `bad_file` if signing fails; Stopped
 */
async function writePlan(
  path: string,
  facts: Omit<PlanFacts, 'maker'>,
  draft: PlanDraft,
  job: PlanMakingJob & { readonly batch: Batch },
) {
  const { ports, flags, batch } = job;
  const { 'ssh-key': sshKey } = flags;
  const folder = makeTemporaryFolder('svc-plan-', ports.random);
  try {
    const keygen = sshKey === undefined ? null : await requireKeygen(ports.machine, folder.path);
    const key = sshKey === undefined || keygen === null ? null : await signingKey(sshKey, keygen);
    const head = draft.head({ ...facts, maker: key?.fingerprint ?? null });
    const file = beginWholeFile(path, PLAN_BEGINNING);
    try {
      file.write(`${headLine(head)}\n`);
      for await (const { body } of plannedRows(batch, job)) file.write(`${bodyLine(body)}\n`);
      // Reads the file back as every approver will read it.
      const writtenPath = file.flushToTemporary();
      const { digest } = await readPlanFile(writtenPath, { undone: 'Nothing was sent.' });
      const signatureText =
        key === null || keygen === null
          ? null
          : await signPlan({ bytes: writtenPath, role: 'maker', key, keygen }, ports);
      file.finish();
      const signature = key === null ? null : signaturePath(path, 'maker', key);
      if (signatureText !== null && signature !== null) writeSignature(signature, signatureText);
      return { head, digest, signature };
    } finally {
      file.abandon();
    }
  } finally {
    folder.remove();
  }
}

async function* plannedRows(batch: Batch, { store, ports }: PlanMakingJob) {
  const read = (after: number, count: number) => store.peek(batch.id, { after, count, states: ['planned'] });
  for await (const rows of rowBlocks(read)) {
    ports.signal.throwIfAborted();
    yield* rows;
  }
}

/**
 * Returns an operation that identifies the company, and its letters; null if the company has no operation yet. A pending
 * operation has no event, so it is passed in.
 */
async function companyOf(job: PlanMakingJob, pending?: SkippedPending): Promise<PlanCompany | null> {
  const { mirror } = job.known;
  const newest = await mirror.mirror.newest();
  if (newest === null) return pending === undefined ? null : { letters: null, operation: pending.operation };
  return { letters: await lettersOf(mirror, job), operation: normalizeId(newest.id) };
}

/** Returns the service's time. @throws Failure `unsafe` (`time_unknown`) */
async function serviceMs(job: PlanMakingJob): Promise<number> {
  await askServiceTime(job);
  const { serviceMs: nowMs } = job.session.clock.moment();
  if (nowMs !== null) return nowMs;
  throw new Failure(
    'unsafe',
    'The service did not say what time it is, and a plan is valid by its time. No plan was written. Nothing was sent.',
    { code: 'time_unknown' },
  );
}
