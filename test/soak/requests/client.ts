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
  readonly program: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
}

let pipes = 0;

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
    stdout: () => stdout,
    ended,
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
