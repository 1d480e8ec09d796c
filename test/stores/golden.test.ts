/** Stores of earlier versions are read by this one: nothing in them is lost, and work goes on with them. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RowState } from '../../src/bulk/row-state.js';
import { openBatchStore } from '../../src/bulk/store/sqlite-store.js';
import { openJournal } from '../../src/journal/sqlite-journal.js';
import { openMirrors } from '../../src/mirror/store/sqlite-mirrors.js';
import { systemRandom } from '../../src/runtime/random.js';
import { openSandbox } from '../../src/sandbox/sandbox.js';
import { fakeClock } from '../support/fake-clock.js';
import { dump, integrity } from '../support/database-dump.js';
import { GOLDEN_END_MS, putGolden, type GoldenStore } from '../support/golden-stores.js';
import { seededRandom } from '../sandbox/support/random.js';
import { ask, PAYOUT, requestOf } from '../sandbox/store/request.js';
import { testFolder } from '../sandbox/store/program.js';

const golden = (name: GoldenStore): string => putGolden(name, join(testFolder(), 'store.db'));

describe('batches of version 3', () => {
  const STATES: Readonly<Record<string, readonly RowState[]>> = {
    old: ['confirmed', 'needs_review', 'needs_review', 'failed'],
    mixed: [
      'confirmed',
      'failed',
      'accepted',
      'rejected',
      'needs_review',
      'unavailable',
      'unknown',
      'intent',
    ],
    retried: ['confirmed', 'failed', 'confirmed'],
    refused: ['planned', 'planned'],
  };

  it('are all there, each row in its state', async () => {
    const store = openBatchStore(golden('batches-3'));
    const batches = await store.list();
    const found = await Promise.all(
      batches.map(async ({ id, name }) => [name, (await store.rows(id, -1, 99)).map(({ state }) => state)]),
    );
    expect(Object.fromEntries(found)).toEqual(STATES);
    expect(batches.map(({ rows, currencies }) => [rows, currencies.get('VES')?.minor])).toEqual([
      [4, 40800n],
      [8, 83200n],
      [3, 30450n],
      [2, 20200n],
    ]);
    await store.close();
  });

  it('keep what a person decided, which rows have an operation, and how often a row was tried', async () => {
    const store = openBatchStore(golden('batches-3'));
    const [old, , retried] = await store.list();
    expect(await store.decisions(old!.id)).toMatchObject([
      { number: 3, decision: 'not_paid', state: 'failed' },
    ]);
    expect(await store.holders('6c1d3a4b-a89a-484e-8799-a3389015c401')).toMatchObject([
      { batch: 'old', line: 2 },
    ]);
    const rows = await store.peek(retried!.id, { after: -1, count: 9, states: ['failed', 'confirmed'] });
    expect([...rows].map(({ generation, ordinal }) => [generation, ordinal])).toEqual([
      [1, 0],
      [2, 0],
      [1, 0],
    ]);
    await store.close();
  });

  it('go on: every row that may be sent is whole, and is taken', async () => {
    const file = golden('batches-3');
    const store = openBatchStore(file);
    const [, mixed] = await store.list();
    const states: RowState[] = ['intent', 'unknown', 'unavailable'];
    const rows = await store.exchange(mixed!.id, [], { after: -1, count: 9, states, nowMs: GOLDEN_END_MS });
    expect([...rows].map(({ reference }) => reference)).toEqual(['Emp 5', 'Emp 6', 'Emp 7']);
    for (const { amount, body } of rows)
      expect(JSON.parse(Buffer.from(body).toString('utf8'))).toMatchObject({ amount });
    expect((await store.rows(mixed!.id, 4, 9)).map(({ state }) => state)).toEqual([
      'intent',
      'intent',
      'intent',
    ]);
    await store.close();
    expect(integrity(file)).toBe('ok');
  });
});

it('a mirror of version 1 has all that it had, and is searched', async () => {
  const file = golden('feed-1');
  const mirrors = openMirrors(file, systemRandom);
  const mirror = mirrors.of({ id: 'fb40020c-3287-4d16-91af-70048e0c242f', environment: 'sandbox' });
  expect(await mirror.size()).toBe(9);
  expect((await mirror.reading()).cursor).toBe('AAAAAAAJ6ROT-586VqFQKtudrMA5');
  const found = await Promise.all([
    mirror.ofReferences('payout', ['emp-1']).then((known) => known.get('emp-1')?.length),
    mirror.ofBeginning('710F6b', 9).then((known) => known.map(({ amount }) => amount)),
    mirror.ofBankReference('00000003', 9).then((known) => known.map(({ reference }) => reference)),
    mirror.list({}, 99).then(({ length }) => length),
  ]);
  expect(found).toEqual([3, ['8.00'], ['Emp–3'], 9]);
  await mirrors.close();
  expect(integrity(file)).toBe('ok');
});

it('requests of version 1 are all there, and the service of version 1 knows their keys and bytes', async () => {
  const journal = openJournal(golden('requests-1'));
  const clock = fakeClock(GOLDEN_END_MS);
  const sandbox = openSandbox({ store: golden('sandbox-1'), clock, random: seededRandom() });
  const open = await journal.open();
  expect(open.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['own-key-0001', 'own-key-0002']);
  const ids = open.map(({ path, body, idempotencyKey }) => {
    const text = JSON.parse(Buffer.from(body).toString('utf8')) as object;
    return ask(sandbox, 'POST', path, text, idempotencyKey).json.id;
  });
  expect(ids).toEqual(['f4387f23-9361-4ef3-98f0-0140b5b1b328', 'bc40c5e8-38e1-4dfb-ade6-f24743c3d8e5']);
  expect(await journal.forget('own-key-0001')).toBe(1);
  expect(await journal.open()).toHaveLength(1);
  await journal.close();
  sandbox.close();
});

/** A row of an operation as it is since version 3: where it stands and what it is called are columns of their own. */
function listed(row: unknown): string {
  const values = JSON.parse(String(row)) as unknown[];
  const { status, reference = null } = JSON.parse(String(values[3])) as {
    status: string;
    reference?: string;
  };
  return JSON.stringify([...values, status, reference]);
}

