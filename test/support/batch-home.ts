/** A home whose service is a shaky sandbox, and a file of people to pay: fresh for every test of the file that asks for one. */
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { csv, fileIn, people, type Cells } from './payroll.js';
import { ADDRESS, keyOf, shakySandbox, type Fate, type ShakySandbox } from './shaky-sandbox.js';
import { wordsOf } from './typed.js';
import { world, type Result, type RunOptions, type World } from './svc.js';

export type BatchHome = ReturnType<typeof batchHome>;

const LIVE = ['--live', '--insecure-loopback'];

/**
 * @param environment live: every command line is, with a key of its own
 * @param time what it is for the machine and the service when a test begins: always the same, or, beside a database that is real, its own
 */
export function batchHome(
  rows: readonly Cells[] = people(4),
  environment: 'sandbox' | 'live' = 'sandbox',
  time: 'set' | 'real' = 'set',
) {
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
  /** Words as they are. */
  const run = (words: readonly string[], options: RunOptions = {}): Promise<Result> =>
    present(home).svc(words, {
      ...{ transport: present(shaky).transport, ...options },
      env: { ...env, ...options.env },
    });
  /** A command line over the shaky sandbox, whatever the options leave out; live where the home is. */
  const svc = (line: string | readonly string[], options: RunOptions = {}): Promise<Result> => {
    const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
    return run([...words, ...(environment === 'live' ? LIVE : [])], options);
  };
  const fileOf = (): string => join(present(home).home, 'pay.csv');
  const stateOf = (): string => present(home).ports.paths.state;
  /** The stores are gone, as on a machine that knows nothing. */
  const lose = (): void => rmSync(stateOf(), { recursive: true });
  return {
    get home() {
      return present(home);
    },
    get shaky() {
      return present(shaky);
    },
    /** The path of `pay.csv`. */
    get file() {
      return fileOf();
    },
    /** The folder that holds all stores. */
    get state() {
      return stateOf();
    },
    ...{ run, svc, lose },
    /** A line that was printed, as a shell reads it. */
    paste: (line: unknown, options: RunOptions = {}) => run(wordsOf(String(line)), options),
    /** Begins the batch of the file, one row after the other, so that it is known which one meets which fate. */
    begin: (...fates: readonly Fate[]) => {
      present(shaky).next(...fates);
      return svc(`payouts batch ${fileOf()} --concurrency 1 --json`);
    },
    /** Writes a file of these rows and sends it as a batch of that name, with these words more. */
    pay: (those: readonly Cells[], batch: string, words = '', options: RunOptions = {}) => {
      const file = fileIn(present(home).home, `${batch}.csv`, csv(those));
      return svc(`payouts batch ${file} --batch ${batch} --concurrency 1 --json ${words}`, options);
    },
    /** The rows of a batch, by reference. */
    rows: async (batch = 'pay', env: RunOptions['env'] = {}) => {
      const { stdout, stderr } = await present(home).svc(['batches', 'export', batch, '--json'], { env });
      if (stdout === '') throw new Error(stderr);
      const { rows: exported } = JSON.parse(stdout) as { rows: Readonly<Record<string, string>>[] };
      return Object.fromEntries(exported.map((row) => [row['reference'] ?? '', row]));
    },
    /** An environment with another key: of that company, or of the same. */
    otherKey: async (company = 'default') => ({
      ...{ SVC_BASE_URL: ADDRESS, SVC_API_KEY: await keyOf(present(shaky), company, environment) },
    }),
    /** An environment on another machine, which shares nothing with this one but the service. */
    machine: (name: string) => ({
      XDG_STATE_HOME: join(present(home).home, name, 'state'),
      XDG_CACHE_HOME: join(present(home).home, name, 'cache'),
    }),
    /** Keeps a copy of the stores; what it returns puts them back. */
    backUp: () => {
      const copy = join(present(home).home, 'backup');
      cpSync(stateOf(), copy, { recursive: true });
      return () => {
        lose();
        cpSync(copy, stateOf(), { recursive: true });
      };
    },
  };
}
