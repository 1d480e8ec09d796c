import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ids } from '../feed/feed.js';
import { FEED_ENV, feedLine, listFeed, type FeedAnswer } from '../support/feed-line.js';
import { sqliteTables } from '../support/into-tables.js';
import { shell } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';
import { eachWorld, type Result } from '../support/svc.js';

describe('a file', () => {
  const home = eachWorld();
  const read = (file: string, words: string, answer: FeedAnswer): Promise<Result> => {
    const argv = ['events', 'tail', '--into', `sqlite:${file}`, ...words.split(' ')];
    return home.svc(argv, { env: FEED_ENV, transport: feedLine(answer) });
  };
  const tail = (file: string, words = '--create --no-follow', count = 3): Promise<Result> =>
    read(file, words, listFeed(ids(count)));
  const mode = (file: string): number => statSync(file).mode & 0o777;

  it('is its user’s alone, in a folder that is made, and another program reads it while it is written', async () => {
    const file = join(home.home, 'new folder', 'events.db');
    expect((await tail(file)).exitCode).toBe(0);
    expect([mode(file), mode(join(home.home, 'new folder'))]).toEqual([0o600, 0o700]);
    const reader = new DatabaseSync(file, { readOnly: true });
    onTestFinished(() => reader.close());
    expect(reader.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
    const count = (): unknown => reader.prepare('SELECT count(*) AS count FROM svc_events').get()?.['count'];
    reader.exec('BEGIN');
    expect(count()).toBe(3);
    expect((await tail(file, '--no-follow', 5)).exitCode).toBe(0);
    expect(count()).toBe(3);
    reader.exec('COMMIT');
    expect(count()).toBe(5);
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

  const OURS = 'PRAGMA application_id = 1937138530; PRAGMA user_version = 1; CREATE TABLE a (a)';
  const THEIRS = 'belongs to another program. Choose another file';
  it.each<[string, (file: string) => void, string]>([
    ['a database of another program', (file) => new DatabaseSync(file).exec('CREATE TABLE mine (a)'), THEIRS],
    ['no database', (file) => writeFileSync(file, 'x'.repeat(5000)), THEIRS],
    ['a folder', (file) => mkdirSync(file), ''],
    ['a link', (file) => symlinkSync('/dev/null', file), ''],
    ['a database of svc that is something else', (file) => new DatabaseSync(file).exec(OURS), ''],
  ])('that is %s is left as it is: 16', async (_what, make, said) => {
    const file = join(home.home, 'events.db');
    make(file);
    if (said === THEIRS) chmodSync(file, 0o644);
    const before = readdirSync(home.home);
    const { error } = await tail(file);
    expect(error()).toMatchObject({ exit_code: 16, message: expect.stringContaining(file) as string });
    expect(error()['message']).toContain(said);
    expect(readdirSync(home.home).filter((name) => !name.endsWith('.lock'))).toEqual(before);
    if (said === THEIRS) expect([mode(file), readdirSync(home.home)]).toEqual([0o644, before]);
  });

  it('has its indexes once it was read to its end', async () => {
    await tail(join(home.home, 'events.db'));
    expect(await sqliteTables(home.home).query('SELECT indexed FROM svc_feed')).toEqual([{ indexed: 1 }]);
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
      const home = join(testFolder(), "svc it's");
      mkdirSync(home);
      const quoted = `'${`sqlite:${name}`.replaceAll("'", `'\\''`)}'`;
      const run = (line: string) => shell(`cd "$HOME"; ${line}`, home);
      const missing = await run(`svc events tail --into ${quoted} --no-follow --from start`);
      expect(missing.code, missing.stderr).toBe(16);
      const said = JSON.parse(missing.stderr.trimEnd().split('\n').at(-1)!) as {
        readonly error: { readonly next_command: string };
      };
      const made = await run(said.error.next_command);
      expect(made.code, made.stderr).toBe(0);
      expect(statSync(join(home, name)).mode & 0o777).toBe(0o600);
    },
  );
});