describe('a sandbox of version 1', () => {
  const open = (file: string) =>
    openSandbox({ store: file, clock: fakeClock(GOLDEN_END_MS), random: seededRandom() });

  it('has its key, its operations, its events in order and its balance', () => {
    const sandbox = open(golden('sandbox-1'));
    expect(sandbox.apiKey).toBe('svc_test_1505483af1b55b51ed4ae999f47a7c278993a2c9cfd14fa7');
    expect(ask(sandbox, 'GET', '/_control/status').json).toMatchObject({ operations: 14, events: 12 });
    const { events } = ask(sandbox, 'GET', '/v2/events').json;
    expect(events.map(({ type }) => type).filter((type) => type === 'payout.failed')).toHaveLength(3);
    expect(events).toHaveLength(12);
    const { balances } = ask(sandbox, 'GET', '/v2/balances').json;
    expect(balances[0]).toMatchObject({ currency: 'VES', available: '-752.00', reserved: '102.50' });
    sandbox.close();
  });

  it("becomes what a new one is, and loses nothing: every key is the company's own", () => {
    const [old, fresh] = [golden('sandbox-1'), join(testFolder(), 'fresh.db')];
    const before = dump(old);
    for (const file of [old, fresh]) open(file).close();
    const after = dump(old);
    expect([after.version, after.shape]).toEqual([dump(fresh).version, dump(fresh).shape]);
    const isListed = { operations: (before.rows['operations'] ?? []).map(listed), requests: [] };
    expect({ ...after.rows, keys: [] }).toEqual({ ...before.rows, keys: [], ...isListed });
    const keys = before.rows['keys'] ?? [];
    expect(keys).toHaveLength(1);
    expect(after.rows['keys']).toEqual(keys.map((row) => String(row).replace(/\]$/, ',"company"]')));
    expect(integrity(old)).toBe('ok');
  });

  it('takes keys of operators, and its own goes on', () => {
    const sandbox = open(golden('sandbox-1'));
    const { api_key: key } = ask(sandbox, 'POST', '/_control/keys', { created_by: 'operator' }).json;
    const made = ['operator-0001', 'company-0001'].map((idempotencyKey, index) => {
      const bearer = index === 0 ? key : sandbox.apiKey;
      const request = requestOf(bearer, 'POST', '/sandbox/v2/payouts', PAYOUT, idempotencyKey);
      return JSON.parse(Buffer.from(sandbox.handle(request).body).toString('utf8')) as object;
    });
    expect(made).toMatchObject([{ created_by: 'operator' }, { created_by: 'company' }]);
    sandbox.close();
  });

  it('goes on where it was: what was pending ends in its time, and numbers continue', () => {
    const sandbox = open(golden('sandbox-1'));
    ask(sandbox, 'POST', '/_control/clock', { advance_seconds: 60 });
    const { events } = ask(sandbox, 'GET', '/v2/events').json;
    expect(events.slice(12)).toMatchObject([
      {
        occurred_at: '2026-09-24T16:01:03Z',
        data: { id: '9e47720d-c775-410f-b2f0-5dde6ca24316', status: 'confirmed', bank_reference: '00000010' },
      },
    ]);
    sandbox.close();
  });
});

describe('a sandbox of version 2', () => {
  const open = (file: string) =>
    openSandbox({ store: file, clock: fakeClock(GOLDEN_END_MS), random: seededRandom() });

  it('becomes what a new one is, and loses nothing', () => {
    const [old, fresh] = [golden('sandbox-2'), join(testFolder(), 'fresh.db')];
    const before = dump(old);
    for (const file of [old, fresh]) open(file).close();
    const after = dump(old);
    expect([after.version, after.shape]).toEqual([dump(fresh).version, dump(fresh).shape]);
    const isListed = { operations: (before.rows['operations'] ?? []).map(listed), requests: [] };
    expect(after.rows).toEqual({ ...before.rows, ...isListed });
    expect(before.rows['operations']).toHaveLength(7);
    expect(integrity(old)).toBe('ok');
  });

  it('is listed by where its operations stand and by what they are called', () => {
    const sandbox = open(golden('sandbox-2'));
    const count = (query: string): number => {
      const { json } = ask(sandbox, 'GET', `/_control/operations?${query}`);
      return (json as unknown as { operations: unknown[] }).operations.length;
    };
    expect(['waits=true', 'status=failed', 'search=invoice', 'search=%C3%B1', ''].map(count)).toEqual([
      2, 1, 2, 1, 7,
    ]);
    expect(ask(sandbox, 'GET', '/_control/requests').json).toEqual({ requests: [], next: null });
    ask(sandbox, 'POST', '/v2/payouts', PAYOUT, 'golden-key-9');
    expect(ask(sandbox, 'GET', '/_control/requests').json).toMatchObject({
      requests: [{ id: 1, status: 201 }],
    });
    sandbox.close();
  });
});

it.each<GoldenStore>(['batches-3', 'feed-1', 'requests-1', 'sandbox-1', 'sandbox-2'])(
  '%s is sound, and as it was when it was kept',
  (name) => {
    const file = golden(name);
    expect(integrity(file)).toBe('ok');
    expect(dump(file).version).toBe(Number(name.split('-')[1]));
  },
);
