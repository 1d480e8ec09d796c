/** Two machines that share a state in a real PostgreSQL, and a file of people to pay: everything fresh for every test of the file that asks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect } from 'vitest';
import { batchHome, type BatchHome } from './batch-home.js';
import type { Cells } from './payroll.js';
import type { SharedDatabase } from './shared-state.js';

export interface SharingMachines<Shared extends SharedDatabase> {
  /** Null where no PostgreSQL can be started here. */
  readonly shared: Shared | null;
  readonly here: BatchHome;
  /** The environments of the two machines, which are others in each test: not to be spread before it begins. */
  readonly env: Readonly<Record<string, string>>;
  readonly other: Readonly<Record<string, string>>;
  /** As the owner of the tables, where `svc.` stands for their schema. */
  readonly sql: (text: string) => Promise<Record<string, unknown>[]>;
  /** Every one of the people was paid once. */
  readonly once: () => Promise<void>;
}

/** To be called at the top of a file. */
export function sharingMachines<Shared extends SharedDatabase>(
  rows: readonly Cells[],
  shared: Shared | null,
): SharingMachines<Shared> {
  const here = batchHome(rows, 'sandbox', 'real');
  const [env, other]: [Record<string, string>, Record<string, string>] = [{}, {}];
  if (shared !== null)
    beforeEach(async () => {
      Object.assign(env, shared.env());
      Object.assign(other, here.machine('other'), env);
      await here.svc('state init', { env });
    });
  return {
    ...{ shared, here, env, other },
    sql: async (text) => (await shared?.query(env, text)) ?? [],
    once: async () => {
      expect(Object.values(await here.shaky.ledger())).toEqual(rows.map(() => 1));
    },
  };
}

/** The key of a state in a file of that home, as an environment names it. @param byte what all of it is */
export function keyFileIn({ home }: BatchHome, byte = 9): { readonly SVC_STATE_KEY_FILE: string } {
  const file = join(home.home, 'state.key');
  writeFileSync(file, `${Buffer.alloc(32, byte).toString('base64')}\n`, { mode: 0o600 });
  return { SVC_STATE_KEY_FILE: file };
}
