import { existsSync } from 'node:fs';
import { SKIPPED_PENDING } from '../../storage/batches/row-state.js';
import type { Batch } from '../../storage/batches/batch-store.js';
import { rowBlocks } from '../../storage/batches/row-blocks.js';
import { canonicalAddress } from '../../contract/access.js';
import { normalizeId, momentText } from '../../contract/notation.js';
import { PlanCount, type PlanFacts, readPlanRow } from './plan/read.js';
import { bodyLine, headLine, type PlanCompany, PlanDamaged, type SkippedPending } from './plan/format.js';
import { VALID_FOR_DEFAULT } from '../../contract/limits.js';
import { renderNote } from '../../output/error-prose.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import { Problems } from '../../runtime/problems.js';
import { svcLine } from '../../runtime/shell.js';
import { makeTemporaryFolder } from '../../runtime/temporary-folder.js';
import { beginWholeFile, requireReplaceable } from '../../runtime/whole-file.js';
import type { GlobalFlags, SessionRun } from '../../command/command.js';
import { readPlanFile } from './open-plan.js';
import type { PlanFlags } from '../flags.js';
import { approvalFiles, type SigningKey, signPlan, signingKey, writeSignature } from './signature-files.js';
import { durationMs } from '../../runtime/typed-time.js';
import { askServiceTime } from '../../session/session.js';
import { lettersOf } from '../check/company.js';
import type { BulkJob } from '../batch-run.js';

const PLAN_BEGINNING = '{"svc_plan":';

export function requirePlanFlags(flags: PlanFlags): void {
  const planFlag = (['ssh-key', 'valid-for'] as const).find((name) => flags[name] !== undefined);
  if (flags.plan === undefined && planFlag !== undefined)
    throw usageFailure(`--${planFlag} belongs to --plan FILE.`);
  if (flags.plan !== undefined && flags['dry-run'] === true)
    throw usageFailure('--plan sends nothing either: leave --dry-run out.');
  if (flags.plan === undefined) return;
  requireReplaceable(flags.plan, PLAN_BEGINNING);
  const [approvalPath] = existsSync(flags.plan) ? approvalFiles(flags.plan) : [];
  if (approvalPath === undefined) return;
  const text = `${flags.plan} is a plan that somebody has signed (${approvalPath}). Nothing was written. Name another file.`;
  throw new Failure('unsafe', text, { code: 'file_in_the_way' });
}

type PlanMakingJob = Pick<BulkJob, 'store' | 'printer' | 'sources'> & SessionRun<GlobalFlags & PlanFlags>;

export async function makePlan(
  batch: Batch,
  { name, path, file }: Readonly<Record<'name' | 'path' | 'file', string>>,
  job: PlanMakingJob,
): Promise<void> {
  const { ports, flags, session, printer } = job;
  const count = await countRows(batch, file, job);
  const skippedPayments: SkippedPending[] = [];
  for await (const rows of rowBlocks((...range) => job.store.rows(batch.id, ...range, ['earlier'])))
    for (const { reference, operation, code } of rows)
      if (code === SKIPPED_PENDING && operation !== null)
        skippedPayments.push({ reference, operation: normalizeId(operation) });
  await askServiceTime(job);
  const { serviceMs } = session.clock.moment();
  if (serviceMs === null) {
    const text =
      'The service did not say what time it is, and a plan is valid by its time. No plan was written. Nothing was sent.';
    throw new Failure('unsafe', text, { code: 'time_unknown' });
  }
  const untilMs = serviceMs + (await validForMs(job));
  const facts = {
    environment: batch.environment,
    address: canonicalAddress(batch.address),
    company: await companyOf(job, skippedPayments[0]),
    direction: batch.direction,
    batch: name,
    since: batch.sinceMs === null ? null : momentText(batch.sinceMs),
    left_out: batch.rows - count.rows,
    ...(skippedPayments.length === 0 ? {} : { skipped_pending: skippedPayments }),
    made_at: isoSeconds(serviceMs),
    valid_until: isoSeconds(untilMs),
  };
  const { head, digest, signature } = await writePlan(path, facts, count, { ...job, batch });
  const { environment, direction, rows, totals, left_out, skipped_pending, made_at, valid_until, maker } =
    head;
  const answer = { plan: path, digest, batch: name, environment, type: direction, rows, totals };
  const moreFacts = { left_out, skipped_pending, made_at, valid_until, maker, signature };
  await printer.answer(Buffer.from(JSON.stringify({ ...answer, ...moreFacts })));
  if (flags.quiet) return;
  const next = svcLine('batches review', [], [path]);
  await ports.errors.write(renderNote(`Nothing was sent. To look at it: ${next}`, ports.errors));
}

