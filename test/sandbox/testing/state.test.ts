import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../src/sandbox/testing/start-sandbox.js';
import type { TestSandbox, TestSandboxOptions } from '../../../src/sandbox/testing/types.js';
import '../../support/starting.js';
import { serving } from '../../support/serving.js';
import { testFolder } from '../../support/test-folder.js';
import { created, payin, payout, post, started } from './client.js';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await another();
});

const another = (options: TestSandboxOptions = {}): Promise<TestSandbox> =>
  started({ port: null, ...options });
const create = async (key: string, at = sandbox): Promise<string> =>
  (await created(at, 'payins', payin('incoming_transfer', '30.00'), { key })).id;

const ids = async (at = sandbox): Promise<string[]> => (await at.operations()).map(({ id }) => id);

describe('restore', () => {
  it('puts back what snapshot took: operations, clock, faults, and the key of a request', async () => {
    const id = await create('order-0001');
    const taken = await sandbox.snapshot();
    await sandbox.pay(id);
    await sandbox.advance('48h');
    await create('order-0002');
    await sandbox.fault({ route: '*', status: 503 });
    await sandbox.restore(taken);
    expect(await ids()).toEqual([id]);
    expect((await sandbox.operations())[0]).toMatchObject({ waits_for: { kind: 'payment' } });
    expect(await sandbox.requests()).toEqual([]);
    expect(await create('order-0001')).toBe(id);
    expect(JSON.parse(await sandbox.snapshot())).toMatchObject({ faults: [] });
  });

  it('leaves a receiver whose URL is in the state, and closes one that is not', async () => {
    const receiver = await sandbox.receiver();
    const taken = await sandbox.snapshot();
    const later = await sandbox.receiver();
    await sandbox.restore(taken);
    await expect(later.next()).rejects.toThrow('restore() took its registration');
    await sandbox.pay(await create('order-0001'));
    expect(await receiver.next('payin.confirmed')).toMatchObject({ type: 'payin.confirmed' });
  });

  it('takes the key of another sandbox with its state, also as an object', async () => {
    const other = await another();
    const id = await create('order-0001', other);
    const before = sandbox.apiKey;
    await sandbox.restore(JSON.parse(await other.snapshot()) as object);
    expect([sandbox.apiKey, sandbox.apiKey === before]).toEqual([other.apiKey, false]);
    expect(await create('order-0001')).toBe(id);
  });

  it('keeps a live key, which the state may have or not', async () => {
    const live = await another({ live: true });
    const key = live.apiKey;
    const id = await create('order-0001', live);
    await live.restore(await live.snapshot());
    expect(await create('order-0001', live)).toBe(id);
    await live.restore(await sandbox.snapshot());
    expect(live.apiKey).toBe(key);
    expect(await create('order-0001', live)).not.toBe(id);
  });

  it.each([
    ['{"svc_sandbox_state":1}', /Line 1.*"now" is missing/],
    ['{', /truncated/],
    [7, /restore\(\) takes what snapshot\(\) resolved to, and not 7/],
    [[], /and not \[\]/],
  ])('refuses %j, and changes nothing', async (state, said) => {
    const id = await create('order-0001');
    await expect(sandbox.restore(state as string)).rejects.toThrow(said);
    expect(await ids()).toEqual([id]);
  });
});

describe('a seed', () => {
  it('is a file by its path or its URL, a text, or an object', async () => {
    const id = await create('order-0001');
    const taken = await sandbox.snapshot();
    const path = join(testFolder(), 'state.json');
    writeFileSync(path, taken);
    for (const seed of [path, pathToFileURL(path), taken, JSON.parse(taken) as object]) {
      const seeded = await another({ seed });
      expect([await ids(seeded), seeded.apiKey]).toEqual([[id], sandbox.apiKey]);
    }
  });

  it.each([
    ['no-such-file.json', /no-such-file/],
    ['{"name":1}', /Unknown name/],
    [7, /seed is the path of a state/],
  ])('is refused where it is %j', async (seed, said) => {
    await expect(startSandbox({ seed: seed as string })).rejects.toThrow(said);
  });
});

