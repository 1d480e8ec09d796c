import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BATCHES_KIND } from '../../src/storage/batches/schema.js';
import { JOURNAL_KIND } from '../../src/storage/journal/tables.js';
import { MIRRORS_KIND } from '../../src/storage/mirror/schema.js';
import { openDatabase } from '../../src/runtime/database.js';
import type { DatabaseKind } from '../../src/runtime/database-file.js';
import { Stopped } from '../../src/runtime/ports.js';
import { SANDBOX_KIND } from '../../src/sandbox/store/store.js';
import { batchHome } from '../support/batch-home.js';
import { dump, meddle } from '../support/database-dump.js';
import { payout } from '../support/requests.js';
import { runInShell } from '../support/shell.js';
import { world, type World } from '../support/svc.js';

interface Case {
  readonly kind: DatabaseKind;
  readonly file: string;
  readonly line: string;
}

const CASES: readonly Case[] = [
  { kind: BATCHES_KIND, file: 'batches.db', line: 'batches list --json' },
  { kind: JOURNAL_KIND, file: 'requests.db', line: 'requests list --json' },
  { kind: MIRRORS_KIND, file: 'feed.db', line: 'events sync --json' },
];

const HOSTILE = `it's "the $(id) books"; -v *`;

describe('a book', () => {
  const here = batchHome();
  let env: Readonly<Record<string, string>>;
  const storeOf = (name: string): string => join(env['XDG_STATE_HOME'] ?? '', 'svc', name);
  const svc = (line: string | readonly string[]) => here.svc(line, { env });

  beforeEach(async () => {
    env = here.machine(HOSTILE);
    expect(await svc(payout())).toMatchObject({ exitCode: 0 });
    expect(await svc(['payouts', 'batch', here.file, '--json'])).toMatchObject({ exitCode: 0 });
  });

  it.each(CASES)(
    'of an older version is refused, and $line works once what it says was typed',
    async ({ kind, file: name, line }) => {
      const file = storeOf(name);
      const before = dump(file);
      meddle(file, `PRAGMA user_version = ${String(kind.version - 1)}`);
      const bytes = readFileSync(file);
      const posts = here.shaky.posts.length;
      const refused = await svc(line);
      expect(refused).toMatchObject({ exitCode: 16, stdout: '' });
      expect(refused.error()).toMatchObject({ code: 'store_unusable', outcome: 'not_sent' });
      expect(refused.error()['message']).toContain('made by an older, unreleased version of svc');
      expect(readFileSync(file).equals(bytes)).toBe(true);

      const typed = refused.error()['next_command'];
      runInShell(typed);
      expect(readdirSync(dirname(file)).filter((found) => found.startsWith(name))).toEqual([
        `${name}.v${String(kind.version - 1)}`,
      ]);
      expect(dump(`${file}.v${String(kind.version - 1)}`)).toEqual({ ...before, version: kind.version - 1 });
      expect(await svc(line)).toMatchObject({ exitCode: 0 });
      expect(dump(file)).toMatchObject({ version: kind.version });
      runInShell(typed);
      expect(existsSync(file)).toBe(true);
      expect(dump(`${file}.v${String(kind.version - 1)}`)).toMatchObject({ rows: before.rows });
      expect(here.shaky.posts).toHaveLength(posts);
    },
  );

  it('that is refused lets no payout leave', async () => {
    for (const { kind, file } of CASES) {
      meddle(storeOf(file), `PRAGMA user_version = ${String(kind.version - 1)}`);
      const posts = here.shaky.posts.length;
      const batch = ['payouts', 'batch', here.file, '--batch', 'next'];
      for (const words of kind === JOURNAL_KIND ? [batch, payout()] : [batch])
        expect(await svc(words)).toMatchObject({ exitCode: 16, stdout: '' });
      expect(here.shaky.posts).toHaveLength(posts);
      meddle(storeOf(file), `PRAGMA user_version = ${String(kind.version)}`);
    }
  });

  it.each(CASES)('$file of a newer version is left alone', async ({ kind, file: name, line }) => {
    const file = storeOf(name);
    meddle(file, `CREATE TABLE invented (a TEXT) STRICT; PRAGMA user_version = ${String(kind.version + 1)}`);
    const bytes = readFileSync(file);
    expect((await svc(line)).error()).toMatchObject({ code: 'store_newer', exit_code: 16 });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });
});

describe("a sandbox's store that is not the default one", () => {
  let home: World;
  beforeEach(() => void (home = world()));
  afterEach(() => home.remove());

  it('is moved away by what a refusal says, and a server has a new one there', async () => {
    const store = join(home.home, `${HOSTILE}.db`);
    openDatabase(store, SANDBOX_KIND).close();
    meddle(store, `PRAGMA user_version = ${String(SANDBOX_KIND.version - 1)}`);
    const controller = new AbortController();
    const words = ['sandbox', 'start', '--port', '0', '--json', '--store', store];
    const refused = await home.svc(words, { wire: true });
    expect(refused.error()).toMatchObject({ exit_code: 16, code: 'store_unusable' });
    runInShell(refused.error()['next_command']);
    expect(existsSync(store)).toBe(false);
    const started = await home.svc(words, {
      ...{ wire: true, signal: controller.signal },
      onData: () => controller.abort(new Stopped('SIGTERM', 143)),
    });
    expect(started.stdout).toContain('"ready"');
    expect(dump(store).version).toBe(SANDBOX_KIND.version);
  });
});
