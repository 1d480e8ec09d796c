/** A home whose service is a shaky sandbox, and a file of people to pay: fresh for every test of the file that asks for one. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { csv, fileIn, people, type Cells } from './payroll.js';
import { ADDRESS, keyOf, shakySandbox, type Fate, type ShakySandbox } from './shaky-sandbox.js';
import { wordsOf } from './typed.js';
import { world, type Result, type RunOptions, type World } from './svc.js';

/** A row as it is exported, by column. */
export type ExportedRow = Readonly<Record<string, string>>;

export interface BatchHome {
  readonly home: World;
  readonly shaky: ShakySandbox;
  /** The path of `pay.csv`. */
  readonly file: string;
  /** The folder that holds all stores. */
  readonly state: string;
  /** A command line over the shaky sandbox, whatever the options leave out; live where the home is. */
  readonly svc: (line: string | readonly string[], options?: RunOptions) => Promise<Result>;
  /** A line that was printed, as a shell reads it. */
  readonly paste: (line: unknown, options?: RunOptions) => Promise<Result>;
  /** Begins the batch of the file, one row after the other, so that it is known which one meets which fate. */
  readonly begin: (...fates: readonly Fate[]) => Promise<Result>;
  /** Writes a file of these rows and sends it as a batch of that name, with these words more. */
  readonly pay: (
    rows: readonly Cells[],
    batch: string,
    words?: string,
    options?: RunOptions,
  ) => Promise<Result>;
  /** The rows of a batch, by reference. */
  readonly rows: (batch?: string, env?: RunOptions['env']) => Promise<Readonly<Record<string, ExportedRow>>>;
  /** An environment with another key: of that company, or of the same. */
  readonly otherKey: (company?: string) => Promise<Readonly<Record<string, string>>>;
  /** An environment on another machine, which shares nothing with this one but the service. */
  readonly machine: (name: string) => Readonly<Record<string, string>>;
  /** The stores are gone, as on a machine that knows nothing. */
  readonly lose: () => void;
  /** Keeps a copy of the stores; what it returns puts them back. */
  readonly backUp: () => () => void;
}

const LIVE = ['--live', '--insecure-loopback'];

/**
 * @param environment live: every command line is, with a key of its own
 * @param time what it is for the machine and the service when a test begins: always the same, or, beside a database that is real, its own
 */
export function batchHome(
  rows: readonly Cells[] = people(4),
  environment: 'sandbox' | 'live' = 'sandbox',
  time: 'set' | 'real' = 'set',
): BatchHome {
  let [home, shaky]: [World | null, ShakySandbox | null] = [null, null];
  let env: Readonly<Record<string, string>> = {};
  const present = <T>(value: T | null): T => {
    if (value === null) throw new Error('a home is there within a test');
    return value;
  };
  beforeEach(async () => {
    home = world(time === 'real' ? new Date().toISOString() : undefined);
    shaky = shakySandbox(home.clock);
    env = shaky.env;
    if (environment === 'live') env = { ...env, SVC_API_KEY: await keyOf(shaky, 'default', environment) };
    fileIn(home.home, 'pay.csv', csv(rows));
  });
  afterEach(() => shaky?.sandbox.close());
  const run = (words: readonly string[], options: RunOptions): Promise<Result> =>
    here.home.svc(words, { transport: here.shaky.transport, ...options, env: { ...env, ...options.env } });
  const here: BatchHome = {
    get home() {
      return present(home);
    },
    get shaky() {
      return present(shaky);
    },
    get file() {
      return join(here.home.home, 'pay.csv');
    },
    get state() {
      return here.home.ports.paths.state;
    },
    svc: (line, options = {}) => {
      const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
      return run([...words, ...(environment === 'live' ? LIVE : [])], options);
    },
    paste: (line, options = {}) => run(wordsOf(String(line)), options),
    begin: (...fates) => {
      here.shaky.next(...fates);
      return here.svc(`payouts batch ${here.file} --concurrency 1 --json`);
    },
    pay: (those, batch, words = '', options = {}) => {
      const file = fileIn(here.home.home, `${batch}.csv`, csv(those));
      return here.svc(`payouts batch ${file} --batch ${batch} --concurrency 1 --json ${words}`, options);
    },
    rows: async (batch = 'pay', env = {}) => {
      const { stdout, stderr } = await here.home.svc(['batches', 'export', batch, '--json'], { env });
      if (stdout === '') throw new Error(stderr);
      const { rows: exported } = JSON.parse(stdout) as { rows: ExportedRow[] };
      return Object.fromEntries(exported.map((row) => [row['reference'] ?? '', row]));
    },
    otherKey: async (company = 'default') => ({
      ...{ SVC_BASE_URL: ADDRESS, SVC_API_KEY: await keyOf(here.shaky, company, environment) },
    }),
    machine: (name) => ({
      XDG_STATE_HOME: join(here.home.home, name, 'state'),
      XDG_CACHE_HOME: join(here.home.home, name, 'cache'),
    }),
    lose: () => rmSync(here.state, { recursive: true }),
    backUp: () => {
      const copy = join(here.home.home, 'backup');
      cpSync(here.state, copy, { recursive: true });
      return () => {
        here.lose();
        cpSync(copy, here.state, { recursive: true });
      };
    },
  };
  return here;
}
