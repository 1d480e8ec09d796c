/** A command line as a process under everything that makes Node and libraries talk; its arguments and its children's are watched. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { Line } from './lines.js';

const LONG_MS = 8000;

/** Runs it to its end, or, for a server, until it has said that it is ready. */
export async function watch(
  program: string,
  { words, stdin = '' }: Line,
  env: Readonly<Record<string, string>>,
  isServer = false,
) {
  const options = { env: { PATH: process.env['PATH'] ?? '', ...env } };
  const child = spawn(process.execPath, [program, ...words], options);
  const seen = { argv: new Set<string>(), children: new Set<string>() };
  let [stdout, stderr] = ['', ''];
  const stop = (): void => void child.kill('SIGTERM');
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
    if (isServer) stop();
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
    if (isServer && stderr.includes(' at http://')) stop();
  });
  // What repeats for hours has shown enough.
  const enough = globalThis.setTimeout(stop, LONG_MS);
  child.stdin.on('error', () => undefined).end(stdin);
  const ended = once(child, 'close').then(() => 'ended' as const);
  do look(child.pid ?? -1, seen);
  while ((await Promise.race([ended, setTimeout(3, 'still there' as const)])) !== 'ended');
  clearTimeout(enough);
  // Arguments of the process and of every descendant that was seen; arguments and environment of the descendants alone.
  return { stdout, stderr, argv: [...seen.argv].join('\n'), children: [...seen.children].join('\n') };
}

function look(
  pid: number,
  { argv, children }: { readonly argv: Set<string>; readonly children: Set<string> },
): void {
  const own = read(`/proc/${String(pid)}/cmdline`);
  argv.add(own);
  for (const descendant of descendantsOf(pid)) {
    const its = read(`/proc/${String(descendant)}/cmdline`);
    // Until it has become another program, it is this one.
    if (its === own) continue;
    children.add(its).add(read(`/proc/${String(descendant)}/environ`));
  }
}

function descendantsOf(pid: number): number[] {
  const tasks = list(`/proc/${String(pid)}/task`);
  const children = tasks.flatMap((task) => read(`/proc/${String(pid)}/task/${task}/children`).split(' '));
  return children
    .filter((text) => text !== '')
    .flatMap((text) => [Number(text), ...descendantsOf(Number(text))]);
}

/** What is gone by now says nothing. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