async function countRows(batch: Batch, file: string, job: PlanMakingJob): Promise<PlanCount> {
  const count = new PlanCount();
  const problems = new Problems();
  for await (const { line, body } of plannedRows(batch, job)) {
    try {
      count.add(readPlanRow(bodyLine(body), count.rows));
    } catch (error) {
      if (!(error instanceof PlanDamaged)) throw error;
      problems.add(line, null, error.why);
    }
  }
  problems.throwIfAny(file);
  if (count.rows > 0) return count;
  throw usageFailure(`${file} has no row that is left to pay. No plan was written.`);
}

async function validForMs({ flags, session }: PlanMakingJob): Promise<number> {
  const state = await session.guard.state();
  const maxMs = state.kind === 'policy' ? state.policy.approvals.validForMs : Infinity;
  const typed = flags['valid-for'];
  const ms = durationMs(typed ?? VALID_FOR_DEFAULT, '--valid-for');
  if (ms < 60_000) throw usageFailure('--valid-for is 1m at the least.');
  if (typed === undefined) return Math.min(ms, maxMs);
  if (ms <= maxMs) return ms;
  const hours = Math.floor(maxMs / 3_600_000);
  const text = `A plan may be valid for ${hours}h at the most here, and --valid-for says ${typed}. Nothing was sent.`;
  throw new Failure('unsafe', text, {
    code: 'plan_valid_too_long',
    details: [{ field: 'approvals.valid_for', code: 'exceeded' }],
  });
}

async function companyOf(job: PlanMakingJob, pending?: SkippedPending): Promise<PlanCompany | null> {
  const { mirror } = job.sources;
  const newest = await mirror.mirror.newest();
  if (newest === null) return pending === undefined ? null : { letters: null, operation: pending.operation };
  return { letters: await lettersOf(mirror, job), operation: normalizeId(newest.id) };
}

async function writePlan(
  path: string,
  facts: Omit<PlanFacts, 'maker'>,
  count: PlanCount,
  job: PlanMakingJob & { readonly batch: Batch },
) {
  const { ports, batch } = job;
  const key = await makerKey(job);
  const head = count.head({ ...facts, maker: key?.fingerprint ?? null });
  const file = beginWholeFile(path, PLAN_BEGINNING);
  try {
    file.write(`${headLine(head)}\n`);
    for await (const { body } of plannedRows(batch, job)) file.write(`${bodyLine(body)}\n`);
    const writtenPath = file.flushToTemporary();
    const { digest } = await readPlanFile(writtenPath);
    const signatureText = key === null ? null : await signPlan(writtenPath, 'maker', key, ports);
    file.finish();
    const signature =
      key === null || signatureText === null ? null : writeSignature(path, 'maker', key, signatureText);
    return { head, digest, signature };
  } finally {
    file.abandon();
  }
}

async function makerKey({ flags, ports }: PlanMakingJob): Promise<SigningKey | null> {
  const { 'ssh-key': path } = flags;
  if (path === undefined) return null;
  const folder = makeTemporaryFolder('svc-plan-', ports.random);
  try {
    return await signingKey(path, folder.path, ports.machine);
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
