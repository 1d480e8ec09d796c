/** Why a batch that is there may not go on: each keeps a batch from being sent as something else than was confirmed. */
import type { Batch, BatchFacts } from '../../bulk/store/batch.js';
import { hashFile } from '../../bulk/file/source.js';
import { isoSeconds } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import { batchCommand } from './end.js';
import type { Where } from '../call/next.js';

/** @throws Failure `unsafe` where environment or direction are others than when it was planned */
export function requireSame(batch: Batch, now: Pick<BatchFacts, 'environment' | 'direction'>): void {
  const names = ['environment', 'direction'] as const;
  const other = names.find((name) => batch[name] !== now[name]);
  if (other === undefined) return;
  throw new Failure(
    'unsafe',
    `Batch ${batch.name} has the ${other} ${batch[other]}, and this command has ${now[other]}. Nothing was sent.`,
    { code: 'batch_differs' },
  );
}

/** @throws Failure `unsafe` where `--new-since` says something else than when it was planned */
export function requireSameSince(batch: Batch, sinceMs: number | null, where: Where): void {
  if (sinceMs === null || sinceMs === batch.sinceMs) return;
  const was =
    batch.sinceMs === null ? 'without --new-since' : `with --new-since ${isoSeconds(batch.sinceMs)}`;
  throw new Failure(
    'unsafe',
    `Batch ${batch.name} was planned ${was}: its keys follow from that. Nothing was sent. What never left of it can be dropped.`,
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
    `${path} is not the file that batch ${batch.name} was planned from: it was changed. Nothing was sent. "svc batches resume" goes on ` +
      'without the file; "svc batches drop" removes what never left, so that the new file can follow.',
    { code: 'file_changed', nextCommand: batchCommand('resume', batch.name, where) },
  );
}

/** Everything in it was sent, and no row waits for a person. */
export function finished(batch: Batch, where: Where): Failure {
  return new Failure('unsafe', `Batch ${batch.name} was sent already. Nothing was sent now.`, {
    code: 'batch_finished',
    nextCommand: batchCommand('status', batch.name, where),
  });
}
