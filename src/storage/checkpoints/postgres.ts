import { systemTicker } from '../../runtime/clock.js';
import { Failure } from '../../runtime/failure.js';
import type { Connection } from '../postgres/connection.js';
import { toDisposable, openTogether } from '../../runtime/disposal.js';
import { openState, type StateOptions, withState } from '../postgres/open.js';
import { msFromNow } from '../postgres/sql.js';
import {
  keyNotes,
  type NamedCheckpoint,
  newerCheckpointFailure,
  type OpenCheckpoint,
  requireSamePlace,
  type Checkpoint,
  type FeedPlace,
  readCheckpoint,
  writeCheckpoint,
} from './checkpoint.js';

export interface SharedCheckpointOptions extends StateOptions {
  readonly name: string;
  readonly newToken: () => string;
  readonly leaseMs: number;
}

interface CheckpointRow {
  readonly content: string;
  readonly sequence: number;
}

export async function lockSharedCheckpoint(
  namedCheckpoint: NamedCheckpoint,
  options: SharedCheckpointOptions,
): Promise<OpenCheckpoint & AsyncDisposable> {
  const { name, environment, address, keyMask } = namedCheckpoint;
  const { leaseMs } = options;
  const token = options.newToken();
  return openTogether(async (use) => {
    const connection = use(toDisposable((await openState(options)).connection));
    const row = await takeCheckpoint(connection, namedCheckpoint, token, options);
    const renew = (): void =>
      void connection.runOnce(RENEW_CHECKPOINT, [name, token, leaseMs]).catch(() => undefined);
    const stopTicker = systemTicker(leaseMs / 3, renew);
    use({
      [Symbol.asyncDispose]: async () => {
        stopTicker();
        await connection.runOnce(RELEASE_CHECKPOINT, [name, token]).catch(() => undefined);
      },
    });
    const savedCheckpoint = row.content === '' ? null : readContent(row.content, name);
    if (savedCheckpoint !== null) requireSamePlace(savedCheckpoint, namedCheckpoint);
    let { sequence } = row;
    return {
      position: savedCheckpoint?.position ?? null,
      notes: savedCheckpoint === null ? [] : keyNotes(savedCheckpoint, namedCheckpoint),
      save: async (position) => {
        const text = writeCheckpoint({ environment, address, keyMask, position, sequence: sequence + 1 });
        const values = [name, token, sequence, text, keyMask, leaseMs];
        if ((await connection.run(SAVE_CHECKPOINT, values)).count === 0) throw takenOverFailure(name);
        sequence += 1;
      },
    };
  });
}

export function dropSharedCheckpoints(
  options: SharedCheckpointOptions,
  isGone: (place: FeedPlace) => boolean,
): Promise<number> {
  return withState(options, async (connection) => {
    const { rows } = await connection.run<FeedPlace & { checkpoint: string }>(READ_CHECKPOINTS);
    let count = 0;
    for (const { checkpoint, ...place } of rows)
      if (isGone(place)) count += (await connection.run(DROP_CHECKPOINT, [checkpoint])).count;
    return count;
  });
}

async function takeCheckpoint(
  connection: Connection,
  { name, environment, address, keyMask }: NamedCheckpoint,
  token: string,
  { name: holderName, leaseMs }: SharedCheckpointOptions,
): Promise<CheckpointRow> {
  const values = [name, environment, address, keyMask, token, holderName, leaseMs];
  const [row] = (await connection.run<CheckpointRow>(HOLD_CHECKPOINT, values)).rows;
  if (row !== undefined) return row;
  const [holder] = (await connection.run<{ name: string }>(CHECKPOINT_HOLDER, [name])).rows;
  const text = `Another run of svc is using checkpoint ${name}${holder === undefined ? '' : `: ${holder.name}`}. Wait until it ends, then run this again.`;
  throw new Failure('locked', text, { code: 'locked', retryable: true });
}

function readContent(content: string, name: string): Checkpoint {
  const read = readCheckpoint(Buffer.from(content));
  if (read.kind === 'whole') return read.checkpoint;
  if (read.kind === 'newer') throw newerCheckpointFailure(name);
  const text =
    `Checkpoint ${name} in the shared state is damaged. svc does not start from the beginning instead. Use another --checkpoint, and say where ` +
    'to begin with --from.';
  throw new Failure('local_state', text, { code: 'checkpoint_damaged' });
}

function takenOverFailure(name: string): Failure {
  const text = `This run stopped for so long that another one is using checkpoint ${name} now. The events that this run handed over since may come again there.`;
  return new Failure('locked', text, { code: 'lease_lost', outcome: 'sent', retryable: true });
}

const IS_FREE = '(c.holder IS NULL OR c.lease_until < clock_timestamp())';

export const HOLD_CHECKPOINT = `
INSERT INTO svc.checkpoints AS c (checkpoint, environment, address, key_mask, sequence, content, holder, name, lease_until)
VALUES ($1, $2, $3, $4, 0, '', $5, $6, ${msFromNow('$7')})
ON CONFLICT (checkpoint) DO UPDATE SET environment = CASE WHEN c.content = '' THEN $2 ELSE c.environment END,
  address = CASE WHEN c.content = '' THEN $3 ELSE c.address END, holder = $5, name = $6, lease_until = ${msFromNow('$7')} WHERE ${IS_FREE} OR c.holder = $5
RETURNING c.content, c.sequence`;

const CHECKPOINT_HOLDER = 'SELECT name FROM svc.checkpoints WHERE checkpoint = $1';

export const SAVE_CHECKPOINT = `
UPDATE svc.checkpoints c SET content = $4, sequence = $3::bigint + 1, key_mask = $5, lease_until = ${msFromNow('$6')}
WHERE c.checkpoint = $1 AND c.holder = $2 AND (c.sequence = $3 OR (c.sequence = $3::bigint + 1 AND c.content = $4))`;

const RENEW_CHECKPOINT = `UPDATE svc.checkpoints c SET lease_until = ${msFromNow('$3')} WHERE c.checkpoint = $1 AND c.holder = $2`;

const RELEASE_CHECKPOINT = 'UPDATE svc.checkpoints SET holder = NULL WHERE checkpoint = $1 AND holder = $2';

const READ_CHECKPOINTS = 'SELECT checkpoint, environment, address FROM svc.checkpoints';

const DROP_CHECKPOINT = `DELETE FROM svc.checkpoints c WHERE c.checkpoint = $1 AND ${IS_FREE}`;
