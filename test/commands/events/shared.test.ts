/** Followers of machines that share their state: a checkpoint goes on wherever it is named, and one run has it at a time. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ids } from '../../events/feed.js';
import { FEED_ENV, feedLine, listFeed, type FeedAnswer } from '../../support/feed-line.js';
import { sharedDatabase } from '../../support/shared-state.js';
import { type Result, type RunOptions, world, type World } from '../../support/svc.js';

const shared = await sharedDatabase();

describe.skipIf(shared === null)('a checkpoint that machines share', () => {
  let home: World;
  let env: Readonly<Record<string, string>> = {};
  let other: Readonly<Record<string, string>> = {};
  beforeEach(async () => {
    home = world();
    env = { ...FEED_ENV, ...shared!.env(), SVC_WORKER_NAME: 'laptop/1' };
    const folders = { XDG_STATE_HOME: join(home.home, 'other'), XDG_CONFIG_HOME: join(home.home, 'config') };
    other = { ...env, ...folders, SVC_WORKER_NAME: 'pod/7' };
    await home.svc('state init', { env });
  });
  afterEach(() => home.remove());
  const tail = async (answer: FeedAnswer, options: RunOptions = { env }, words = '') => {
    const line = [
      'events',
      'tail',
      '--no-follow',
      '--checkpoint',
      'shop',
      ...words.split(' ').filter(Boolean),
    ];
    const result = await home.svc(line, { ...options, transport: feedLine(answer) });
    const seen = result.stdout.split('\n').filter(Boolean);
    return { ...result, ids: seen.map((text) => (JSON.parse(text) as { id: string }).id) };
  };

  it('goes on from another machine with a profile of its own, and leaves no file on either', async () => {
    expect((await tail(listFeed(ids(4)))).ids).toHaveLength(4);
    const { SVC_BASE_URL: address, SVC_API_KEY: key, ...bare } = other;
    const add = `profiles add shop --base-url ${address!} --insecure-loopback --key-stdin --insecure-storage`;
    expect((await home.svc(add, { env: bare, stdin: key! })).exitCode).toBe(0);
    const next = await tail(listFeed(ids(6)), { env: bare }, '--profile shop');
    expect(next.ids).toEqual(['e5', 'e6']);
    expect((await tail(listFeed(ids(7)))).ids).toEqual(['e7']);
    for (const state of ['.local/state', 'other'])
      expect(existsSync(join(home.home, state, 'svc/checkpoints'))).toBe(false);
  });

  it('is one run’s alone, and the other one is told whose it is', async () => {
    let second: Result | null = null;
    const transport = feedLine(listFeed(ids(5)));
    await home.svc('events tail --no-follow --checkpoint shop', {
      env,
      transport: async (request, limits) => {
        second ??= await tail(listFeed([]), { env: other });
        return transport(request, limits);
      },
    });
    expect(second!.error()).toMatchObject({ exit_code: 15, code: 'locked' });
    expect(second!.error()['message']).toContain('laptop/1');
    expect((await tail(listFeed(ids(6)), { env: other })).ids).toEqual(['e6']);
  });

  it('of a run that was away and taken over is not moved by it: 15, and the other one goes on', async () => {
    const feed = feedLine(listFeed(ids(300)));
    const taken = await home.svc('events tail --no-follow --checkpoint shop', {
      env,
      transport: async (request, limits) => {
        if (feed.asked.length === 2)
          await shared!.query(env, `UPDATE svc.checkpoints SET holder = 'another'`);
        return feed(request, limits);
      },
    });
    expect([taken.exitCode, taken.error()['code']]).toEqual([15, 'lease_lost']);
  });

  it('is forwarded from another machine, and belongs to its place', async () => {
    await tail(listFeed(ids(2)));
    const elsewhere = { ...other, SVC_BASE_URL: 'http://localhost:4011' };
    expect((await tail(listFeed(ids(3)), { env: elsewhere })).error()).toMatchObject({
      ...{ exit_code: 13, code: 'other_place' },
    });
    const forwarded = await home.svc(
      'events forward --to http://localhost:9/hooks --no-follow --checkpoint shop',
      { env: other, transport: feedLine(listFeed(ids(2))) },
    );
    expect(forwarded.exitCode).toBe(0);
  });

  it('keeps what was handed over before the reader went away', async () => {
    const first = await tail(listFeed(ids(9)), { env, breakAfterWrites: 2 });
    expect(first.exitCode).toBe(141);
    const rest = await tail(listFeed(ids(9)), { env: other });
    expect([...first.ids, ...rest.ids]).toEqual(ids(9));
  });

  it('is refused where the database is not there, and no file is used instead', async () => {
    const away = { ...env, SVC_STATE: 'postgres://u@127.0.0.1:1/d', SVC_STATE_PATIENCE: '0s' };
    const failed = await tail(listFeed(ids(2)), { env: away });
    expect([failed.exitCode, failed.ids]).toEqual([16, []]);
  });
});
