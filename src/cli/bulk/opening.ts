/**
 * Opens a batch that is there for a command that goes on with it: nobody else runs it, this session may act for its company, and it is
 * still what was confirmed.
 */
import { createHash } from 'node:crypto';
import { hashFile } from '../../bulk/file/source.js';
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { Batch, BatchFacts } from '../../bulk/store/batch.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { commandLine, flagWords } from '../../runtime/shell.js';
import { withFlags, withoutFlags } from '../line/shell.js';
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

/**
 * @param pace how many connections the work needs at a time, and how many requests a second it may send
 * @param mode whether others may go on with it at once, where machines share it
 * @throws Failure `not_found`, `locked`, `unsafe` (another environment or company)
 */
export async function withBatch<R extends Run<AskingFlags>>(
  run: R,
  name: string,
  { pace, mode }: { readonly pace: Pace; readonly mode: 'send' | 'alone' },
  work: (open: Informed<R> & { readonly batch: Batch; readonly store: BatchStore }) => Promise<void>,
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

/** What a file meets that is sent under the name of a batch that is there. */
export interface NamedAgain {
  readonly batch: Batch;
  /** False where no row of the batch can be sent any more, so that neither a resume nor a drop leads on. */
  readonly isOpen: boolean;
  readonly path: string;
  readonly run: Pick<Run, 'typed'> & { readonly flags: Where };
}

/** @throws Failure `unsafe` where `--new-since` says something else than when it was planned */
export async function requireSameSince(again: NamedAgain, sinceMs: number | null): Promise<void> {
  const { batch, isOpen, run } = again;
  if (sinceMs === null || sinceMs === batch.sinceMs) return;
  const was =
    batch.sinceMs === null ? 'without --new-since' : `with --new-since ${isoSeconds(batch.sinceMs)}`;
  const text = `Batch ${batch.name} was planned ${was}, and its keys depend on that. Nothing was sent.`;
  if (!isOpen) throw await isOver('batch_differs', text, again);
  throw new Failure('unsafe', `${text} You can drop the rows of this batch that were not sent.`, {
    code: 'batch_differs',
    nextCommand: batchCommand('drop', batch.name, run.flags),
  });
}

/** @throws Failure `unsafe` where the file is not the one that was planned, `bad_file` where it can't be read */
export async function requireSameFile(again: NamedAgain): Promise<void> {
  const { batch, isOpen, path, run } = again;
  const hash = await hashOf(path);
  if (hash === batch.fileHash) return;
  const text = `${path} has changed since batch ${batch.name} was planned. Nothing was sent.`;
  if (!isOpen) throw await isOver('file_changed', text, again);
  throw new Failure(
    'unsafe',
    `${text} "svc batches resume" continues without the file. "svc batches drop" removes the rows that were not sent; ` +
      'then you can send the new file.',
    { code: 'file_changed', nextCommand: batchCommand('resume', batch.name, run.flags) },
  );
}

/** @throws Failure `bad_file` */
async function hashOf(path: string): Promise<string> {
  const hash = await hashFile(path);
  if (hash === null) throw new Failure('bad_file', `${path} cannot be read. Nothing was sent.`);
  return hash;
}

/**
 * The line that leads on has a name in it that only this file has, typed like that: it asks for everything, as for any file, and names
 * what was paid already. The same line once more meets the same batch.
 */
async function isOver(code: string, text: string, { batch, path, run }: NamedAgain): Promise<Failure> {
  const { flags, typed } = run;
  const digest = createHash('sha256')
    .update(`${await hashOf(path)}\n${typed.join('\n')}`)
    .digest('hex');
  const name = `${batch.name.slice(0, NAME_KEPT).trim()}-${digest.slice(0, 6)}`;
  const line = commandLine([
    'svc',
    ...withFlags(withoutFlags(typed, ['--batch']), flagWords('--batch', name)),
  ]);
  return new Failure('unsafe', `${text} No row of that batch is left to send.`, {
    code,
    nextCommand: batchCommand('status', batch.name, flags),
    otherCommand: { when: 'To send this file as a batch of its own', line },
  });
}

/** Of a name, before what is put behind it. */
const NAME_KEPT = 93;

/** No row is left to send, and none waits for a person. It says how many rows it has: those that were dropped are in no batch. */
export function finished({ name, rows }: Batch, where: Where): Failure {
  const sent = rows === 1 ? '1 row, and it was sent' : `${rows} rows, and all were sent`;
  return new Failure('unsafe', `Batch ${name} has ${sent}. Nothing was sent now.`, {
    code: 'batch_finished',
    nextCommand: batchCommand('status', name, where),
  });
}
