/** The owner of a store: announced, found only while it really serves that store, withdrawn by nobody else. */
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NotAnswered, type Transport } from '../../src/runtime/transport.js';
import { openSandbox } from '../../src/sandbox/sandbox.js';
import { announce, findOwner, ownerFile, withdraw, type Owner } from '../../src/sandbox/owner.js';
import { sandboxTransport } from '../../src/sandbox/transport.js';
import { testFolder } from './store/program.js';
import { fakeClock } from './support/clock.js';
import { seededRandom } from './support/random.js';

const refused: Transport = () => Promise.reject(new NotAnswered('connect', false, 'refused'));
const never: Transport = () => Promise.reject(new Error('nothing is asked'));

function openStore(): { store: string; owner: Owner; transport: Transport } {
  const store = join(testFolder(), 'sandbox.db');
  const sandbox = openSandbox({ store, clock: fakeClock(), random: seededRandom(store) });
  const owner = {
    base_url: 'http://127.0.0.1:4010',
    pid: 4242,
    store_id: sandbox.storeId,
    api_key: sandbox.apiKey,
  };
  return { store, owner, transport: sandboxTransport(sandbox, fakeClock()) };
}

describe('an owner', () => {
  it('is found while it serves the store', async () => {
    const { store, owner, transport } = openStore();
    expect(await findOwner(store, never)).toBeNull();
    announce(store, owner);
    expect(await findOwner(store, transport)).toEqual(owner);
    expect(statSync(`${store}.server`).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(store, '..')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    withdraw(store, owner);
    expect(existsSync(`${store}.server`)).toBe(false);
  });

  it.each<[string, (served: Transport) => Transport]>([
    ['gone', () => refused],
    [
      'gone, and something else answers',
      () => () => Promise.resolve({ status: 200, headers: [], body: Buffer.from('<html>') }),
    ],
    [
      'gone, and nothing is found there',
      () => () => Promise.resolve({ status: 404, headers: [], body: Buffer.from('{}') }),
    ],
    ['gone, and another sandbox took its port', () => openStore().transport],
  ])('is not found when it is %s', async (_, other) => {
    const { store, owner, transport } = openStore();
    announce(store, owner);
    expect(await findOwner(store, other(transport))).toBeNull();
    expect(await findOwner(store, transport)).toEqual(owner);
  });

  it('replaces one that was killed, and is not withdrawn by it', async () => {
    const { store, owner, transport } = openStore();
    const killed = { ...owner, pid: 1 };
    announce(store, killed);
    announce(store, owner);
    withdraw(store, killed);
    expect(await findOwner(store, transport)).toEqual(owner);
  });

  it.each([
    '',
    '{',
    'null',
    '{"base_url":"http://127.0.0.1:1"}',
    '{"base_url":"http://example.com:80","pid":1,"store_id":"x","api_key":"x"}',
    '{"base_url":"https://127.0.0.1:1","pid":1,"store_id":"x","api_key":"x"}',
    '{"base_url":"http://127.0.0.1:1@example.com","pid":1,"store_id":"x","api_key":"x"}',
  ])('is not read from %j', async (text) => {
    const { store } = openStore();
    writeFileSync(`${store}.server`, text, { mode: 0o600 });
    expect(await findOwner(store, never)).toBeNull();
  });

  it('is not believed where other users could have written it', async () => {
    const { store, owner, transport } = openStore();
    announce(store, owner);
    chmodSync(`${store}.server`, 0o666);
    await expect(findOwner(store, transport)).rejects.toMatchObject({ exitCode: 16 });
  });

  it('of a store in memory is nobody', async () => {
    expect(ownerFile(':memory:')).toBeNull();
    announce(':memory:', { base_url: 'http://127.0.0.1:1', pid: 1, store_id: 'x', api_key: 'x' });
    expect(await findOwner(':memory:', never)).toBeNull();
    expect(existsSync(':memory:.server')).toBe(false);
  });

  it('passes a defect of the transport on', async () => {
    const { store, owner } = openStore();
    announce(store, owner);
    await expect(findOwner(store, never)).rejects.toThrow('nothing is asked');
  });
});
