/** How a worker joins a batch: whose lease is over is let go first, and whoever has to be alone is. */
import { Failure } from '../../../runtime/failure.js';
import { damagedStore } from '../records.js';
import type { JoinMode } from '../worker.js';
import { Lease, type LeaseWorld } from './lease.js';
import { JOIN, LOOK, REAP } from './statements.js';

interface There {
  readonly joins: number;
  readonly worker: number | null;
  readonly mode: JoinMode;
  readonly name: string;
  readonly token: string;
}

/**
 * @param token says which worker this one is where an answer is lost
 * @throws Failure `locked` where somebody is there who has to be alone, or this one has to
 */
export async function joinBatch(
  batch: number,
  mode: JoinMode,
  token: string,
  world: LeaseWorld,
): Promise<Lease> {
  const { connection, name, program, leaseMs } = world;
  for (;;) {
    await connection.run(REAP, [null, batch]);
    const since = Lease.moment(world);
    const { rows } = await connection.run<There>(LOOK, [batch]);
    const [first] = rows;
    if (first === undefined) throw damagedStore('a batch is gone');
    const mine = rows.find((one) => one.token === token);
    if (typeof mine?.worker === 'number') return new Lease(batch, mine.worker, since, world);
    const others = rows.filter(({ worker }) => worker !== null);
    const inTheWay = others.find((other) => mode !== 'send' || other.mode !== 'send');
    if (inTheWay !== undefined) throw heldBy(inTheWay.name);
    const values = [batch, first.joins, mode, name, program, token, leaseMs, others.length === 0];
    const [joined] = (await connection.run<{ worker: number }>(JOIN, values)).rows;
    // Nobody may have joined since the look: else it is looked again.
    if (joined !== undefined) return new Lease(batch, joined.worker, since, world);
  }
}

export function heldBy(name: string | null): Failure {
  const by = name === null ? '' : `: ${name} is at work on it`;
  const text = `Another run of this batch is under way${by}. Nothing was sent. Wait until it ends.`;
  return new Failure('locked', text, { code: 'locked', retryable: true });
}
