import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ROOT } from '../house/source.js';

export const PROGRAM = join(ROOT, 'bin/run.js');

/** The program of this clone, or the executable that `SVC` names. */
export const COMMAND: readonly [string, ...string[]] =
  process.env['SVC'] === undefined ? [process.execPath, PROGRAM] : [resolve(process.env['SVC'])];

export const SHELL_COMMAND = COMMAND.map((word) => `'${word}'`).join(' ');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function environment(home: string, env: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'] ?? '', HOME: home, ...env };
}

export function shell(
  command: string,
  home: string,
  { env = {}, stdin = '' }: { env?: Readonly<Record<string, string>>; stdin?: string } = {},
): Promise<Ended> {
  const svc = `svc() { ${SHELL_COMMAND} "$@"; }; export -f svc;`;
  const child = spawn('bash', ['-c', `${svc} ${command}`], { env: environment(home, env) });
  child.stdin.on('error', () => undefined).end(stdin);
  return endOf(child);
}

export function endOf(child: ChildProcess): Promise<Ended> {
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
}

export function firstLine(child: ChildProcess): Promise<string> {
  let [text, said] = ['', ''];
  child.stderr?.on('data', (chunk) => (said += String(chunk)));
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      text += String(chunk);
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.once('close', () => reject(new Error(`it ended before it was ready: ${said}`)));
  });
}

/** A process that has ended and was not reaped yet does not count. */
export function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
