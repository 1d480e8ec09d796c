/** What a variable was for this process and for those above it when each began, as Linux shows it: what a child takes out of its environment changes nothing there. */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import type { Environ } from './ports.js';

/** Where processes show themselves, and which one is asked about. */
export interface Ancestry {
  readonly folder: string;
  readonly pid: number;
}

const HERE: Ancestry = { folder: '/proc', pid: process.pid };

/** A chain is never that long; one that goes in circles ends here. */
const PARENTS_MAX = 64;

/**
 * Each value once per process that has it, from this one upwards. Empty where the system shows none. A process whose environment
 * may not be read is passed over.
 */
export function valuesAbove(name: string, { folder, pid }: Ancestry = HERE): readonly string[] {
  const values: string[] = [];
  const before = `${name}=`;
  let at = pid;
  for (let count = 0; count < PARENTS_MAX && at > 0; count += 1) {
    values.push(...valuesIn(bytesOf(`${folder}/${at}/environ`), before));
    at = parentOf(bytesOf(`${folder}/${at}/stat`));
  }
  return values;
}

/** The locks, each at the number of the limit that marks it: a lower one is tighter. */
const LOCKS = ['sandbox', 'read-only'];
/** Linux has no use for this limit. A process passes it on to all that it starts, also where they lose their parents, and only root raises it. */
const MARK = 'ulimit -w "$0" 2> /dev/null || ulimit -x "$0" 2> /dev/null; exec "$@"';
const MARKED = /^Max file locks +\S+ +([01]) /m;
/** Names the process that began again. */
const HOLDER = 'SVC_LOCK_HOLDER';

/** The lock under which `svc lock` started this process, or one that started it. */
export function markedLock({ folder }: Pick<Ancestry, 'folder'> = HERE): readonly string[] {
  const [, mark] = MARKED.exec(bytesOf(`${folder}/self/limits`).toString('latin1')) ?? [];
  return mark === undefined ? [] : LOCKS.slice(Number(mark)).slice(0, 1);
}

/**
 * Makes this process one that was given the lock when it began: it begins again on the same line, once, with the lock in its environment and the mark.
 * Where the system shows neither, it goes on.
 * @returns what a program under the lock is started with
 */
export function holdLock(lock: string, env: Environ): Environ {
  const { [HOLDER]: holder, ...locked }: Environ = { ...env, SVC_LOCK: lock };
  const [, ...words] = bytesOf(`${HERE.folder}/self/cmdline`).toString('utf8').split('\0').slice(0, -1);
  if (holder === String(process.pid) || words.length === 0) return locked;
  const marked = existsSync('/bin/sh') ? ['/bin/sh', '-c', MARK, String(LOCKS.indexOf(lock))] : [];
  const [file = '', ...args] = [...marked, process.execPath, ...words];
  process.execve?.(file, [file, ...args], { ...locked, [HOLDER]: String(process.pid) });
  return locked;
}

/** What stands behind that in an environment, in which each variable ends with a zero. */
function valuesIn(environ: Buffer, before: string): string[] {
  const values: string[] = [];
  for (let at = environ.indexOf(before); at !== -1; at = environ.indexOf(before, at + 1)) {
    if (at > 0 && environ[at - 1] !== 0) continue;
    const end = environ.indexOf(0, at);
    values.push(environ.toString('latin1', at + before.length, end === -1 ? environ.length : end));
  }
  return values;
}

/** What stands behind the name of the program, which may hold anything: its state, then its parent. 0 where nobody says it. */
function parentOf(stat: Buffer): number {
  const text = stat.toString('latin1');
  const [, , parent = ''] = text.slice(text.lastIndexOf(')')).split(' ');
  return /^[0-9]{1,10}$/.test(parent) ? Number(parent) : 0;
}

/** Larger than most environments; a larger one is read all the same. */
const CHUNK_BYTES = 32 * 1024;

/** Empty where it may not be read. Such a file says no size, and asking for it would take longer than to read it. */
function bytesOf(path: string): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return Buffer.alloc(0);
  }
  try {
    let bytes = Buffer.allocUnsafe(CHUNK_BYTES);
    let length = 0;
    for (let read = -1; read !== 0; length += read) {
      if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
      read = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.subarray(0, length);
  } catch {
    return Buffer.alloc(0);
  } finally {
    closeSync(file);
  }
}
