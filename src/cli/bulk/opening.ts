/**
 * Opens a batch that is there for a command that goes on with it: nobody else runs it, this session may act for its company, and it is
 * still what was confirmed.
 */
import { hashFile } from '../../bulk/file/source.js';
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { Batch, BatchFacts } from '../../bulk/store/batch.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { commandLine } from '../../runtime/shell.js';
import { withFlags } from '../line/shell.js';
import { askedEnvironment, type Where } from '../line/where.js';
import type { Run } from '../command.js';
import { type SessionRun, withSession } from '../session/session.js';
import { knownBatch, storesOf } from '../stores/stores-of-run.js';
import { requireCompany } from './company.js';
import { batchCommand } from './end.js';
import type { AskingFlags } from './flags.js';
import { openKnowledge, type OpenKnowledge, type Pace } from './knowledge.js';

/** A session that knows what was paid. */
type Informed<R> = R & SessionRun & { readonly known: OpenKnowledge };

/** The same over a batch that is there. */
type Opened<R> = Informed<R> & { readonly batch: Batch; readonly store: BatchStore };

/**
 * @param pace how many connections the work needs at a time, and how many requests a second it may send
 * @param mode whether others may go on with it at once, where machines share it
 * @throws Failure `not_found`, `locked`, `unsafe` (another environment or company)
 */
export async function withBatch<R extends Run<AskingFlags>>(
  run: R,
  name: string,
  { pace, mode }: { readonly pace: Pace; readonly mode: 'send' | 'alone' },
  work: (open: Opened<R>) => Promise<void>,
): Promise<void> {
  await storesOf(run).withLockedBatch(name, mode, async (store) => {
    const found = await knownBatch(store, name, run);
    // Before a session: a profile may have the key of the batch's environment alone.
    requireSame(found, { environment: askedEnvironment(run), direction: found.direction }, run);
    await withKnowledge(run, pace, async (informed) => {
      const { known } = informed;
      const batch = await requireCompany(found, store, known.mirror, informed);
      await work({ ...informed, batch, store });
    });
  });
}

/** A session, and what is known of payments for it. */
export async function withKnowledge<R extends Run<AskingFlags>>(
  run: R,
  pace: Pace,
  work: (open: Informed<R>) => Promise<void>,
): Promise<void> {
  const steps = async (open: R & SessionRun<AskingFlags>): Promise<void> => {
    const known = await openKnowledge(open, pace);
    try {
      await work({ ...open, known });
    } finally {
      await known.close();
    }
  };
  await withSession(run, steps, pace.concurrency);
}

/** @throws Failure `unsafe` where environment or direction are others than when it was planned */
export function requireSame(
  batch: Batch,
  now: Pick<BatchFacts, 'environment' | 'direction'>,
  { typed }: Pick<Run, 'typed'>,
): void {
  const names = ['environment', 'direction'] as const;
  const other = names.find((name) => batch[name] !== now[name]);
  if (other === undefined) return;
  const text =
    other === 'environment'
      ? `Batch ${batch.name} is a ${batch[other]} batch, but this command goes to the ${now[other]} environment. Nothing was sent. Add --${batch[other]}.`
      : `Batch ${batch.name} has the ${other} ${batch[other]}, but this command has ${now[other]}. Nothing was sent.`;
  const there = withFlags(
    typed.filter((word) => word !== '--live' && word !== '--sandbox'),
    [`--${batch.environment}`],
  );
  throw new Failure('unsafe', text, {
    code: 'batch_differs',
    // Real money: a person decides it, and the message says the flag.
    ...(other === 'environment'
      ? { otherCommand: { when: 'If you mean it', line: commandLine(['svc', ...there]) } }
      : {}),
  });
}

/** Said where a file is sent each month: without a name a batch is called as its file. */
const OTHER_NAME = 'For other payments, give another name with --batch.';

/** @throws Failure `unsafe` where `--new-since` says something else than when it was planned */
export function requireSameSince(batch: Batch, sinceMs: number | null, where: Where): void {
  if (sinceMs === null || sinceMs === batch.sinceMs) return;
  const was =
    batch.sinceMs === null ? 'without --new-since' : `with --new-since ${isoSeconds(batch.sinceMs)}`;
  throw new Failure(
    'unsafe',
    `Batch ${batch.name} was planned ${was}, and its keys depend on that. Nothing was sent. ${OTHER_NAME} You can drop ` +
      'the rows of this batch that were not sent.',
    { code: 'batch_differs', nextCommand: batchCommand('drop', batch.name, where) },
  );
}

/** @throws Failure `unsafe` where the file is not the one that was planned, `bad_file` where it can't be read */
export async function requireSameFile(batch: Batch, path: string, where: Where): Promise<void> {
  const hash = await hashFile(path);
  if (hash === null) throw new Failure('bad_file', `${path} cannot be read. Nothing was sent.`);
  if (hash === batch.fileHash) return;
  throw new Failure(
    'unsafe',
    `${path} has changed since batch ${batch.name} was planned. Nothing was sent. "svc batches resume" continues ` +
      'without the file. "svc batches drop" removes the rows that were not sent; then you can send the new file.',
    { code: 'file_changed', nextCommand: batchCommand('resume', batch.name, where) },
  );
}

/** No row is left to send, and none waits for a person. It says how many rows it has: those that were dropped are in no batch. */
export function finished({ name, rows, approval }: Batch, where: Where): Failure {
  const sent = rows === 1 ? '1 row, and it was sent' : `${rows} rows, and all were sent`;
  const again =
    approval === null
      ? `For rows that were dropped, add --batch OTHER --skip-paid. ${OTHER_NAME}`
      : 'For rows that were dropped, or other payments, make a new plan with another --batch.';
  return new Failure('unsafe', `Batch ${name} has ${sent}. Nothing was sent now. ${again}`, {
    code: 'batch_finished',
    nextCommand: batchCommand('status', name, where),
  });
}
