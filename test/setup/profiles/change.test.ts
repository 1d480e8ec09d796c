import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listProfiles, profileView } from '../../../src/session/profile-view.js';
import { addProfile, removeProfile, setKey, useProfile } from '../../../src/setup/profiles/change.js';
import type { NewProfile } from '../../../src/setup/profiles/change.js';
import { chooseValues } from '../../../src/session/choices.js';
import { findTarget } from '../../../src/session/target.js';
import {
  secretFilePath,
  readSettings,
  settingsPath,
  writeSettings,
  type ProfileStores,
} from '../../../src/session/settings-file.js';
import { keyReaders } from '../../../src/session/key-stores.js';
import { absentStore, failureOf, freshMachine, memoryStore } from '../../session/doubles.js';

const TEST = 'svc_test_CANARYcanary1111';
const LIVE = 'svc_live_CANARYcanary2222';
const API = 'https://api.example.com';

const add = (machine: ProfileStores, given: Partial<NewProfile> = {}): ReturnType<typeof addProfile> =>
  addProfile(machine, {
    ...{ name: 'acme', baseUrl: API, key: null, insecureStorage: false, insecureLoopback: false },
    ...{ country: null, references: null, currency: null, state: { url: null, password: null } },
    ...given,
  });
const settingsText = ({ paths }: ProfileStores): string => fs.readFileSync(settingsPath(paths), 'utf8');
const modeOf = (path: string): string => (fs.statSync(path).mode & 0o7777).toString(8);

describe('add', () => {
  it('keeps everything but the key in a private settings file', async () => {
    const machine = freshMachine(memoryStore());
    const { profile, note } = await add(machine, {
      ...{ key: `${TEST}\n`, baseUrl: `${API}/pay/`, country: 've' },
      ...{ currency: 'ves', insecureLoopback: true },
    });
    expect(note).toBeNull();
    expect(profile).toEqual({
      ...{ name: 'acme', active: true, base_url: `${API}/pay`, country: 'VE', currency: 'VES' },
      ...{ insecure_loopback: true, references: 'payments' },
      ...{ state: null, keys: { sandbox: { key: 'svc_test_...1111', stored: 'keystore' }, live: null } },
    });
    expect(JSON.parse(settingsText(machine))).toEqual({
      active: 'acme',
      profiles: {
        acme: {
          ...{ base_url: `${API}/pay`, country: 'VE', currency: 'VES', insecure_loopback: true },
          keys: { sandbox: { prefix: 'svc_test_', last4: '1111', stored: 'keystore', origin: API } },
        },
      },
    });
    expect([modeOf(settingsPath(machine.paths)), modeOf(machine.paths.config)]).toEqual(['600', '700']);
  });

  it('keeps both of two that are added at once', async () => {
    const machine = freshMachine();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => add(machine, { name, key: TEST })));
    expect(listProfiles(readSettings(machine.paths)).map((profile) => profile.name)).toEqual(names);
  });

  it('takes names with dots and names every object has', async () => {
    const machine = freshMachine();
    for (const name of ['a.b', 'constructor', '1', 'x'.repeat(64)]) await add(machine, { name });
    const names = listProfiles(readSettings(machine.paths)).map((profile) => profile.name);
    expect(names).toEqual(['1', 'a.b', 'constructor', 'x'.repeat(64)]);
  });

  it.each<[string, Partial<NewProfile>, string, RegExp]>([
    ['a name in capitals', { name: 'Acme' }, 'usage', /profile name/],
    ['a name that begins with a dot', { name: '.acme' }, 'usage', /profile name/],
    ['a path for a name', { name: '../acme' }, 'usage', /profile name/],
    ['a long name', { name: 'x'.repeat(65) }, 'usage', /profile name/],
    ['a key for a name', { name: 'svc_live_canary' }, 'usage', /profile name/],
    ['__proto__', { name: '__proto__' }, 'usage', /profile name/],
    ['http elsewhere', { baseUrl: 'http://api.example.com' }, 'unsafe', /this machine only/],
    ['the address of the sandbox', { baseUrl: `${API}/sandbox` }, 'usage', /production address/],
    [
      'a text that is no key',
      { key: 'canary' },
      'usage',
      /Standard input contains no key: a key begins with svc_test_ or svc_live_/,
    ],
    ['no key on standard input', { key: '\n' }, 'usage', /Standard input contains no key/],
    ['a country of three letters', { country: 'VEN' }, 'usage', /--country/],
    ['a currency of two', { currency: 'VE' }, 'usage', /--currency/],
    ['a currency that is no word', { currency: 'V3S' }, 'usage', /--currency/],
    ['a live key and no key store', { key: LIVE }, 'unsafe', /--insecure-storage/],
  ])('refuses %s and writes nothing', async (_name, given, kind, message) => {
    const machine = freshMachine();
    const failure = await failureOf(add(machine, given));
    expect(failure.kind).toBe(kind);
    expect(failure.message).toMatch(message);
    expect(fs.existsSync(settingsPath(machine.paths))).toBe(false);
    expect(fs.existsSync(secretFilePath(machine.paths))).toBe(false);
  });

  it('refuses a name that is taken, and keeps its key', async () => {
    const machine = freshMachine();
    await add(machine, { key: TEST });
    const before = settingsText(machine);
    expect((await failureOf(add(machine, { key: 'svc_test_another9999' }))).message).toMatch(/acme already/);
    expect(settingsText(machine)).toBe(before);
    expect(fs.readFileSync(secretFilePath(machine.paths), 'utf8')).toContain(TEST);
  });
});

