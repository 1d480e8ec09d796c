/** One client process: a create, or any command line, of the program in its own environment. */
import { spawn } from 'node:child_process';
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

let pipes = 0;

/** Starts the program; the named stream is a pipe that is full. */
export function startClient(setting: Setting, line: readonly string[], full: 'stdout' | 'stderr' | null) {
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
  const ended = once(child, 'close').then(([code]: unknown[]) => {
    if (full === 'stdout') stdout = pipe?.drain() ?? '';
    pipe?.close();
    return code as number | null;
  });
  return {
    pid: child.pid ?? -1,
    /** What it wrote on standard output; behind a full pipe only what came through after all. */
    stdout: () => stdout,
    ended,
    /** SIGKILL, at once; resolves when the process is gone. */
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Runs a command line to its end. */
export async function runClient(setting: Setting, line: readonly string[]) {
  const client = startClient(setting, line, null);
  const code = await client.ended;
  return { code, stdout: client.stdout() };
}

/** The words of a payout with that reference. */
export function payoutLine(reference: string): string[] {
  const fields = 'document.type=V document.number=12345678 bank_code=0102 account_number=04121234567'.split(
    ' ',
  );
  const place = ['--method', 'mobile_payment', '--country', 'VE', '--currency', 'VES'];
  const party = fields.flatMap((field) => ['--beneficiary', field]);
  return ['payouts', 'create', '--amount', '10.01', '--reference', reference, ...place, ...party];
}
