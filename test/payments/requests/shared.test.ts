import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { LOST } from '../../support/open-request.js';
import { people } from '../../support/payroll.js';
import { payout } from '../../support/requests.js';
import { sharedDatabase } from '../../support/shared-state.js';
import { keyFileIn } from '../../support/sharing.js';
import type { Result, RunOptions } from '../../support/svc.js';

const shared = await sharedDatabase();
const here = batchHome(people(3), 'sandbox', 'real');
const { svc } = here;
const real = batchHome(people(2), 'live', 'real');
const KEY = 'invoice-2048';
const HOUR_MS = 3_600_000;

describe.skipIf(shared === null)('creates that machines share', () => {
  let env: Readonly<Record<string, string>> = {};
  let other: Readonly<Record<string, string>> = {};
  beforeEach(async () => {
    env = { ...shared!.env(), SVC_WORKER_NAME: 'laptop/1' };
    other = { ...here.machine('other'), ...env, SVC_WORKER_NAME: 'pod/7' };
    await svc('state init', { env });
  });
  const pay = (reference: string, words: readonly string[] = [], options: RunOptions = { env }) =>
    svc([...payout(), '--reference', reference, ...words], options);
  const lose = (options: RunOptions = { env }, fates = LOST): Promise<Result> => {
    here.shaky.next(...fates);
    return pay(KEY, ['--idempotency-key', KEY], options);
  };
  const open = async (from = other): Promise<readonly Record<string, unknown>[]> => {
    const { requests } = (await svc('requests list --json', { env: from })).json();
    return requests as Record<string, unknown>[];
  };
  const tables = (text: string) => shared!.query(env, text);

  it('are listed, shown and repeated from another machine, with another profile’s files, and paid once', async () => {
    expect((await lose()).exitCode).toBe(12);
    expect(await open()).toMatchObject([{ idempotency_key: KEY, reference: KEY, repeatable: true }]);
    const { stdout } = await svc('requests list -o table', { env: other, columns: 200 });
    expect(stdout).toMatch(/yes .*laptop\/1/);
    expect((await open())[0]).toMatchObject({ sent_by: 'laptop/1', under_way_until: null });
    const shown = await svc(`requests show ${KEY}`, { env: other });
    expect(shown.json()).toMatchObject({ body: { reference: KEY } });
    const repeated = await svc(`requests repeat ${KEY} --json`, { env: other });
    expect([repeated.exitCode, repeated.json()['reference']]).toEqual([0, KEY]);
    expect(await open(env)).toEqual([]);
    expect(await here.shaky.ledger()).toEqual({ [KEY]: 1 });
    for (const machine of [here.state, join(here.home.home, 'other', 'state', 'svc')])
      expect(existsSync(join(machine, 'requests.db'))).toBe(false);
  });

  it('are refused where another machine has the same one open, and go on with its own key', async () => {
    await lose();
    const next_command = `svc requests repeat -- ${KEY}`;
    const isOpen = { exit_code: 13, code: 'reference_open', outcome: 'unknown', next_command };
    expect((await pay(KEY, [], { env: other })).error()).toMatchObject(isOpen);
    expect((await pay(KEY, ['--idempotency-key', KEY], { env: other })).exitCode).toBe(0);
    expect(await here.shaky.ledger()).toEqual({ [KEY]: 1 });
    const known = await pay(KEY, ['--idempotency-key', KEY], { env });
    expect(known.stderr).toContain('Nothing new was paid.');
    expect(await here.shaky.ledger()).toEqual({ [KEY]: 1 });
  });

  it('are shown while they may still be under way, and whoever repeats one is told or asked', async () => {
    let [listed, table, told, asked]: (Result | null)[] = [null, null, null, null];
    here.shaky.onPost = async () => {
      here.shaky.onPost = () => undefined;
      listed = await svc('requests list --json', { env: other });
      table = await svc('requests list -o table', { env: other, columns: 200 });
      const tty = { stdin: true, stderr: true };
      asked = await svc(`requests repeat ${KEY}`, { env: other, tty, stdin: 'no\n' });
      told = await svc(`requests repeat ${KEY}`, { env: other });
    };
    expect((await pay(KEY, ['--idempotency-key', KEY])).exitCode).toBe(0);
    const underWay = { sent_by: 'laptop/1', under_way_until: expect.any(String) as string };
    expect(listed!.json()).toMatchObject({ requests: [{ idempotency_key: KEY, ...underWay }] });
    expect(table!.stdout).toContain('may still be in progress on laptop/1');
    expect(asked!.exitCode).toBe(13);
    expect(asked!.stderr).toContain('Repeat it now?');
    expect(told!.stderr).toContain('may still be in progress on laptop/1');
    expect(told!.exitCode).toBe(0);
    expect(await here.shaky.ledger()).toEqual({ [KEY]: 1 });
    expect(await open()).toEqual([]);
  });

  it('keep a batch of another machine from paying them, whatever became of them', async () => {
    const reference = people(3)[1]!['reference']!;
    expect((await pay(reference, ['--idempotency-key', KEY])).exitCode).toBe(0);
    const paid = await here.pay(people(3), 'march', '--skip-feed-check', { env: other });
    expect(paid.error()).toMatchObject({ exit_code: 13, code: 'references_paid', outcome: 'not_sent' });
    here.shaky.next(...LOST);
    await pay(people(3)[0]!['reference']!, ['--idempotency-key', 'still-open']);
    const open_ = await here.pay(people(3), 'april', '--skip-feed-check', { env: other });
    const next_command = 'svc requests repeat -- still-open';
    expect(open_.error()).toMatchObject({ exit_code: 13, code: 'references_paid', next_command });
  });

  it('are counted by svc doctor on every machine, and rows of unknown outcome are', async () => {
    const check = async (name: string): Promise<unknown> => {
      const { checks } = (await svc('doctor --json', { env: other })).json();
      return (checks as { check: string }[]).find(({ check: its }) => its === name);
    };
    expect(await check('requests')).toMatchObject({ status: 'ok' });
    await lose();
    const left = '1 request without an answer left the machines that share this state (laptop/1: 1)';
    const message = `${left}: money may have moved.`;
    expect(await check('requests')).toMatchObject({ status: 'warning', message });
    here.shaky.next(...LOST);
    await here.pay(people(3), 'march', '', { env });
    expect(await check('batches')).toMatchObject({ status: 'warning', fix: 'svc batches list' });
  });

  it('say so and send nothing where the database is not there', async () => {
    const away = { ...env, SVC_STATE: 'postgres://u@127.0.0.1:1/d', SVC_STATE_PATIENCE: '0s' };
    const failed = await pay(KEY, [], { env: away });
    expect(failed.error()).toMatchObject({ exit_code: 16, code: 'state_unreachable', outcome: 'not_sent' });
    expect(here.shaky.posts).toEqual([]);
  });

  it('stand among the open ones where the database is lost behind the answer, which counts', async () => {
    here.shaky.onPost = () => tables('ALTER TABLE svc.requests RENAME TO away');
    const paid = await pay(KEY, ['--idempotency-key', KEY]);
    expect(paid.exitCode).toBe(0);
    expect(paid.stderr).toContain('This request stays in "svc requests list".');
    await tables('ALTER TABLE svc.away RENAME TO requests');
    expect((await svc(`requests repeat ${KEY}`, { env: other })).exitCode).toBe(0);
    expect(await here.shaky.ledger()).toEqual({ [KEY]: 1 });
  });

  it('are looked for in the events where another server has taken over, which may have forgotten them', async () => {
    await lose();
    expect((await pay('invoice-2050')).exitCode).toBe(0);
    await tables(`DELETE FROM svc.requests WHERE idempotency_key = '${KEY}'`);
    await tables('UPDATE svc.changes SET timeline = 0');
    const refused = await pay(KEY, [], { env: other });
    expect(refused.error()).toMatchObject({
      ...{ exit_code: 13, code: 'reference_paid', outcome: 'not_sent' },
      next_command: expect.stringMatching(/^svc transactions get /) as string,
    });
    const [{ operation_id: id }] = refused.error()['details'] as [{ operation_id: string }];
    expect(await here.shaky.ledger()).toMatchObject({ [KEY]: 1 });
    expect(await open()).toEqual([]);
    for (const [reference, words, exitCode] of [
      [KEY, [], 13],
      ['invoice-2050', [], 0],
      ['invoice-2051', [], 0],
      [KEY, ['--new-payment', id], 0],
    ] as const)
      expect((await pay(reference, words, { env: other })).exitCode, reference).toBe(exitCode);
    await tables(`UPDATE svc.changes SET taken_over_at = taken_over_at - ${String(36 * 24 * HOUR_MS)}`);
    expect((await pay('invoice-2052')).exitCode).toBe(0);
  });
});

it.skipIf(shared === null)(
  'live creates leave and are repeated elsewhere only under the key of the state',
  async () => {
    const bare = shared!.env();
    const env = { ...bare, ...keyFileIn(real) };
    const other = { ...real.machine('other'), ...env };
    expect((await real.svc('state init', { env })).json()).toMatchObject({ environment: 'live' });
    const create = [...payout(), '--reference', KEY, '--idempotency-key', KEY, '--yes'];
    expect((await real.svc(create, { env: bare })).error()).toMatchObject({
      ...{ exit_code: 13, code: 'state_key_missing', outcome: 'not_sent' },
    });
    expect(real.shaky.posts).toEqual([]);
    real.shaky.next(...LOST);
    expect((await real.svc(create, { env })).exitCode).toBe(12);
    expect((await real.svc('requests list --json', { env: other })).json()).toMatchObject({
      requests: [{ idempotency_key: KEY, environment: 'live' }],
    });
    const repeated = await real.svc(`requests repeat ${KEY} --json`, { env: other });
    expect(repeated.json(), repeated.stderr).toMatchObject({ reference: KEY });
    const { SVC_API_KEY: key } = await real.otherKey();
    expect(await real.shaky.ledger(key)).toEqual({ [KEY]: 1 });
  },
);
