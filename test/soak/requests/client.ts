/** One client process: a create, or any command line, of the program in its own environment. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { environment } from '../../support/program.js';
import { fullPipe } from './full-pipe.js';

export interface Setting {
  /** The path of the program. */
  readonly program: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Client {
  readonly pid: number;
  /** What it wrote on standard output; behind a full pipe only what came through after all. */
  readonly stdout: () => string;
  readonly ended: Promise<number | null>;
  /** SIGKILL, at once; resolves when the process is gone. */
  kill(): Promise<void>;
}

let pipes = 0;

/** Starts the program; the named stream is a pipe that is full. */
export function startClient(
  setting: Setting,
  line: readonly string[],
  full: 'stdout' | 'stderr' | null,
): Client {
  const pipe = full === null ? null : fullPipe(join(setting.home, `full-${String((pipes += 1))}`));
  const streamOf = (name: 'stdout' | 'stderr'): number | 'pipe' =>
    full === name && pipe !== null ? pipe.descriptor : 'pipe';
  const child = spawn(process.execPath, [setting.program, ...line], {
    env: environment(setting.home, setting.env),
    stdio: ['ignore', streamOf('stdout'), streamOf('stderr')],
  });
  let stdout = '';
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.resume();
  const ended = ending(child).then((code) => {
    if (full === 'stdout') stdout = pipe?.drain() ?? '';
    pipe?.close();
    return code;
  });
  return {
    pid: child.pid ?? -1,
    stdout: () => stdout,
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function ending(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
}

/** Runs a command line to its end. */
export async function runClient(setting: Setting, line: readonly string[]): Promise<Result> {
  const client = startClient(setting, line, null);
  const code = await client.ended;
  return { code, stdout: client.stdout() };
}

/** The words of a payout with that reference. */
export function payoutLine(reference: string): string[] {
  const fields = [
    'document.type=V',
    'document.number=12345678',
    'bank_code=0102',
    'account_number=04121234567',
  ];
  const place = ['--method', 'mobile_payment', '--country', 'VE', '--currency', 'VES'];
  const party = fields.flatMap((field) => ['--beneficiary', field]);
  return ['payouts', 'create', '--amount', '10.01', '--reference', reference, ...place, ...party];
}
