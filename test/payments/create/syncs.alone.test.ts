import { DatabaseSync, type StatementResultingChanges } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import { payout } from '../../support/requests.js';
import { shakySandbox } from '../../support/shaky-sandbox.js';
import { world } from '../../support/svc.js';

const { prepare } = DatabaseSync.prototype;
const written: string[] = [];
const known = new WeakMap<DatabaseSync, number>();

DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest);
  if (sql !== 'COMMIT' || this.location()?.endsWith('requests.db') !== true) return statement;
  const one = (text: string): number =>
    Number(Object.values(prepare.call(this, text, ...rest).get() ?? {})[0]);
  const commit: () => StatementResultingChanges = statement.run.bind(statement);
  statement.run = () => {
    const [changes, level] = [one('SELECT total_changes()'), one('PRAGMA synchronous')];
    if (changes > (known.get(this) ?? 0)) written.push(level >= 2 ? 'synced' : 'light');
    known.set(this, changes);
    return commit();
  };
  return statement;
};
afterAll(() => void (DatabaseSync.prototype.prepare = prepare));

it.each([
  ['of which nothing is known', 'key-00000001', [], ['synced'], 12],
  ['that is asked about', 'key-00000001', ['--reference', 'order-1'], ['light', 'synced'], 12],
  ['whose key has left before', 'key-00000000', [], ['synced'], 0],
])('a create %s', async (_name, key, more, beforeLeaving, ends) => {
  const home = world();
  const service = shakySandbox(home.clock);
  const line = [...payout(), '--idempotency-key'];
  const { transport, env } = service;
  const send = async (its: string, rest: readonly string[] = []): Promise<number> =>
    (await home.svc([...line, its, ...rest], { env, transport })).exitCode;
  service.next('lost-after', 'lost-after', 'lost-after');
  await send('key-00000000');
  written.length = 0;
  const atPost: string[][] = [];
  service.onPost = () => atPost.push([...written]);
  if (ends === 12) service.next('lost-after', 'lost-after', 'lost-after');
  expect(await send(key, more)).toBe(ends);
  expect(atPost[0]).toEqual(beforeLeaving);
  expect(written.slice(beforeLeaving.length)).toEqual(['synced']);
  home.remove();
});
