/** Why a checkpoint is not used: it belongs elsewhere, nothing whole is left of it, or a newer program wrote it. */
import { shellPath } from '../runtime/disk.js';
import { Failure } from '../runtime/failure.js';
import type { FeedPlace } from './checkpoint-text.js';

/** @throws Failure `unsafe` for another address or environment */
export function requirePlace(checkpoint: FeedPlace, here: FeedPlace & { readonly name: string }): void {
  if (checkpoint.address === here.address && checkpoint.environment === here.environment) return;
  throw new Failure(
    'unsafe',
    `Checkpoint ${here.name} belongs to ${checkpoint.address} (${checkpoint.environment}), and this command goes to ` +
      `${here.address} (${here.environment}). Nothing was sent. Give it the address it had, or another --checkpoint.`,
    { code: 'other_place' },
  );
}

/** @param paths the damaged copies, to be deleted by a person */
export function damaged(name: string, paths: readonly string[]): Failure {
  return new Failure(
    'local_state',
    `Checkpoint ${name} is damaged, with no whole copy beside it. It is not taken for the start of the feed. ` +
      `Type: rm ${paths.map(shellPath).join(' ')}, and say where to begin with --from.`,
    { code: 'checkpoint_damaged' },
  );
}

export function newer(name: string): Failure {
  return new Failure(
    'local_state',
    `Checkpoint ${name} was written by a newer version of svc. Update this one, or use another --checkpoint.`,
  );
}