describe('set-key', () => {
  it('adds the key of the other environment, and replaces one of the same', async () => {
    const machine = freshMachine();
    await add(machine, { key: TEST });
    const { note } = await setKey(machine, { name: 'acme', key: LIVE, insecureStorage: true });
    expect(note).toMatch(/live key is in a file/);
    const { profile } = await setKey(machine, {
      ...{ name: 'acme', key: 'svc_test_CANARYcanary3333', insecureStorage: false },
    });
    expect(profile.keys).toEqual({
      sandbox: { key: 'svc_test_...3333', stored: 'file' },
      live: { key: 'svc_live_...2222', stored: 'file' },
    });
    expect(fs.readFileSync(secretFilePath(machine.paths), 'utf8')).not.toContain(TEST);
  });

  it('refuses an unknown profile before it stores anything', async () => {
    const machine = freshMachine(memoryStore());
    const failure = await failureOf(setKey(machine, { name: 'nobody', key: TEST, insecureStorage: false }));
    expect(failure).toMatchObject({ kind: 'usage', message: 'There is no profile nobody.' });
    expect(machine.secrets.keystore).toMatchObject({ held: new Map() });
  });
});

it('use, show, list name what is not there', async () => {
  const machine = freshMachine();
  expect((await failureOf(useProfile(machine, 'nobody'))).message).toBe('There is no profile nobody.');
  expect((await failureOf(useProfile(machine, 'svc_test_canary'))).message).toBe('No profile has that name.');
  expect(() => profileView(readSettings(machine.paths), null)).toThrow(
    'There are no profiles. Make one: svc profiles add',
  );
  expect(() => profileView(readSettings(machine.paths), 'constructor')).toThrow('no profile constructor');
});

describe('remove', () => {
  it('deletes the keys, and leaves none active', async () => {
    const keystore = memoryStore();
    const machine = freshMachine(keystore);
    await add(machine, { key: TEST });
    await setKey(machine, { name: 'acme', key: LIVE, insecureStorage: false });
    await add(machine, { name: 'beta' });
    expect(keystore.held.size).toBe(2);
    expect((await removeProfile(machine, 'acme')).name).toBe('acme');
    expect(keystore.held.size).toBe(0);
    expect(readSettings(machine.paths)).toMatchObject({ active: null, profiles: { beta: {} } });
    expect(await failureOf(removeProfile(machine, 'acme'))).toMatchObject({ kind: 'usage' });
  });

  it('keeps the profile where its key could not be deleted', async () => {
    const machine = freshMachine(memoryStore());
    await add(machine, { key: TEST });
    const locked = { ...machine, secrets: { ...machine.secrets, keystore: absentStore() } };
    expect(await failureOf(removeProfile(locked, 'acme'))).toMatchObject({ kind: 'local_state' });
    expect(profileView(readSettings(machine.paths), 'acme').keys.sandbox).not.toBeNull();
  });

  it.each(['keystore', 'file'] as const)(
    'deletes keys from the %s once the address was edited',
    async (where) => {
      const keystore = memoryStore();
      const machine = freshMachine(where === 'keystore' ? keystore : absentStore());
      const edit = (from: string, to: string): void =>
        fs.writeFileSync(
          settingsPath(machine.paths),
          settingsText(machine).replace(`"base_url": "${from}`, `"base_url": "${to}`),
          { mode: 0o600 },
        );
      const kept = (): string =>
        where === 'keystore'
          ? [...keystore.held.values()].join()
          : fs.readFileSync(secretFilePath(machine.paths), 'utf8');
      await add(machine, { key: TEST });
      edit(API, 'https://other.example.com');
      expect(readSettings(machine.paths).profiles['acme']?.base_url).toContain('other.example.com');
      await setKey(machine, { name: 'acme', key: 'svc_test_CANARYcanary3333', insecureStorage: true });
      expect(kept()).not.toContain(TEST);
      edit('https://other.example.com', 'no url');
      await removeProfile(machine, 'acme');
      expect(kept()).not.toMatch(/svc_test_/);
    },
  );
});

