/** What a variable was for this process and for those above it when each began, as Linux shows it: what a child takes out of its environment changes nothing there. */
import { readFileSync } from 'node:fs';

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
    const shown = textOf(`${folder}/${at}/environ`) ?? '';
    for (const one of shown.split('\0')) if (one.startsWith(before)) values.push(one.slice(before.length));
    at = parentOf(textOf(`${folder}/${at}/stat`));
  }
  return values;
}

/** What stands behind the name of the program, which may hold anything: its state, then its parent. 0 where nobody says it. */
function parentOf(stat: string | null): number {
  const [, , parent = ''] = stat?.slice(stat.lastIndexOf(')')).split(' ') ?? [];
  return /^[0-9]{1,10}$/.test(parent) ? Number(parent) : 0;
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return null;
  }
}