describe('a reset', () => {
  it('goes back to the seed, with its clock and key, whatever was put there since', async () => {
    const id = await create('order-0001');
    await sandbox.advance('48h');
    const { api_key: key, now } = JSON.parse(await sandbox.snapshot()) as { api_key: string; now: string };
    const seeded = await another({ seed: await sandbox.snapshot() });
    for (const state of ['{"svc_sandbox_state":1,"now":"2030-01-01T00:00:00Z","companies":[]}', null]) {
      await create('order-0002', seeded);
      await seeded.advance('90d');
      if (state !== null) await seeded.restore(state);
      if (state !== null) expect(await seeded.operations()).toEqual([]);
      await seeded.reset();
      expect([await ids(seeded), seeded.apiKey]).toEqual([[id], key]);
      expect(Date.parse(await seeded.advance('0s')) - Date.parse(now)).toBeLessThan(5000);
    }
    expect(await create('order-0001', seeded)).toBe(id);
  });

  it('makes the same of a seed that leaves things out', async () => {
    const id = await create('order-0001');
    await sandbox.pay(id);
    const { svc_sandbox_state, now, companies, operations } = JSON.parse(await sandbox.snapshot()) as Record<
      string,
      unknown
    >;
    const seeded = await another({ seed: { svc_sandbox_state, now, companies, operations } });
    const whole = async (): Promise<string> => (await seeded.snapshot()).replace(/"now": .*/, '');
    const before = await whole();
    await create('order-0002', seeded);
    await seeded.reset();
    expect(await whole()).toBe(before);
  });

  it('sends what the seed owes at once, though an attempt of before is still under way', async () => {
    const [url, arrived] = await silentReceiver();
    await post(sandbox, 'webhook-endpoints', { url });
    await created(sandbox, 'payouts', payout);
    await expect.poll(arrived).toBe(1);
    const seeded = await another({ seed: await sandbox.snapshot() });
    await expect.poll(arrived).toBe(2);
    await seeded.reset();
    await expect.poll(arrived).toBe(3);
  });

  it('leaves a live key, which a seed has or not', async () => {
    const live = await another({ seed: await sandbox.snapshot(), live: true });
    const key = live.apiKey;
    expect(key).toMatch(/^svc_live_sandbox_/);
    await live.reset();
    expect(live.apiKey).toBe(key);
    await create('order-0001', live);
  });
});

describe('a time and fixed ids', () => {
  const now = '2026-01-05T09:00:00Z';
  async function run(at: TestSandbox): Promise<unknown> {
    const receiver = await at.receiver({ answer: 503 });
    const id = await create('order-0001', at);
    await at.pay(id);
    const key = await at.key({ company: 'acme' });
    await at.advance('0s');
    const events = await at.fetch(`${at.serviceUrl}/v2/events`, {
      headers: { authorization: `Bearer ${at.apiKey}` },
    });
    const [request] = await at.requests();
    const deliveries = (await at.deliveries()).map((row) => [row.id, row.event_id]);
    const { operation } = (await at.operations())[0]!;
    return [at.apiKey, receiver.secret, key, operation, await events.json(), request!.id, deliveries];
  }

  it.each<TestSandboxOptions>([{}, { live: true }])(
    'are the same from run to run and after each reset: %j',
    async (options) => {
      const [one, other] = [await another({ now, ids: 'fixed', ...options }), sandbox];
      const first = await run(one);
      expect(first).toMatchObject({ 3: { created_at: now, updated_at: now } });
      expect(await run(await another({ now, ids: 'fixed', ...options }))).toEqual(first);
      await one.advance('48h');
      await one.restore(await other.snapshot());
      await one.reset();
      expect(await run(one)).toEqual(first);
    },
  );

  it('are of no id that a state has: one that is restored goes on, always in the same way', async () => {
    const one = await another({ now, ids: 'fixed' });
    const id = await create('order-0001', one);
    await one.pay(id);
    const taken = await one.snapshot();
    const after = async (at: TestSandbox): Promise<string> => {
      await at.restore(taken);
      return create('order-0002', at);
    };
    const next = await after(one);
    expect([next === id, await after(await another({ ids: 'fixed' }))]).toEqual([false, next]);
    const seeded = await another({ seed: taken, ids: 'fixed' });
    for (const _ of [1, 2]) {
      expect(await create('order-0002', seeded)).toBe(next);
      await seeded.reset();
    }
  });

  it('are random without them', async () => {
    expect((await another({ now })).apiKey).not.toBe((await another({ now, ids: 'random' })).apiKey);
  });

  it.each<[unknown, RegExp]>([
    ...['2026-01-05', '2026-02-30T09:00:00Z', '1969-12-31T23:59:59Z', 1767603600000, null, new Date(0)].map(
      (wrong): [unknown, RegExp] => [{ now: wrong }, /now is the time .* '2026-01-05T09:00:00Z', and not /],
    ),
    [{ now: '2026-01-05T09:00:00-04:00' }, /in UTC/],
    [{ now, seed: '{}' }, /Give now or seed, not both/],
    [{ ids: 'same' }, /ids is 'fixed' or 'random'/],
    [{ ids: true }, /ids is 'fixed' or 'random'/],
  ])('are refused where they are %j', async (options, said) => {
    const refused = startSandbox(options as TestSandboxOptions);
    await expect(refused).rejects.toThrow(TypeError);
    await expect(refused).rejects.toThrow(said);
  });
});

async function silentReceiver(): Promise<[url: string, arrived: () => number]> {
  let count = 0;
  const { url, stop } = await serving(() => void (count += 1));
  onTestFinished(stop);
  return [url, () => count];
}
