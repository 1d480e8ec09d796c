/** Named checkpoints as commands reach them: two files and a lock in the state folder, or a row in the database that machines share. */
import { join } from 'node:path';
import type { NamedCheckpoint, OpenCheckpoint } from '../../events/checkpoint.js';
import { dropCheckpoints } from '../../events/checkpoint-dropping.js';
import { checkpointLock, openCheckpoint } from '../../events/checkpoint-file.js';
import type { FeedPlace } from '../../events/checkpoint-text.js';
import type { SharedCheckpointOptions } from '../../events/postgres/checkpoints.js';
import { withLock } from '../../runtime/lock.js';
import type { Ports } from '../../runtime/ports.js';
import type { SharedState } from '../../state/place.js';
import { sharedStateOf, tellOfFiles, worldOf } from './shared.js';
import type { BookRun } from './state-settings.js';

/** A run that is not heard of for so long is gone. */
const LEASE_MS = 60_000;

/**
 * Works with a checkpoint while no other run does.
 * @throws Failure `locked` where one does, `unsafe` for a checkpoint of another place, `local_state`
 */
export async function withNamedCheckpoint<T>(
  run: BookRun,
  named: NamedCheckpoint,
  work: (checkpoint: OpenCheckpoint) => Promise<T>,
): Promise<T> {
  const { ports } = run;
  const { name } = named;
  const shared = sharedStateOf(run);
  if (shared !== null) {
    const { withSharedCheckpoint } = await import('../../events/postgres/checkpoints.js');
    return withSharedCheckpoint(named, optionsOf(shared, ports), work);
  }
  await tellOfFiles(run);
  const folder = folderOf(ports);
  return withLock(checkpointLock({ folder, name }), { clock: ports.clock, waitMs: 0 }, () =>
    work(openCheckpoint({ ...named, folder })),
  );
}

/** Drops those of a feed that is gone, of this machine and of those that share a state with it; answers how many. */
export async function dropGoneCheckpoints(
  run: BookRun,
  isGone: (place: FeedPlace) => boolean,
): Promise<number> {
  const { ports } = run;
  const count = await dropCheckpoints(folderOf(ports), ports.clock, isGone);
  const shared = sharedStateOf(run);
  if (shared === null) return count;
  const { dropSharedCheckpoints } = await import('../../events/postgres/checkpoints.js');
  return count + (await dropSharedCheckpoints(optionsOf(shared, ports), isGone));
}

function folderOf({ paths }: Pick<Ports, 'paths'>): string {
  return join(paths.state, 'checkpoints');
}

function optionsOf({ place }: SharedState, ports: Ports): SharedCheckpointOptions {
  return { place, ...worldOf(ports), leaseMs: LEASE_MS };
}
