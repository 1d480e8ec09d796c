/** Why a batch that is there may not go on: each keeps a batch from being sent as something else than was confirmed. */
import type { Batch, BatchFacts } from '../../bulk/store/batch-store.js';
import { hashFile } from '../../bulk/file/source.js';
import { Failure } from '../../runtime/failure.js';
import { batchCommand } from './end.js';
import type { Where } from '../call/next.js';

/** Where, as whom and what a batch sends. */
export type Standing = Pick<BatchFacts, 'environment' | 'address' | 'profile' | 'direction'>;

/** @throws Failure `unsafe` where environment, address, profile or direction are others than when it was planned */
export function requireSame(batch: Batch, now: Standing): void {
  const names = ['environment', 'address', 'profile', 'direction'] as const;
  const other = names.find((name) => batch[name] !== now[name]);
  if (other === undefined) return;
  throw new Failure(
    'unsafe',
    `Batch ${batch.name} has the ${other} ${batch[other] ?? 'none'}, and this command has ${now[other] ?? 'none'}. Nothing was sent. ` +
      'Give it what it had, or choose another name for another batch.',
    { code: 'batch_differs' },
  );
}

/** @throws Failure `unsafe` where the file is not the one that was planned, `bad_file` where it can't be read */
export async function requireSameFile(batch: Batch, path: string): Promise<void> {
  const hash = await hashFile(path);
  if (hash === null) throw new Failure('bad_file', `${path} cannot be read. Nothing was sent.`);
  if (hash !== batch.fileHash) throw changed(batch, path);
}

/** The same for a resume, which needs no file: one that is gone is no reason to stop. */
export async function requireUnchangedFile(batch: Batch): Promise<void> {
  const hash = await hashFile(batch.file);
  if (hash !== null && hash !== batch.fileHash) throw changed(batch, batch.file);
}

/** Everything in it was sent. */
export function finished(batch: Batch, where: Where): Failure {
  return new Failure(
    'unsafe',
    `Batch ${batch.name} was sent already. Nothing was sent now. To pay these people once more, give the new batch a name of its own.`,
    { code: 'batch_finished', nextCommand: batchCommand('status', batch.name, where) },
  );
}

function changed(batch: Batch, path: string): Failure {
  return new Failure(
    'unsafe',
    `${path} is not the file that batch ${batch.name} was planned from: it was changed. Nothing was sent. Put the old file back to go on; ` +
      'rows that are new belong into a batch of their own.',
    { code: 'file_changed' },
  );
}
