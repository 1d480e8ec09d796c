/** `svc events tail --into sqlite:FILE`: whose file it is, who may read it, and the line that is printed to make it. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventJson, ids } from '../../events/feed.js';
import { FEED_ENV, feedLine, listFeed, ok, refused, type FeedAnswer } from '../../support/feed-line.js';
import { sqliteTables } from '../../support/into-tables.js';
import { shell } from '../../support/program.js';
import { world, type Result, type World } from '../../support/svc.js';

describe('a file', () => {
  let home: World;
  beforeEach(() => {
    home = world();
  });
  afterEach(() => home.remove());
  const tail = (file: string, words = '--create --no-follow', count = 3): Promise<Result> =>
    home.svc(['events', 'tail', '--into', `sqlite:${file}`, ...words.split(' ')], {
      env: FEED_ENV,
      transport: feedLine(listFeed(ids(count))),
    });
  const mode = (file: string): number => statSync(file).mode & 0o777;

  it('is its user’s alone, in a folder that is made, and another program reads it while it is written', async () => {
    const file = join(home.home, 'new folder', 'events.db');
    expect((await tail(file)).exitCode).toBe(0);
    expect([mode(file), mode(join(home.home, 'new folder'))]).toEqual([0o600, 0o700]);
    const reader = new DatabaseSync(file, { readOnly: true });
    try {
      expect(reader.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
      reader.exec('BEGIN');
      expect(reader.prepare('SELECT count(*) AS count FROM svc_events').get()).toEqual({ count: 3 });
      expect((await tail(file, '--no-follow', 5)).exitCode).toBe(0);
      expect(reader.prepare('SELECT count(*) AS count FROM svc_events').get()).toEqual({ count: 3 });
      reader.exec('COMMIT');
      expect(reader.prepare('SELECT count(*) AS count FROM svc_events').get()).toEqual({ count: 5 });
    } finally {
      reader.close();
    }
  });

  it('takes the rights of others from one that is there', async () => {
    const file = join(home.home, 'events.db');
    writeFileSync(file, '', { mode: 0o644 });
    expect((await tail(file, '--no-follow')).error()['code']).toBe('into_missing');
    expect((await tail(file)).exitCode).toBe(0);
    expect(mode(file)).toBe(0o600);
  });

  it('leaves the folder that it is put into as it is', async () => {
    const folder = join(home.home, 'shared');
    mkdirSync(folder);
    chmodSync(folder, 0o755);
    expect((await tail(join(folder, 'events.db'))).exitCode).toBe(0);
    expect([mode(folder), mode(join(folder, 'events.db.lock'))]).toEqual([0o755, 0o600]);
    const failed = await tail(folder);
    expect([failed.exitCode, mode(folder), existsSync(`${folder}.lock`)]).toEqual([16, 0o755, false]);
  });

  it('without --create is not made, and no folder nor lock', async () => {
    const file = join(home.home, 'none', 'events.db');
    expect((await tail(file, '--no-follow')).error()).toMatchObject({ exit_code: 16, code: 'into_missing' });
    expect(existsSync(join(home.home, 'none'))).toBe(false);
  });

  it.each<[string, (file: string) => void]>([
    ['a database of another program', (file) => new DatabaseSync(file).exec('CREATE TABLE mine (a)')],
    ['no database', (file) => writeFileSync(file, 'x'.repeat(5000))],
    ['a folder', (file) => mkdirSync(file)],
    ['a link', (file) => symlinkSync('/dev/null', file)],
    [
      'a database of svc that is something else',
      (file) =>
        new DatabaseSync(file).exec(
          'PRAGMA application_id = 1937138530; PRAGMA user_version = 1; CREATE TABLE a (a)',
        ),
    ],
  ])('that is %s is left as it is: 16', async (_what, make) => {
    const file = join(home.home, 'events.db');
    make(file);
    const before = readdirSync(home.home);
    const failed = await tail(file);
    expect(failed.error()).toMatchObject({ exit_code: 16 });
    expect(failed.error()['message']).toContain(file);
    expect(readdirSync(home.home).filter((name) => !name.endsWith('.lock'))).toEqual(before);
  });

  it.each<[string, (file: string) => void]>([
    ['database', (file) => new DatabaseSync(file).exec('CREATE TABLE mine (a)')],
    ['text', (file) => writeFileSync(file, 'x'.repeat(5000))],
  ])('that is the %s of another program keeps its rights, and is not called damaged', async (_what, make) => {
    const file = join(home.home, 'theirs');
    make(file);
    chmodSync(file, 0o644);
    const before = readdirSync(home.home);
    expect((await tail(file)).error()['message']).toContain(
      'belongs to another program. Choose another file',
    );
    expect([mode(file), readdirSync(home.home)]).toEqual([0o644, before]);
  });

  it('has no index while it is read for the first time, and each event once and an index behind that', async () => {
    const file = join(home.home, 'events.db');
    const once = ids(2400);
    const all = [...once, ...ids(30), ...ids(30)];
    const said = (id: string, at: number): string =>
      eventJson(id, { status: at < 2400 ? 'failed' : 'confirmed' }).replace(
        't.confirmed',
        at < 2400 ? 't.failed' : 't.confirmed',
      );
    const big: FeedAnswer = (cursor) => {
      const from = Number(cursor ?? 0);
      const page = all.slice(from, from + 200).map((id, at) => said(id, from + at));
      return ok(`{"events":[${page.join(',')}],"next_cursor":"${String(from + page.length)}"}`);
    };
    const words = ['events', 'tail', '--into', `sqlite:${file}`, '--create', '--no-follow'];
    const indexes = "SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'svc%'";
    const tables = sqliteTables(home.home);
    const failed = await home.svc(words, {
      env: FEED_ENV,
      transport: feedLine((cursor, count) =>
        count > 11 ? refused(401, 'unauthorized') : big(cursor, count),
      ),
    });
    expect(failed.exitCode).toBe(4);
    expect((await home.svc(words, { env: FEED_ENV, transport: feedLine(big) })).exitCode).toBe(0);
    expect(await tables.query(indexes)).toHaveLength(2);
    expect(await tables.query('SELECT id FROM svc_events ORDER BY number')).toEqual(
      once.map((id) => ({ id })),
    );
    const counts = await tables.query(
      'SELECT status, count(*) AS count FROM svc_operations GROUP BY status ORDER BY 1',
    );
    expect(counts).toEqual([
      { status: 'confirmed', count: 30 },
      { status: 'failed', count: 2370 },
    ]);
    expect(await tables.query('SELECT indexed, events FROM svc_feed')).toEqual([
      { indexed: 1, events: 2460 },
    ]);
  });

  it('of a newer svc is 16 and names it', async () => {
    const file = join(home.home, 'events.db');
    await tail(file);
    await sqliteTables(home.home).change('PRAGMA user_version = 2');
    expect((await tail(file)).error()).toMatchObject({ exit_code: 16, code: 'store_newer' });
  });
});

describe('the line that is printed', () => {
  it.each(['-it\'s $HOME "x".db', 'plain.db', 'sub folder/--create'])(
    'makes %s as it stands, from the folder it was typed in',
    async (name) => {
      const home = mkdtempSync(join(tmpdir(), "svc it's-"));
      try {
        const quoted = `'${`sqlite:${name}`.replaceAll("'", `'\\''`)}'`;
        const run = (line: string) => shell(`cd "$HOME"; ${line}`, home);
        const missing = await run(`svc events tail --into ${quoted} --no-follow --from start`);
        expect(missing.code, missing.stderr).toBe(16);
        const { error } = JSON.parse(missing.stderr.trimEnd().split('\n').at(-1)!) as {
          error: { next_command: string };
        };
        const made = await run(error.next_command);
        expect(made.code, made.stderr).toBe(0);
        expect(statSync(join(home, name)).mode & 0o777).toBe(0o600);
      } finally {
        rmSync(home, { recursive: true, force: true });
      }
    },
  );
});
