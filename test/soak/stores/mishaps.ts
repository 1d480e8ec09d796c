import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export interface Machine {
  readonly home: string;
  readonly backup: string;
}

export const MISHAPS = [
  'everything lost',
  'batches lost',
  'mirror lost',
  'everything put back from a backup',
  'batches put back from a backup',
  'copied to another machine',
  'another machine that knows nothing',
] as const;
export type Mishap = (typeof MISHAPS)[number];

export function machineIn(folder: string, name: string): Machine {
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  return { home, backup: join(folder, `${name}-backup`) };
}

export function backUp({ home, backup }: Machine): void {
  if (existsSync(stateOf(home))) cpSync(stateOf(home), backup, { recursive: true });
}

export function befall(mishap: Mishap, machine: Machine, other: Machine): Machine[] {
  const state = stateOf(machine.home);
  if (mishap === 'another machine that knows nothing') return [other, machine];
  if (mishap === 'copied to another machine') {
    if (existsSync(state)) cpSync(state, stateOf(other.home), { recursive: true });
    return [machine, other];
  }
  const [what = '', how] = mishap.split(/ (?=lost|put)/);
  const store = { everything: '', batches: 'batches.db', mirror: 'feed.db' }[what]!;
  remove(state, store);
  if (how !== 'lost') putBack(machine, store);
  return [machine];
}

function stateOf(home: string): string {
  return join(home, '.local/state/svc');
}

function remove(folder: string, store: string): void {
  if (!existsSync(folder)) return;
  if (store === '') rmSync(folder, { recursive: true });
  else for (const name of readdirSync(folder)) if (name.startsWith(store)) rmSync(join(folder, name));
}

function putBack({ home, backup }: Machine, store: string): void {
  if (!existsSync(backup)) return;
  cpSync(backup, stateOf(home), {
    recursive: true,
    filter: (from) => from === backup || from.slice(backup.length + 1).startsWith(store),
  });
}
