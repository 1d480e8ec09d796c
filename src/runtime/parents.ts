import { existsSync, readFileSync } from 'node:fs';
import type { Environ } from './ports.js';

export interface Ancestry {
  readonly folder: string;
  readonly pid: number;
}

const SELF: Ancestry = { folder: '/proc', pid: process.pid };

const PARENTS_MAX = 64;

export function ancestorValues(name: string, { folder, pid }: Ancestry = SELF): readonly string[] {
  const values: string[] = [];
  const prefix = `${name}=`;
  let ancestor = pid;
  for (let count = 0; count < PARENTS_MAX && ancestor > 0; count += 1) {
    values.push(...valuesInBlock(readBytes(`${folder}/${ancestor}/environ`), prefix));
    ancestor = parentOf(readBytes(`${folder}/${ancestor}/stat`));
  }
  return values;
}

const LOCKS = ['sandbox', 'read-only'];
/** The mark is a limit of file locks, because every descendant inherits it and only root can raise it. */
const MARK_SCRIPT = 'ulimit -w "$0" 2> /dev/null || ulimit -x "$0" 2> /dev/null; exec "$@"';
const MARK_LINE = /^Max file locks +\S+ +([01]) /m;
const HOLDER_VARIABLE = 'SVC_LOCK_HOLDER';

export function markedLock({ folder }: Pick<Ancestry, 'folder'> = SELF): readonly string[] {
  const [, mark] = MARK_LINE.exec(readBytes(`${folder}/self/limits`).toString('latin1')) ?? [];
  return mark === undefined ? [] : LOCKS.slice(Number(mark)).slice(0, 1);
}

/** Restarts this process once, because `ancestorValues` reads only the environment that a process began with. */
export function holdLock(lock: string, env: Environ): Environ {
  const { [HOLDER_VARIABLE]: holder, ...lockedEnv }: Environ = { ...env, SVC_LOCK: lock };
  const [, ...commandWords] = readBytes(`${SELF.folder}/self/cmdline`)
    .toString('utf8')
    .split('\0')
    .slice(0, -1);
  if (holder === String(process.pid) || commandWords.length === 0) return lockedEnv;
  const marker = existsSync('/bin/sh') ? ['/bin/sh', '-c', MARK_SCRIPT, String(LOCKS.indexOf(lock))] : [];
  const [file = '', ...args] = [...marker, process.execPath, ...commandWords];
  process.execve?.(file, [file, ...args], { ...lockedEnv, [HOLDER_VARIABLE]: String(process.pid) });
  return lockedEnv;
}

function valuesInBlock(environ: Buffer, prefix: string): string[] {
  const values: string[] = [];
  for (let at = environ.indexOf(prefix); at !== -1; at = environ.indexOf(prefix, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue;
    const end = environ.indexOf(0, at);
    values.push(environ.toString('latin1', at + prefix.length, end === -1 ? environ.length : end));
  }
  return values;
}

function parentOf(stat: Buffer): number {
  const text = stat.toString('latin1');
  const [, , parent = ''] = text.slice(text.lastIndexOf(')')).split(' ');
  return /^[0-9]{1,10}$/.test(parent) ? Number(parent) : 0;
}

function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
