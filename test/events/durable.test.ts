import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Failure } from '../../src/runtime/failure.js';
import { ids } from '../feed/feed.js';
import { FEED_ENV, feedLine, listFeed } from '../support/feed-line.js';
import { eachWorld, type Result, type RunOptions } from '../support/svc.js';
import { IS_REST } from '../support/rest.js';

const home = eachWorld();

const TAIL = 'events tail --no-follow --checkpoint books';

function tail(line: string, events: readonly string[], options: RunOptions = {}): Promise<Result> {
  const transport = feedLine(listFeed(events, 100));
  return home.svc(line, { ...options, env: FEED_ENV, transport });
}

function saved(): number {
  const folder = join(home.home, '.local/state/svc/checkpoints');
  const slots = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  return Math.max(0, ...slots.map((name) => (read(name) as { sequence: number }).sequence));
}

it('is synced once before each commit, however many lines that is', async () => {
  const seen: number[] = [];
  const sync = (): Promise<void> => Promise.resolve(void seen.push(saved()));
  const { exitCode } = await tail(TAIL, ids(450), { sync });
  expect(exitCode).toBe(0);
  expect(seen).toHaveLength(5);
  expect(seen[0]).toBe(0);
  expect(new Set([...seen, saved()]).size).toBe(6);
});

it.runIf(IS_REST).each([
  ['nobody keeps a place', 'events tail --no-follow'],
  ['nothing of it was selected', `${TAIL} --type payin.failed`],
  ['a program gets it', `${TAIL} --exec true`],
])('is not synced where %s', async (_what, line) => {
  let syncs = 0;
  const sync = (): Promise<void> => Promise.resolve(void (syncs += 1));
  expect((await tail(line, ids(3), { sync })).exitCode).toBe(0);
  expect(syncs).toBe(0);
});

it('ends with 16 where a sync fails, the checkpoint where it was: what is behind it comes again', async () => {
  const seen: number[] = [];
  const sync = (): Promise<void> => {
    seen.push(saved());
    const full = new Failure('local_state', 'Standard output could not be written to the disk.');
    return seen.length === 3 ? Promise.reject(full) : Promise.resolve();
  };
  const first = await tail(TAIL, ids(450), { sync });
  expect([first.exitCode, first.error()['code']]).toEqual([16, 'local_state']);
  expect(saved()).toBe(seen[2]);
  const { stdout } = await tail(`${TAIL} --jq .id`, ids(450));
  expect(stdout.trimEnd().split('\n')).toEqual(ids(450).slice(200));
});