describe('the settings file', () => {
  const write = (machine: ProfileStores, content: string): void => {
    fs.mkdirSync(machine.paths.config, { recursive: true });
    fs.writeFileSync(settingsPath(machine.paths), content, { mode: 0o600 });
  };

  it('keeps what this version does not know', async () => {
    const machine = freshMachine();
    write(
      machine,
      '{"theme":"x","profiles":{"old":{"base_url":"https://h","keys":{"later":1},"colour":"red"}}}',
    );
    await add(machine);
    await setKey(machine, { name: 'old', key: TEST, insecureStorage: false });
    expect(JSON.parse(settingsText(machine))).toMatchObject({
      theme: 'x',
      profiles: { old: { colour: 'red', keys: { later: 1, sandbox: { last4: '1111' } } } },
    });
  });

  it.each([
    ...['{', '', 'null', '[]', '{"active":1}', '{"profiles":[]}', '{"profiles":{"a":{}}}'],
    '\ufeff{"profiles":{"a":1}}',
    ...[
      '{"profiles":{"a":{"base_url":"x","keys":{"live":"canary"}}}}',
      '{"profiles":{"__proto__":{"base_url":"x","keys":{}}}}',
    ],
  ])('says that it is damaged: %s', async (content) => {
    const machine = freshMachine();
    write(machine, content);
    const failure = await failureOf(Promise.resolve().then(() => readSettings(machine.paths)));
    expect(failure).toMatchObject({ kind: 'local_state', exitCode: 16 });
    expect(failure.message).toContain(settingsPath(machine.paths));
    expect(await failureOf(add(machine))).toMatchObject({ kind: 'local_state' });
    expect(settingsText(machine)).toBe(content);
  });

  it('is refused where others could have changed it', async () => {
    const machine = freshMachine();
    await add(machine);
    fs.chmodSync(settingsPath(machine.paths), 0o644);
    expect(() => readSettings(machine.paths)).toThrow(/chmod 600/);
    expect((await failureOf(add(machine, { name: 'beta' }))).message).toMatch(/chmod 600/);
  });

  it('is a failure, not a defect, where it cannot be written', async () => {
    const machine = freshMachine();
    fs.mkdirSync(join(settingsPath(machine.paths), 'x'), { recursive: true });
    await expect(writeSettings(machine.paths, { active: null, profiles: {} })).rejects.toMatchObject({
      kind: 'local_state',
    });
  });
});

it('what was added is what a command uses', async () => {
  const machine = freshMachine();
  await add(machine, { baseUrl: 'http://127.0.0.1:4010', key: TEST, insecureLoopback: true, country: 'VE' });
  await setKey(machine, { name: 'acme', key: LIVE, insecureStorage: true });
  const target = (live: boolean): ReturnType<typeof findTarget> =>
    findTarget(
      chooseValues({ flags: { live }, env: {}, settings: readSettings(machine.paths) }),
      {},
      keyReaders(machine.secrets),
    );
  await expect(target(false)).resolves.toMatchObject({
    key: TEST,
    serviceUrl: 'http://127.0.0.1:4010/sandbox',
    country: { value: 'VE' },
  });
  await expect(target(true)).resolves.toMatchObject({ key: LIVE, serviceUrl: 'http://127.0.0.1:4010' });
});
