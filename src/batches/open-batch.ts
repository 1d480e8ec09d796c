import { createHash } from 'node:crypto';
import { hashFile } from './file/source.js';
import type { Batch, BatchFacts, BatchStore } from '../storage/batches/batch-store.js';
import { isoSeconds } from '../runtime/clock.js';
import { Failure } from '../runtime/failure.js';
import { openTogether } from '../runtime/disposal.js';
import { commandLine, flagWords, quote } from '../runtime/shell.js';
import { withFlags, withoutFlags } from '../command/line/typed-words.js';
import { askedEnvironment, type Where } from '../session/place-flags.js';
import { type Run, inSession } from '../command/command.js';
import { nearest } from '../command/line/vocabulary.js';
import type { Stores } from '../storage/stores.js';
import { requireCompany } from './check/company.js';
import { batchCommand } from './ending.js';
import type { CheckFlags } from './flags.js';
import { openKnowledge, type Pace } from './check/knowledge.js';

export async function openBatch<R extends Run<CheckFlags>>(
  run: R,
  name: string,
  mode: 'send' | 'alone',
  pace: Pace,
) {
  const stores = await run.app.stores();
  return openTogether(async (use) => {
    const store = use(await stores.lockBatch(name, mode));
    const storedBatch = await requireBatch(store, name, stores);
    const { direction } = storedBatch;
    requireSameTarget(storedBatch, { environment: askedEnvironment(run), direction }, run);
    const knowledgeJob = use(await inKnowledge(run, pace));
    const batch = await requireCompany(storedBatch, store, knowledgeJob.sources.mirror, knowledgeJob);
    return { ...knowledgeJob, batch, store };
  });
}

export async function inKnowledge<R extends Run<CheckFlags>>(run: R, pace: Pace) {
  const sessionRun = await inSession(run, pace.concurrency);
  return openTogether(async (use) => ({
    ...sessionRun,
    sources: use(await openKnowledge(sessionRun, pace)),
  }));
}

export function requireSameTarget(
  batch: Batch,
  current: Pick<BatchFacts, 'environment' | 'direction'>,
  { typed }: Pick<Run, 'typed'>,
): void {
  const { name, environment, direction } = batch;
  const code = 'batch_differs';
  if (environment !== current.environment) {
    const text = `Batch ${name} is a ${environment} batch, but this command goes to the ${current.environment} environment. Nothing was sent. Add --${environment}.`;
    const words = typed.filter((word) => word !== '--live' && word !== '--sandbox');
    const line = commandLine(['svc', ...withFlags(words, [`--${environment}`])]);
    // Gives no `nextCommand`, because a program might run it and so send real money.
    throw new Failure('unsafe', text, { code, otherCommand: { when: 'If you mean it', line } });
  }
  if (direction === current.direction) return;
  const text = `Batch ${name} has the direction ${direction}, but this command has ${current.direction}. Nothing was sent.`;
  throw new Failure('unsafe', text, { code });
}

interface ReusedName {
  readonly batch: Batch;
  readonly isOpen: boolean;
  readonly path: string;
  readonly run: Pick<Run, 'typed'> & { readonly flags: Where };
}

export async function requireSameSince(reusedName: ReusedName, sinceMs: number | null): Promise<void> {
  const { batch } = reusedName;
  if (sinceMs === null || sinceMs === batch.sinceMs) return;
  const was =
    batch.sinceMs === null ? 'without --new-since' : `with --new-since ${isoSeconds(batch.sinceMs)}`;
  const text = `Batch ${batch.name} was planned ${was}, and its keys depend on that. Nothing was sent.`;
  const advice = 'You can drop the rows of this batch that were not sent.';
  throw await reusedNameFailure('batch_differs', text, ['drop', advice], reusedName);
}

export async function requireSameFile(reusedName: ReusedName): Promise<void> {
  const { batch, path } = reusedName;
  if ((await hashFile(path)) === batch.fileHash) return;
  const text = `${path} has changed since batch ${batch.name} was planned. Nothing was sent.`;
  const advice =
    '"svc batches resume" continues without the file. "svc batches drop" removes the rows that were not sent; then you can send the new file.';
  throw await reusedNameFailure('file_changed', text, ['resume', advice], reusedName);
}

async function reusedNameFailure(
  code: string,
  text: string,
  [verb, advice]: readonly [verb: 'drop' | 'resume', advice: string],
  { batch, isOpen, path, run }: ReusedName,
): Promise<Failure> {
  const { flags, typed } = run;
  const nextCommand = batchCommand(isOpen ? verb : 'status', batch.name, flags);
  if (isOpen) return new Failure('unsafe', `${text} ${advice}`, { code, nextCommand });
  // The name comes from the file and the typed command, because a repeat must get the same name.
  const digest = createHash('sha256')
    .update(`${await hashFile(path)}\n${typed.join('\n')}`)
    .digest('hex');
  // Keeps 93 characters, because a hyphen and 6 digits follow and a batch name has at most 100.
  const name = `${batch.name.slice(0, 93).trim()}-${digest.slice(0, 6)}`;
  const words = withFlags(withoutFlags(typed, ['--batch']), flagWords('--batch', name));
  return new Failure('unsafe', `${text} No row of that batch is left to send.`, {
    ...{ code, nextCommand },
    otherCommand: { when: 'To send this file as a batch of its own', line: commandLine(['svc', ...words]) },
  });
}

export function finishedFailure({ name, rows }: Batch, where: Where): Failure {
  const rowsText = rows === 1 ? '1 row, and it was sent' : `${rows} rows, and all were sent`;
  return new Failure('unsafe', `Batch ${name} has ${rowsText}. Nothing was sent now.`, {
    code: 'batch_finished',
    nextCommand: batchCommand('status', name, where),
  });
}

export async function requireBatch(store: BatchStore, name: string, stores: Stores): Promise<Batch> {
  const batch = await store.find(name);
  if (batch !== null) return batch;
  const names = (await store.list()).map((one) => one.name);
  const nearestName = nearest(name, names);
  const hint = nearestName === null ? '' : ` Did you mean ${quote(nearestName)}?`;
  const text = `There is no batch ${name} ${stores.where.text}.${hint} See "svc batches list".`;
  throw new Failure('not_found', text);
}
