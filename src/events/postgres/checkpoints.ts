/** Named checkpoints in PostgreSQL: one row each, held by one run at a time, on any machine. */
import { systemTicker } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import type { Connection } from '../../state/connection.js';
import { type StateOptions, withState } from '../../state/opening.js';
import { inMs } from '../../state/sql.js';
import {
  keyNotes,
  type NamedCheckpoint,
  newerCheckpoint,
  type OpenCheckpoint,
  requireSamePlace,
  type Checkpoint,
  type FeedPlace,
  readCheckpoint,
  writeCheckpoint,
} from '../checkpoint.js';

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

const IS_FREE = '(c.holder IS NULL OR c.lease_until < clock_timestamp())';

/** Whose holder is not heard of any more is taken over. $1 name, $2 environment, $3 address, $4 key, $5 token, $6 who, $7 lease in ms */
export const HOLD_CHECKPOINT = `
INSERT INTO svc.checkpoints AS c (checkpoint, environment, address, key_mask, sequence, content, holder, name, lease_until)
VALUES ($1, $2, $3, $4, 0, '', $5, $6, ${inMs('$7')})
ON CONFLICT (checkpoint) DO UPDATE SET environment = CASE WHEN c.content = '' THEN $2 ELSE c.environment END,
  address = CASE WHEN c.content = '' THEN $3 ELSE c.address END, holder = $5, name = $6, lease_until = ${inMs('$7')} WHERE ${IS_FREE} OR c.holder = $5
RETURNING c.content, c.sequence`;

/** $1 name */
const CHECKPOINT_HOLDER = 'SELECT name FROM svc.checkpoints WHERE checkpoint = $1';

/** Fence and lock in one: only its holder, and only behind what the holder has read. $1 name, $2 token, $3 sequence, $4 content, $5 key, $6 lease */
export const SAVE_CHECKPOINT = `
UPDATE svc.checkpoints c SET content = $4, sequence = $3::bigint + 1, key_mask = $5, lease_until = ${inMs('$6')}
WHERE c.checkpoint = $1 AND c.holder = $2 AND (c.sequence = $3 OR (c.sequence = $3::bigint + 1 AND c.content = $4))`;

/** $1 name, $2 token, $3 lease in ms */
const STILL_HELD = `UPDATE svc.checkpoints c SET lease_until = ${inMs('$3')} WHERE c.checkpoint = $1 AND c.holder = $2`;

/** $1 name, $2 token */
const LEAVE_CHECKPOINT = 'UPDATE svc.checkpoints SET holder = NULL WHERE checkpoint = $1 AND holder = $2';

const CHECKPOINTS = 'SELECT checkpoint, environment, address FROM svc.checkpoints';

/** $1 name */
const DROP_CHECKPOINT = `DELETE FROM svc.checkpoints c WHERE c.checkpoint = $1 AND ${IS_FREE}`;
