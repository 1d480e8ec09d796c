import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { csv, fileIn, people, type Cells } from './payroll.js';
import { ADDRESS, keyOf, shakySandbox, type Fate, type ShakySandbox } from './shaky-sandbox.js';
import { wordsOf } from './typed.js';
import { world, type Result, type RunOptions, type World } from './svc.js';

export type BatchHome = ReturnType<typeof batchHome>;

const LIVE = ['--live', '--insecure-loopback'];

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
  const run = (words: readonly string[], options: RunOptions = {}): Promise<Result> =>
    present(home).svc(words, {
      ...{ transport: present(shaky).transport, ...options },
      env: { ...env, ...options.env },
    });
  const svc = (line: string | readonly string[], options: RunOptions = {}): Promise<Result> => {
    const words = typeof line === 'string' ? line.split(' ').filter((word) => word !== '') : line;
    return run([...words, ...(environment === 'live' ? LIVE : [])], options);
  };
  const fileOf = (): string => join(present(home).home, 'pay.csv');
  const stateOf = (): string => present(home).ports.paths.state;
  const lose = (): void => rmSync(stateOf(), { recursive: true });
  return {
    get home() {
      return present(home);
    },
    get shaky() {
      return present(shaky);
    },
    get file() {
      return fileOf();
    },
    get state() {
      return stateOf();
    },
    ...{ run, svc, lose },
    paste: (line: unknown, options: RunOptions = {}) => run(wordsOf(String(line)), options),
    /** The rows are sent one after the other, so that the test knows which row meets which fate. */
    begin: (...fates: readonly Fate[]) => {
      present(shaky).next(...fates);
      return svc(`payouts batch ${fileOf()} --concurrency 1 --json`);
    },
    pay: (those: readonly Cells[], batch: string, words = '', options: RunOptions = {}) => {
      const file = fileIn(present(home).home, `${batch}.csv`, csv(those));
      return svc(`payouts batch ${file} --batch ${batch} --concurrency 1 --json ${words}`, options);
    },
    rows: async (batch = 'pay', env: RunOptions['env'] = {}) => {
      const { stdout, stderr } = await present(home).svc(['batches', 'export', batch, '--json'], { env });
      if (stdout === '') throw new Error(stderr);
      const { rows: exported } = JSON.parse(stdout) as { rows: Readonly<Record<string, string>>[] };
      return Object.fromEntries(exported.map((row) => [row['reference'] ?? '', row]));
    },
    otherKey: async (company = 'default') => ({
      ...{ SVC_BASE_URL: ADDRESS, SVC_API_KEY: await keyOf(present(shaky), company, environment) },
    }),
    machine: (name: string) => ({
      XDG_STATE_HOME: join(present(home).home, name, 'state'),
      XDG_CACHE_HOME: join(present(home).home, name, 'cache'),
    }),
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
