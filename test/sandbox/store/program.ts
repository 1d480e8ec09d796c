import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from '../../house/source.js';
import { endOf, type Ended } from '../../support/program.js';

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
import { systemClock as clock, systemRandom as random } from './src/runtime/clock.js';
`;

/** Node before 24.15 prints a warning about SQLite. */
const QUIET = '--disable-warning=ExperimentalWarning';

export function run(file: string, ...args: readonly string[]): Promise<Ended> {
  const child = spawn(process.execPath, [QUIET, file, ...args], {
    cwd: dirname(file),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return endOf(child);
}
