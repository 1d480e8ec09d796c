import * as fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { proveWritable, verifyingSecrets, storeSecret } from '../../src/session/webhook-secrets.js';
import { secretFilePath, type SecretStores } from '../../src/session/settings-file.js';
import { absentStore, freshMachine, memoryStore } from './doubles.js';

const HOUR = 3_600_000;
const ADDRESS = 'https://api.example.com';
const keep = (stores: SecretStores, secret: string, nowMs: number): Promise<string | null> =>
  storeSecret(stores, { address: ADDRESS, environment: 'sandbox' }, secret, nowMs);
const found = async (stores: SecretStores, nowMs: number): Promise<readonly string[]> =>
  (await verifyingSecrets(stores, ADDRESS, 'sandbox', nowMs)).secrets;

describe.each([
  ['a key store', (): SecretStores => freshMachine(memoryStore()).secrets, null],
  ['no key store', (): SecretStores => freshMachine().secrets, /in a file that only you can read/],
])('with %s', (_name, machine, note) => {
  it('holds the newest, and the one before for 24 h', async () => {
    const stores = machine();
    expect(await found(stores, 0)).toEqual([]);
    await keep(stores, 'one', 0);
    expect(await found(stores, 1000 * HOUR)).toEqual(['one']);
    await keep(stores, 'two', 1000 * HOUR);
    expect(await found(stores, 1024 * HOUR - 1)).toEqual(['two', 'one']);
    expect(await found(stores, 1024 * HOUR)).toEqual(['two']);
  });

  it('never holds more than two', async () => {
    const stores = machine();
    for (const [index, secret] of ['one', 'two', 'three'].entries()) await keep(stores, secret, index);
    expect(await found(stores, 5)).toEqual(['three', 'two']);
    const account = `webhook sandbox ${ADDRESS}`;
    const kept = await stores.keystore.get(account).catch(() => stores.file.get(account));
    expect(kept).not.toContain('one');
  });

  it('takes the same secret again for no rotation', async () => {
    const stores = machine();
    await keep(stores, 'one', 0);
    await keep(stores, 'two', HOUR);
    await keep(stores, 'two', 30 * HOUR);
    expect(await found(stores, 24 * HOUR)).toEqual(['two', 'one']);
    expect(await found(stores, 30 * HOUR)).toEqual(['two']);
  });

  it('keeps addresses and environments apart', async () => {
    const stores = machine();
    await keep(stores, 'one', 0);
    expect((await verifyingSecrets(stores, ADDRESS, 'live', 0)).secrets).toEqual([]);
    expect((await verifyingSecrets(stores, 'https://other.example', 'sandbox', 0)).secrets).toEqual([]);
  });

  it('says where it keeps them', async () => {
    const stores = machine();
    const notes = [await proveWritable(stores), await keep(stores, 'canary', 0)];
    for (const said of notes) {
      if (note === null) expect(said).toBeNull();
      else expect(said).toMatch(note);
      expect(said ?? '').not.toContain('canary');
    }
  });

  it('leaves nothing behind after the proof', async () => {
    const stores = machine();
    await proveWritable(stores);
    expect([await stores.file.get('probe'), await stores.keystore.get('probe').catch(() => null)]).toEqual([
      null,
      null,
    ]);
  });
});

describe('between the two', () => {
  it('joins what was stored before there was a key store, and moves it there', async () => {
    const { secrets, paths } = freshMachine();
    await keep(secrets, 'one', 0);
    const later = { ...secrets, keystore: memoryStore() };
    await keep(later, 'two', HOUR);
    expect(await found(later, 2 * HOUR)).toEqual(['two', 'one']);
    expect(fs.readFileSync(secretFilePath(paths), 'utf8')).not.toContain('one');
  });

  it('says that a locked key store may hold more', async () => {
    const { secrets } = freshMachine(absentStore('it is locked'));
    expect(await verifyingSecrets(secrets, ADDRESS, 'sandbox', 0)).toEqual({
      secrets: [],
      note: "svc could not read the secrets in the system's key store: it is locked.",
    });
  });

  it('fails the proof where nothing can be written', async () => {
    const { secrets, paths } = freshMachine();
    fs.mkdirSync(secretFilePath(paths), { recursive: true, mode: 0o700 });
    await expect(proveWritable(secrets)).rejects.toMatchObject({ kind: 'local_state', exitCode: 16 });
  });

  it('reads past a list that somebody broke', async () => {
    const keystore = memoryStore();
    const { secrets } = freshMachine(keystore);
    for (const broken of ['{', '{}', '[1,{"secret":"","storedAtMs":1},{"secret":"x"}]']) {
      keystore.held.set(`webhook sandbox ${ADDRESS}`, broken);
      expect(await found(secrets, 0)).toEqual([]);
    }
  });
});
