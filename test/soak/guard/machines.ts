import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inOwnMounts, NOBODY } from '../../support/own-mounts.js';
import { environment, PROGRAM } from '../../support/program.js';
import { payout } from '../../support/requests.js';
import { openLine } from '../requests/line.js';
import { startSandbox } from '../sandbox.js';

export type GuardedMachine = Awaited<ReturnType<typeof guardedMachine>>;

export async function guardedMachine(program = PROGRAM) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-guarded-'));
  chmodSync(folder, 0o755);
  const sandbox = await startSandbox(join(folder, 'sandbox.db'), folder);
  const to = `http://127.0.0.1:${String(sandbox.port)}`;
  const words = [PROGRAM, 'sandbox', 'key', '--environment', 'live', '--base-url', to, '--json'];
  const key = execFileSync(process.execPath, words, { env: environment(folder), encoding: 'utf8' });
  const { api_key: live } = JSON.parse(key) as { api_key: string };
  const line = await openLine(sandbox.port);
  const home = join(folder, 'home');
  const rootHome = join(folder, 'root');
  const bin = join(folder, 'bin');
  for (const path of [home, rootHome, bin]) mkdirSync(path);
  const start = `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`;
  writeFileSync(join(bin, 'svc'), start, { mode: 0o755 });
  chownSync(home, NOBODY, NOBODY);
  const env = {
    ...environment(rootHome, { SVC_BASE_URL: line.url, SVC_API_KEY: live }),
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
  };
  const prelude = `as_nobody() { HOME=${home} setpriv --reuid=${String(NOBODY)} --regid=${String(NOBODY)} --clear-groups sh -c "$1"; }\n`;
  return {
    address: line.url,
    key: live,
    sendings: () => line.posted,
    /** Runs a script of `sh` as root. In the script, `as_nobody LINE` runs a line of `sh` as a user without rights. */
    run: (script: string) => inOwnMounts(prelude + script, env),
    stop: async () => {
      await line.close();
      await sandbox.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function createLine(reference: string, amount = '1.00'): string {
  return lineOf([...payout('12345678', amount), '--reference', reference]);
}

export const READ_LINE = lineOf(['balances']);

function lineOf(words: readonly string[]): string {
  return ['svc', ...words, '--live', '--insecure-loopback', '--json'].join(' ');
}
