import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { NamedCheckpoint, OpenCheckpoint } from '../../src/storage/checkpoints/checkpoint.js';
import { dropSharedCheckpoints, lockSharedCheckpoint } from '../../src/storage/checkpoints/postgres.js';
import type { SharedCheckpointOptions } from '../../src/storage/checkpoints/postgres.js';
import { systemClock } from '../../src/runtime/clock.js';
import type { StatePlace } from '../../src/storage/postgres/place.js';
import { lineTo } from '../support/line.js';
import { openDatabaseHere } from '../support/postgres.js';

const server = await openDatabaseHere();
afterAll(() => server?.stop());

const HERE = { environment: 'sandbox', address: 'http://localhost:4010/sandbox' } as const;
const ORDERS: NamedCheckpoint = { ...HERE, name: 'orders', keyMask: 'svc_test_...1a2b' };
let tokens = 0;

describe.skipIf(server === null)('a checkpoint that machines share', () => {
  let place: StatePlace;
  beforeEach(async () => {
    place = await server!.place(null, 'worker');
  });
  const options = (more: Partial<SharedCheckpointOptions> = {}): SharedCheckpointOptions => ({
    ...{ place, clock: systemClock, patienceMs: 20_000, say: () => undefined },
    ...{ name: 'pod/7', key: null, leaseMs: 60_000 },
    newToken: () => `token ${String((tokens += 1))}`,
    ...more,
  });
  const using = async <T>(
    work: (checkpoint: OpenCheckpoint) => Promise<T>,
    more: Partial<SharedCheckpointOptions> = {},
    named = ORDERS,
  ): Promise<T> => {
    await using checkpoint = await lockSharedCheckpoint(named, options(more));
    return await work(checkpoint);
  };
  const position = (named = ORDERS) => using((checkpoint) => Promise.resolve(checkpoint.position), {}, named);
  const sql = (text: string): Promise<Record<string, unknown>[]> => server!.queryIn(place, text);

  it('is not there before it is saved, and comes back as it was saved, whoever asks', async () => {
    expect(await position()).toBeNull();
    await using(async (checkpoint) => {
      for (const cursor of ['c1', 'c2', 'c3']) await checkpoint.save({ cursor, ids: ['a', 'é"'] });
    });
    expect(await position()).toEqual({ cursor: 'c3', ids: ['a', 'é"'] });
    const other = { ...ORDERS, keyMask: 'svc_test_...ffff' };
    const notes = await using((checkpoint) => Promise.resolve(checkpoint.notes), {}, other);
    expect(notes.join()).toContain(ORDERS.keyMask);
  });

  it('is one run’s alone: the other one is told whose', async () => {
    const work = async (checkpoint: OpenCheckpoint): Promise<void> => {
      await checkpoint.save({ cursor: 'c1', ids: [] });
      const message = expect.stringContaining('laptop/1') as string;
      await expect(position()).rejects.toMatchObject({ kind: 'locked', message });
    };
    await using(work, { name: 'laptop/1' });
    expect(await position()).toMatchObject({ cursor: 'c1' });
  });

  it('is held by one of many that come at once', async () => {
    const { promise: held, resolve: go } = Promise.withResolvers<null>();
    const saving = async (checkpoint: OpenCheckpoint): Promise<string> => {
      await held;
      await checkpoint.save({ cursor: 'c1', ids: [] });
      return 'had it';
    };
    const runs = [1, 2, 3, 4].map(() => using(saving).catch(() => 'locked'));
    await new Promise((done) => setTimeout(done, 400));
    go(null);
    expect((await Promise.all(runs)).toSorted()).toEqual(['had it', 'locked', 'locked', 'locked']);
  });

  it('is taken over from who is not heard of, who then saves nothing more', async () => {
    const late = { kind: 'locked', facts: expect.objectContaining({ code: 'lease_lost' }) as object };
    await using(async (checkpoint) => {
      await checkpoint.save({ cursor: 'c1', ids: [] });
      await sql(`UPDATE svc.checkpoints SET lease_until = '2000-01-01'`);
      await using(async (next) => {
        expect(next.position).toMatchObject({ cursor: 'c1' });
        await next.save({ cursor: 'c2', ids: [] });
        await expect(checkpoint.save({ cursor: 'c9', ids: [] })).rejects.toMatchObject(late);
      });
      await expect(checkpoint.save({ cursor: 'c9', ids: [] })).rejects.toMatchObject(late);
    });
    expect(await position()).toMatchObject({ cursor: 'c2' });
  });

  it('stays with who waits for longer than its lease and is there', async () => {
    const work = async (checkpoint: OpenCheckpoint): Promise<void> => {
      await new Promise((done) => setTimeout(done, 1500));
      await expect(position()).rejects.toMatchObject({ kind: 'locked' });
      await checkpoint.save({ cursor: 'c1', ids: [] });
    };
    await using(work, { leaseMs: 600 });
  });

  it('is saved once where the answer to that is lost', async () => {
    const line = await lineTo(place.port);
    const work = async (checkpoint: OpenCheckpoint): Promise<void> => {
      for (let count = 0; count < 8; count += 1) {
        line.cut(1);
        await checkpoint.save({ cursor: `c${String(count)}`, ids: [] });
      }
    };
    await using(work, { place: { ...place, port: line.port } });
    expect(await position()).toMatchObject({ cursor: 'c7' });
    expect(await sql('SELECT sequence::int AS sequence FROM svc.checkpoints')).toEqual([{ sequence: 8 }]);
    expect(line.count()).toBe(8);
    await line.stop();
  });

  it('of another place is refused, and left to who it is for', async () => {
    await using((checkpoint) => checkpoint.save({ cursor: 'c1', ids: [] }));
    const elsewhere = { ...ORDERS, address: 'https://api.example.com/sandbox' };
    await expect(position(elsewhere)).rejects.toMatchObject({ kind: 'unsafe', exitCode: 13 });
    expect(await position()).toMatchObject({ cursor: 'c1' });
  });

  it('that was never saved belongs to nobody', async () => {
    await position();
    const elsewhere = { ...ORDERS, address: 'https://api.example.com/sandbox' };
    await using((checkpoint) => checkpoint.save({ cursor: 'c1', ids: [] }), {}, elsewhere);
    expect(await position(elsewhere)).toMatchObject({ cursor: 'c1' });
    expect(await dropSharedCheckpoints(options(), ({ address }) => address === HERE.address)).toBe(0);
  });

  it.each(['', '{}\n', 'x'])('with %j for its content is never the start of the feed', async (content) => {
    await using((checkpoint) => checkpoint.save({ cursor: 'c1', ids: [] }));
    const damaged = content === '' ? 'left(content, -1)' : `'${content}'`;
    await sql(`UPDATE svc.checkpoints SET content = ${damaged}`);
    const facts = expect.objectContaining({ code: 'checkpoint_damaged' }) as object;
    await expect(position()).rejects.toMatchObject({ kind: 'local_state', facts });
  });

  it('goes where its feed is gone, unless a run has it', async () => {
    await using((checkpoint) => checkpoint.save({ cursor: 'c1', ids: [] }));
    const isGone = ({ address }: { address: string }): boolean => address === HERE.address;
    await using(async () => expect(await dropSharedCheckpoints(options(), isGone)).toBe(0));
    expect(await dropSharedCheckpoints(options(), () => false)).toBe(0);
    expect(await dropSharedCheckpoints(options(), isGone)).toBe(1);
    expect(await position()).toBeNull();
  });
});
