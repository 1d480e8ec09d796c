/** A store that an older version wrote goes on with this one: its books are as they were, and nothing in it is paid twice. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GOLDEN_END_MS, putGolden } from '../../support/golden-stores.js';
import { shakySandbox, type ShakySandbox } from '../../support/shaky-sandbox.js';
import { world, type Result, type World } from '../../support/svc.js';

let home: World;
let shaky: ShakySandbox;
beforeEach(() => {
  home = world(new Date(GOLDEN_END_MS).toISOString());
  mkdirSync(home.ports.paths.state, { recursive: true, mode: 0o700 });
  putGolden('batches-3', join(home.ports.paths.state, 'batches.db'));
  shaky = shakySandbox(home.clock, putGolden('sandbox-1', join(home.home, 'service.db')));
});
afterEach(() => {
  shaky.sandbox.close();
  home.remove();
});
const svc = (line: string): Promise<Result> =>
  home.svc(`${line} --json`, { transport: shaky.transport, env: shaky.env });
const paid = async (): Promise<Record<string, number>> => {
  const { stdout } = await home.svc(
    ['events', 'list', '--all', '--jq', 'select(.type == "payout.confirmed") | .data.reference'],
    { transport: shaky.transport, env: shaky.env },
  );
  const counts: Record<string, number> = {};
  for (const name of stdout.split('\n').filter((line) => line !== '')) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

it('has its books as they were, in the words of today', async () => {
  const { batches } = (await svc('batches list')).json() as { batches: { batch: string }[] };
  expect(batches.map(({ batch }) => batch)).toEqual(['old', 'mixed', 'retried', 'refused']);
  expect(batches).toMatchObject([
    { rows: 4, confirmed: 1, unknown: 2, failed: 1 },
    { rows: 8, confirmed: 1, failed: 1, pending: 1, rejected: 1, unknown: 3, not_sent: 1 },
    { rows: 3, confirmed: 2, failed: 1 },
    { rows: 2, not_sent: 2 },
  ]);
  const { rows } = (await svc('batches export mixed')).json() as { rows: Record<string, string>[] };
  for (const { idempotency_key: key } of rows) expect(key).toMatch(/^svcb1-/);
});

it.each<[string, Record<string, string>, number]>([
  // What was failed or rejected is tried again under the keys of today, and a row whose key has paid waits for a person.
  [
    'mixed',
    {
      ...{ 'Emp 0': 'confirmed', 'Emp 1': 'failed', 'Emp 2': 'accepted', 'Emp 3': 'confirmed' },
      ...{ 'Emp 4': 'needs_review', 'Emp 5': 'confirmed', 'Emp 6': 'confirmed', 'Emp 7': 'confirmed' },
    },
    12,
  ],
  // Nobody had looked into the events for one of these.
  ['old', { 'Old-0': 'confirmed', 'Old-1': 'confirmed', 'Old-2': 'needs_review', 'Old-3': 'confirmed' }, 12],
  ['retried', { 'again-0': 'confirmed', 'again-1': 'failed', 'again-2': 'confirmed' }, 3],
  ['refused', { 'new-0': 'confirmed', 'new-1': 'confirmed' }, 0],
])('%s: goes on, and whatever is typed nobody is paid twice', async (name, states, exitCode) => {
  const lines = [`batches resume ${name}`, `batches retry ${name} --failed`];
  for (const line of [...lines, ...lines]) await svc(line);
  home.clock.advance(120_000);
  const { rows } = (await svc(`batches export ${name}`)).json() as { rows: Record<string, string>[] };
  expect(Object.fromEntries(rows.map(({ reference, state }) => [reference, state]))).toEqual(states);
  const counts = await paid();
  for (const { reference = '', state } of rows)
    expect(counts[reference] ?? 0, reference).toBeLessThanOrEqual(state === 'failed' ? 0 : 1);
  expect((await svc(`batches resume ${name}`)).exitCode).toBe(exitCode);
});
