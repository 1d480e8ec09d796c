import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { ids } from '../feed/feed.js';
import { FEED_ENV, feedLine, listFeed, type FeedAnswer } from '../support/feed-line.js';
import { sharedDatabase } from '../support/shared-state.js';
import { eachWorld, type RunOptions } from '../support/svc.js';

const shared = await sharedDatabase();

describe.skipIf(shared === null)('a checkpoint that machines share', () => {
  const home = eachWorld();
  let env: Readonly<Record<string, string>> = {};
  let other: Readonly<Record<string, string>> = {};
  beforeEach(async () => {
    env = { ...FEED_ENV, ...shared!.env(), SVC_WORKER_NAME: 'laptop/1' };
    const folders = { XDG_STATE_HOME: join(home.home, 'other'), XDG_CONFIG_HOME: join(home.home, 'config') };
    other = { ...env, ...folders, SVC_WORKER_NAME: 'pod/7' };
    await home.svc('state init', { env });
  });
  const tail = async (answer: FeedAnswer, options: RunOptions = { env }, words = '') => {
    const line = `events tail --no-follow --checkpoint shop ${words}`;
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

  it('is forwarded from another machine, and belongs to its place', async () => {
    await tail(listFeed(ids(2)));
    const elsewhere = { ...other, SVC_BASE_URL: 'http://localhost:4011' };
    const refused = await tail(listFeed(ids(3)), { env: elsewhere });
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'other_place' });
    const forward = 'events forward --to http://localhost:9/hooks --no-follow --checkpoint shop';
    const transport = feedLine(listFeed(ids(2)));
    expect((await home.svc(forward, { env: other, transport })).exitCode).toBe(0);
  });

  it('is refused where the database is not there, and no file is used instead', async () => {
    const away = { ...env, SVC_STATE: 'postgres://u@127.0.0.1:1/d', SVC_STATE_PATIENCE: '0s' };
    const failed = await tail(listFeed(ids(2)), { env: away });
    expect([failed.exitCode, failed.ids]).toEqual([16, []]);
  });
});
