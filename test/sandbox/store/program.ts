/** Programs of their own that open a real store, for what only processes can show: races and kills. */
import { build } from 'esbuild';
import { spawn, type ChildProcess } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Bundles a program that imports `openSandbox`, `serve`, `clock` and `random`, or what `prelude` does; the path of its file. */
export async function bundle(folder: string, program: string, prelude = PRELUDE): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({
    stdin: { contents: prelude + program, resolveDir: ROOT, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'silent',
  });
  return outfile;
}

const PRELUDE = `
import { openSandbox } from './src/sandbox/sandbox.js';
import { serve } from './src/sandbox/server.js';
import { systemClock as clock, systemRandom as random } from './src/runtime/clock.js';
`;

export interface Ended {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves once the program wrote that many lines. */
  lines(count: number): Promise<string[]>;
}

/** Node before 24.15 calls its SQLite experimental on standard error, where svc itself keeps that quiet. */
const QUIET = '--disable-warning=ExperimentalWarning';

/** Starts a bundled program with this process's Node. It ends with the test. */
export function start(file: string, ...args: readonly string[]): Running {
  const child = spawn(process.execPath, [QUIET, file, ...args], {
    cwd: dirname(file),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  let wake = (): void => undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    wake();
  });
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<Ended>((resolve) =>
    child.on('close', (code) => resolve({ code, output, errors })),
  );
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const lines = (count: number): Promise<string[]> =>
    new Promise((resolve, reject) => {
      wake = () => {
        const whole = output.split('\n').slice(0, -1);
        if (whole.length >= count) resolve(whole);
      };
      wake();
      void ended.then(() =>
        reject(new Error(`the program ended before it wrote ${String(count)} lines: ${errors}`)),
      );
    });
  return { child, ended, lines };
}
