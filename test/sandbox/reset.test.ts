import fc from 'fast-check';
import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { readFileSync, renameSync, rmSync, statSync, symlinkSync, truncateSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { SANDBOX_VERSION } from '../../src/sandbox/store/schema.js';
import { integrity, meddle } from '../support/database-dump.js';
import { payout } from '../support/requests.js';
import { sandboxesOf } from '../support/sandbox-here.js';
import { eachWorld } from '../support/svc.js';
import { IS_REST } from '../support/rest.js';

const home = eachWorld();
const start = sandboxesOf(home);
let store: string;
beforeEach(async () => {
  store = join(home.ports.paths.data, 'sandbox.db');
  expect(await home.svc(payout())).toMatchObject({ exitCode: 0 });
});

const beside = (): string[] => readdirSync(dirname(store)).filter((name) => name.startsWith('sandbox.db'));

async function expectNew(): Promise<void> {
  expect((await home.svc('sandbox status')).json()).toMatchObject({ operations: 0, events: 0 });
  expect(integrity(store)).toBe('ok');
  expect(await home.svc(payout())).toMatchObject({ exitCode: 0 });
}

function readyKeyOf(file: string): unknown {
  const db = new DatabaseSync(file);
  try {
    return db.prepare("SELECT value FROM meta WHERE name = 'ready_key'").get()?.['value'];
  } finally {
    db.close();
  }
}

const MADE_BY = "UPDATE made_by SET last = '9.8.7'";
const userVersion = (version: number): string => `PRAGMA user_version = ${String(version)}`;
const UNUSABLE: readonly (readonly [what: string, spoil: () => void, said: string])[] = [
  ['of a newer version', () => meddle(store, `${userVersion(999)}; ${MADE_BY}`), 'svc 9.8.7'],
  ['of an older version', () => meddle(store, userVersion(SANDBOX_VERSION - 1)), 'older, unreleased'],
  ['that is no database', () => writeFileSync(store, 'no database '.repeat(999)), 'damaged'],
  ['that lost its end', () => truncateSync(store, 5000), 'damaged'],
  ['with nonsense', () => writeFileSync(store, readFileSync(store).fill(0xff, 2048)), 'damaged'],
];

describe('a link in a folder where others can write too', () => {
  const seen = (folder: string): unknown => [
    statSync(folder).mode,
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  ];

  it.each<[string, (string | string[])[]]>([
    ['DATA', ['balances', 'sandbox reset', 'sandbox start --port 0']],
    ['STATE', [payout(), 'requests list', 'events sync', 'webhooks listen --port 0']],
    ['CONFIG', ['profiles add shop --base-url https://api.example.com']],
    ['CACHE', []],
  ])('is not followed where it is the folder of XDG_%s_HOME', async (what, lines) => {
    const [shared, own] = [join(home.home, 'shared'), join(home.home, 'own')];
    for (const folder of [shared, own]) mkdirSync(folder);
    chmodSync(own, 0o755);
    symlinkSync(own, join(shared, 'svc'));
    const env = { [`XDG_${what}_HOME`]: shared };
    const before = seen(own);
    for (const line of lines) {
      const refused = await home.svc(line, { env });
      expect([line, refused.exitCode, refused.stdout]).toEqual([line, 16, '']);
      expect(refused.stderr).toContain('is a link');
    }
    if (what === 'CACHE') expect(await home.svc(payout(), { env })).toMatchObject({ exitCode: 0 });
    expect(seen(own)).toEqual(before);
  });

  it('is not followed where it is the store: not by --store, and not by a reset', async () => {
    const bytes = readFileSync(store);
    const target = join(home.home, 'moved.db');
    renameSync(store, target);
    symlinkSync(target, store);
    for (const line of ['balances', 'sandbox reset', `sandbox start --port 0 --store ${store}`])
      expect(await home.svc(line)).toMatchObject({ exitCode: 16, stdout: '' });
    expect(readFileSync(target).equals(bytes)).toBe(true);
    expect(lstatSync(store).isSymbolicLink()).toBe(true);
  });
});

describe('a store', () => {
  it.each(UNUSABLE)('%s is refused with the way out, and replaced by a reset', async (what, spoil, said) => {
    const before = (await home.svc('sandbox key')).json();
    spoil();
    const bytes = readFileSync(store);
    const code = what.includes('newer') ? 'store_newer' : 'store_unusable';
    for (const line of ['balances', 'sandbox status', 'sandbox start --port 0']) {
      const refused = await home.svc(line);
      expect(refused).toMatchObject({ exitCode: 16, stdout: '' });
      expect(refused.error()).toMatchObject({ code, outcome: 'not_sent', next_command: 'svc sandbox reset' });
      expect(refused.stderr).toContain(said);
    }
    expect(readFileSync(store).equals(bytes)).toBe(true);
    const reset = await home.svc('sandbox reset');
    expect(reset).toMatchObject({ exitCode: 0 });
    expect(reset.json()).toEqual({ reset: true });
    expect(reset.stderr).toContain('svc made a new one, with a new key.');
    await expectNew();
    expect((await home.svc('sandbox key')).json()['api_key']).not.toBe(before['api_key']);
    expect(beside().filter((name) => name !== 'sandbox.db.lock')).toEqual(['sandbox.db']);
  });

  it.each([
    'DROP TABLE deliveries',
    'ALTER TABLE faults RENAME COLUMN route TO rout',
    'DROP INDEX operations_due',
    'DROP TABLE meta',
    "UPDATE meta SET value = 'no number' WHERE name LIKE 'clock%'",
    "UPDATE meta SET value = 'svc_tesu_' || substr(value, 10) WHERE name = 'ready_key'",
  ])('in which SQLite finds nothing wrong, but %s, is replaced', async (sql) => {
    await home.svc('sandbox clock advance 1h');
    meddle(store, sql);
    expect(await home.svc('sandbox reset')).toMatchObject({ exitCode: 0 });
    await expectNew();
  });

  it('with a log beside it that nobody played leaves none of it to the new one', async () => {
    const writer = new DatabaseSync(store);
    writer.exec("INSERT INTO meta VALUES ('of the old store', 'x')");
    for (const end of ['', '-wal']) copyFileSync(store + end, join(home.home, `kept${end}`));
    writer.close();
    for (const end of ['', '-wal']) copyFileSync(join(home.home, `kept${end}`), store + end);
    writeFileSync(store, readFileSync(store).fill('x', 0, 16));
    expect(await home.svc('sandbox reset')).toMatchObject({ exitCode: 0 });
    await expectNew();
    const db = new DatabaseSync(store);
    expect(db.prepare("SELECT 1 FROM meta WHERE name = 'of the old store'").get()).toBeUndefined();
    db.close();
  });

  it.each([
    ...["UPDATE keys SET scopes = 'x'", 'UPDATE keys SET company = 9', "UPDATE companies SET name = 'x'"],
    'DELETE FROM keys',
  ])('has its key again, with every scope, after: %s', async (sql) => {
    const before = readyKeyOf(store);
    meddle(store, sql);
    const reset = await home.svc('sandbox reset');
    expect(reset).toMatchObject({ exitCode: 0 });
    expect(reset.stderr).not.toContain('made a new one');
    await expectNew();
    expect((await home.svc('sandbox status')).json()).toMatchObject({ companies: 1 });
    expect(readyKeyOf(store)).toBe(before);
  });

  it('is replaced once where several resets meet it', async () => {
    writeFileSync(store, 'x'.repeat(9999));
    const resets = await Promise.all([1, 2, 3].map(() => home.svc('sandbox reset')));
    expect(resets.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(resets.filter(({ stderr }) => stderr.includes('made a new one'))).toHaveLength(1);
    await expectNew();
  });

  it('with any bit flipped is empty, whole and good afterwards', async () => {
    const whole = readFileSync(store);
    const header = fc.nat(whole.length / 2048 - 1).map((page) => page * 2048 + 3);
    const place = fc.oneof(fc.nat(whole.length - 1), fc.nat(140), header);
    const ends = new Set<string>();
    const flip = async (at: number, bit: number): Promise<void> => {
      for (const name of beside()) rmSync(join(dirname(store), name));
      const bytes = Buffer.from(whole);
      bytes[at]! ^= 1 << bit;
      writeFileSync(store, bytes, { mode: 0o600 });
      const { exitCode, stderr } = await home.svc('sandbox reset');
      ends.add(`${String(exitCode)} ${stderr.includes('made a new one') ? 'replaced' : 'emptied'}`);
      // These bytes of the file say which program owns it.
      if (at >= 68 && at < 72) return;
      expect(exitCode, stderr).toBe(0);
      await expectNew();
    };
    await fc.assert(fc.asyncProperty(place, fc.nat(7), flip), { numRuns: 60 });
    expect([...ends]).toEqual(expect.arrayContaining(['0 replaced', '0 emptied']));
  }, 180_000);
});

describe('what is left alone', () => {
  it.each([
    ['sound', () => undefined],
    ['damaged', () => writeFileSync(store, readFileSync(store).fill(0xff, 100))],
  ])('a %s database of another program', async (_what, spoil) => {
    rmSync(store);
    const tables = 'CREATE TABLE theirs (x); CREATE TABLE others (x)';
    meddle(store, `${tables}; PRAGMA application_id = 7; PRAGMA user_version = 1`);
    spoil();
    const bytes = readFileSync(store);
    const reset = await home.svc('sandbox reset');
    expect(reset).toMatchObject({ exitCode: 16, stdout: '' });
    expect(reset.stderr).toContain('another program');
    expect(readFileSync(store).equals(bytes)).toBe(true);
  });

  it('a folder', async () => {
    rmSync(store);
    mkdirSync(store);
    expect(await home.svc('sandbox reset')).toMatchObject({ exitCode: 16, stdout: '' });
    expect(existsSync(store)).toBe(true);
  });
});

it.runIf(IS_REST)(
  'a store that a running server has and can’t empty has to be left by it first',
  async () => {
    const { stop } = await start();
    meddle(store, 'DROP TABLE meta');
    const reset = await home.svc('sandbox reset', { wire: true });
    expect(reset).toMatchObject({ exitCode: 10, stdout: '' });
    expect(reset.stderr).toContain('Stop it, then run this again');
    await stop();
    expect(await home.svc('sandbox reset', { wire: true })).toMatchObject({ exitCode: 0 });
    await expectNew();
  },
);
