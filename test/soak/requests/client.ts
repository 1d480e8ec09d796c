/** One client process: a create, or any command line, of the program in its own environment. */
import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from '../../support/program.js';

const FILLER = Buffer.alloc(4096, '.');

function fullPipe(path: string) {
  execFileSync('mkfifo', [path]);
  const descriptor = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  untilAgain(() => writeSync(descriptor, FILLER));
  untilAgain(() => writeSync(descriptor, '.'));
  return {
    descriptor,
    /** What was written to it behind the filling. */
    drain: (): string => {
      const chunks: Buffer[] = [];
      untilAgain(() => {
        const chunk = Buffer.alloc(65_536);
        chunks.push(chunk.subarray(0, readSync(descriptor, chunk)));
      });
      return Buffer.concat(chunks).toString('utf8').replace(/^\.+/, '');
    },
    close: () => {
      closeSync(descriptor);
      rmSync(path, { force: true });
    },
  };
}

/** Does it again and again until the system says that it would have to wait. */
function untilAgain(step: () => unknown): void {
  for (;;) {
    try {
      step();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return;
      throw error;
    }
  }
}

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

export async function runClient(setting: Setting, line: readonly string[]) {
  const client = startClient(setting, line, null);
  const code = await client.ended;
  return { code, stdout: client.stdout() };
}

export function payoutLine(reference: string): string[] {
  const fields = 'document.type=V document.number=12345678 bank_code=0102 account_number=04121234567'.split(
    ' ',
  );
  const place = ['--method', 'mobile_payment', '--country', 'VE', '--currency', 'VES'];
  const party = fields.flatMap((field) => ['--beneficiary', field]);
  return ['payouts', 'create', '--amount', '10.01', '--reference', reference, ...place, ...party];
}
