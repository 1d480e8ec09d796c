import * as fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isApiKey, readKeyText, type ApiKey } from '../../src/contract/access.js';
import { deleteKey, loadKey, storeKey } from '../../src/session/keys.js';
import { fileStore, secretFilePath } from '../../src/session/settings-file.js';
import { systemClock } from '../../src/runtime/clock.js';
import { absentStore, failureOf, freshMachine, memoryStore } from './doubles.js';
import type { KeySlot } from '../../src/session/choices.js';

const keyOf = (text: string): ApiKey => {
  const key = readKeyText(text);
  if (!isApiKey(key)) throw new Error(key.reason);
  return key;
};
const TEST = keyOf('svc_test_CANARYcanary1111');
const LIVE = keyOf('svc_live_CANARYcanary2222');
const slot = (environment: 'sandbox' | 'live', origin = 'https://api.example.com'): KeySlot => ({
  ...{ profile: 'acme', environment, origin },
});

describe('with a key store', () => {
  it('keeps every key there, and nothing in a file', async () => {
    const keystore = memoryStore();
    const { secrets, paths } = freshMachine(keystore);
    const { stored, note } = await storeKey(secrets, slot('live'), LIVE, false);
    expect([stored, note]).toMatchObject([{ prefix: 'svc_live_', last4: '2222', stored: 'keystore' }, null]);
    expect(fs.existsSync(secretFilePath(paths))).toBe(false);
    expect(await loadKey(secrets, slot('live'), stored)).toBe(LIVE.text);
    await deleteKey(secrets, slot('live'), stored);
    expect(keystore.held.size).toBe(0);
    expect(await loadKey(secrets, slot('live'), stored)).toBeNull();
  });

  it('takes a key out of the file once there is a key store', async () => {
    const { secrets, paths } = freshMachine();
    await storeKey(secrets, slot('sandbox'), TEST, false);
    const { stored } = await storeKey({ ...secrets, keystore: memoryStore() }, slot('sandbox'), TEST, false);
    expect(stored.stored).toBe('keystore');
    expect(fs.readFileSync(secretFilePath(paths), 'utf8')).not.toContain('CANARY');
  });

  it('finds no key once the address of the profile was changed', async () => {
    const { secrets } = freshMachine(memoryStore());
    const { stored } = await storeKey(secrets, slot('live'), LIVE, false);
    expect(await loadKey(secrets, slot('live', 'https://evil.example'), stored)).toBeNull();
  });

  it('refuses a key that is not the one the settings describe', async () => {
    const { secrets } = freshMachine(memoryStore());
    const { stored } = await storeKey(secrets, slot('sandbox'), TEST, false);
    await storeKey(secrets, slot('sandbox'), keyOf('svc_test_CANARYcanary9999'), false);
    expect(await failureOf(loadKey(secrets, slot('sandbox'), stored))).toMatchObject({ kind: 'local_state' });
  });
});

describe('without a key store', () => {
  it('uses no key of the file that the settings do not say is there', async () => {
    const { secrets } = freshMachine(memoryStore());
    await secrets.file.set('live acme https://api.example.com', LIVE.text);
    const stored = { prefix: 'svc_live_', last4: '2222', stored: 'keystore' } as const;
    expect(await loadKey(secrets, slot('live'), stored)).toBeNull();
  });

  it('says that a stored key cannot be had, or deleted', async () => {
    const { secrets } = freshMachine(absentStore('the key store did not answer within 3 s'));
    const stored = { prefix: 'svc_live_', last4: '2222', stored: 'keystore' } as const;
    const loading = await failureOf(loadKey(secrets, slot('live'), stored));
    expect(loading).toMatchObject({ kind: 'local_state' });
    expect(loading.message).toMatch(/did not answer within 3 s.*SVC_API_KEY/);
    expect((await failureOf(deleteKey(secrets, slot('live'), stored))).message).toMatch(
      /was not deleted. Unlock it, and try again.$/,
    );
  });
});

describe('the private file', () => {
  it('loses nothing where many write at once', async () => {
    const { paths } = freshMachine();
    const names = Array.from({ length: 10 }, (_, index) => `account ${index}`);
    await Promise.all(names.map((name) => fileStore(paths, systemClock).set(name, `secret of ${name}`)));
    const store = fileStore(paths, systemClock);
    expect(await Promise.all(names.map((name) => store.get(name)))).toEqual(
      names.map((name) => `secret of ${name}`),
    );
    expect(fs.readdirSync(paths.config).sort()).toEqual(['keys.json', 'keys.lock']);
  });

  it('has no secret by a name every object has', async () => {
    const { secrets } = freshMachine();
    expect(await secrets.file.get('constructor')).toBeNull();
    expect(await secrets.file.get('__proto__')).toBeNull();
  });

  const DAMAGED = [
    '{"secrets":{"a":"svc_live_canary',
    '[]',
    '{"secrets":{"a":1}}',
    '{"secrets":["a"]}',
    'null',
    '',
  ];
  it.each(DAMAGED)('says that it is damaged, and repeats none of it: %s', async (content) => {
    const { secrets, paths } = freshMachine();
    fs.mkdirSync(paths.config, { recursive: true });
    fs.writeFileSync(secretFilePath(paths), content, { mode: 0o600 });
    const failure = await failureOf(secrets.file.get('a'));
    expect(failure).toMatchObject({ kind: 'local_state', exitCode: 16 });
    expect(failure.message).toContain(secretFilePath(paths));
    await failureOf(secrets.file.set('a', 'x'));
    expect(fs.readFileSync(secretFilePath(paths), 'utf8')).toBe(content);
  });

  it('is refused where others can read it', async () => {
    const { secrets, paths } = freshMachine();
    await secrets.file.set('a', 'x');
    fs.chmodSync(secretFilePath(paths), 0o640);
    const failure = await failureOf(secrets.file.get('a'));
    expect(failure.message).toContain(`chmod 600 ${secretFilePath(paths)}`);
  });
});
