/** Named checkpoints in PostgreSQL: one row each, held by one run at a time, whichever machine it is on. */
import { systemTicker } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import type { Connection } from '../../state/connection.js';
import { type StateOptions, withState } from '../../state/opening.js';
import {
  keyNotes,
  type NamedCheckpoint,
  newerCheckpoint,
  type OpenCheckpoint,
  requireSamePlace,
} from '../checkpoint.js';
import { type Checkpoint, type FeedPlace, readCheckpoint, writeCheckpoint } from '../checkpoint-text.js';
import {
  CHECKPOINT_HOLDER,
  CHECKPOINTS,
  DROP_CHECKPOINT,
  HOLD_CHECKPOINT,
  LEAVE_CHECKPOINT,
  SAVE_CHECKPOINT,
  STILL_HELD,
} from './statements.js';

export interface SharedCheckpointOptions extends StateOptions {
  /** Who holds it, as others see it. */
  readonly name: string;
  readonly newToken: () => string;
  /** How long it stays held where nobody is heard of; renewed three times in that while. */
  readonly leaseMs: number;
}

interface Row {
  readonly content: string;
  readonly sequence: number;
}

/**
 * Works with a checkpoint while nobody else does.
 * @throws Failure `locked` where another run has it, `unsafe` for one of another address or environment, `local_state`
 */
export async function withSharedCheckpoint<T>(
  named: NamedCheckpoint,
  options: SharedCheckpointOptions,
  work: (checkpoint: OpenCheckpoint) => Promise<T>,
): Promise<T> {
  const { leaseMs } = options;
  const token = options.newToken();
  return withState(options, async (connection) => {
    const row = await hold(connection, named, token, options);
    const renew = (): void =>
      void connection.once(STILL_HELD, [named.name, token, leaseMs]).catch(() => undefined);
    const end = systemTicker(leaseMs / 3, renew);
    try {
      return await work(opened(row, named, token, { ...options, connection }));
    } finally {
      end();
      // What cannot be said now, the end of the lease says.
      await connection.once(LEAVE_CHECKPOINT, [named.name, token]).catch(() => undefined);
    }
  });
}

/** Removes every checkpoint of such a feed that nobody holds; answers how many. @throws Failure `local_state` */
export function dropSharedCheckpoints(
  options: SharedCheckpointOptions,
  isGone: (place: FeedPlace) => boolean,
): Promise<number> {
  return withState(options, async (connection) => {
    const { rows } = await connection.run<FeedPlace & { checkpoint: string }>(CHECKPOINTS);
    let count = 0;
    for (const { checkpoint, ...place } of rows)
      if (isGone(place)) count += (await connection.run(DROP_CHECKPOINT, [checkpoint])).count;
    return count;
  });
}

async function hold(
  connection: Connection,
  { name, environment, address, keyMask }: NamedCheckpoint,
  token: string,
  { name: by, leaseMs }: SharedCheckpointOptions,
): Promise<Row> {
  const values = [name, environment, address, keyMask, token, by, leaseMs];
  const [row] = (await connection.run<Row>(HOLD_CHECKPOINT, values)).rows;
  if (row !== undefined) return row;
  const [holder] = (await connection.run<{ name: string }>(CHECKPOINT_HOLDER, [name])).rows;
  throw new Failure(
    'locked',
    `Another run of svc is using checkpoint ${name}${holder === undefined ? '' : `: ${holder.name}`}. Wait until it ends, then run this again.`,
    { code: 'locked', retryable: true },
  );
}

/** Sequence and holder are looked at where they are written. */
function opened(
  { content, sequence: before }: Row,
  named: NamedCheckpoint,
  token: string,
  { connection, leaseMs }: SharedCheckpointOptions & { readonly connection: Connection },
): OpenCheckpoint {
  const { name, environment, address, keyMask } = named;
  const last = content === '' ? null : wholeOf(content, name);
  if (last !== null) requireSamePlace(last, named);
  let sequence = before;
  return {
    position: last?.position ?? null,
    notes: last === null ? [] : keyNotes(last, named),
    save: async (position) => {
      const text = writeCheckpoint({ environment, address, keyMask, position, sequence: sequence + 1 });
      const values = [name, token, sequence, text, keyMask, leaseMs];
      // The row is as it is written where an answer was lost: given again, it is the same.
      if ((await connection.run(SAVE_CHECKPOINT, values)).count === 0) throw takenOver(name);
      sequence += 1;
    },
  };
}

/** @throws Failure `local_state`: it is never taken for the start of the feed */
function wholeOf(content: string, name: string): Checkpoint {
  const read = readCheckpoint(Buffer.from(content));
  if (read.kind === 'whole') return read.checkpoint;
  if (read.kind === 'newer') throw newerCheckpoint(name);
  throw new Failure(
    'local_state',
    `Checkpoint ${name} in the shared state is damaged. svc does not start from the beginning instead. Use another --checkpoint, and say where ` +
      'to begin with --from.',
    { code: 'checkpoint_damaged' },
  );
}

function takenOver(name: string): Failure {
  return new Failure(
    'locked',
    `This run stopped for so long that another one is using checkpoint ${name} now. The events that this run handed over since may come again there.`,
    { code: 'lease_lost', outcome: 'sent', retryable: true },
  );
}
