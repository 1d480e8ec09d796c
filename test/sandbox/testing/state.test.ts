import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../src/sandbox/testing/start-sandbox.js';
import type { TestSandbox, TestSandboxOptions } from '../../../src/sandbox/testing/types.js';
import '../../support/starting.js';
import { testFolder } from '../../support/test-folder.js';
import { created, payin, started } from './client.js';

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

  it('takes the object too', async () => {
    const id = await create('order-0001');
    const taken = JSON.parse(await sandbox.snapshot()) as object;
    await sandbox.reset();
    await sandbox.restore(taken);
    expect(await ids()).toEqual([id]);
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

  it('takes the key of another sandbox with its state', async () => {
    const other = await another();
    const id = await create('order-0001', other);
    const before = sandbox.apiKey;
    await sandbox.restore(await other.snapshot());
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

  it('gives a live sandbox its live key beside', async () => {
    const live = await another({ seed: await sandbox.snapshot(), live: true });
    expect(live.apiKey).toMatch(/^svc_live_sandbox_/);
    await create('order-0001', live);
  });

  it.each([
    ['no-such-file.json', /no-such-file/],
    ['{"name":1}', /Unknown name/],
    [7, /seed is the path of a state/],
  ])('is refused where it is %j', async (seed, said) => {
    await expect(startSandbox({ seed: seed as string })).rejects.toThrow(said);
  });
});
