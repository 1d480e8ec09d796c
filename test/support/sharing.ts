/** Two machines that share a state in a real PostgreSQL, and a file of people to pay: everything fresh for every test of the file that asks. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect } from 'vitest';
import { batchHome, type BatchHome } from './batch-home.js';
import type { Cells } from './payroll.js';
import type { SharedDatabase } from './shared-state.js';

/** To be called at the top of a file. @param shared null where no PostgreSQL can be started here */
export function sharingMachines<Shared extends SharedDatabase>(
  rows: readonly Cells[],
  shared: Shared | null,
) {
  const here = batchHome(rows, 'sandbox', 'real');
  /** The environments of the two machines, which are others in each test: not to be spread before it begins. */
  const [env, other]: [Record<string, string>, Record<string, string>] = [{}, {}];
  if (shared !== null)
    beforeEach(async () => {
      Object.assign(env, shared.env());
      Object.assign(other, here.machine('other'), env);
      await here.svc('state init', { env });
    });
  return {
    ...{ shared, here, env, other },
    /** As the owner of the tables, where `svc.` stands for their schema. */
    sql: async (text: string) => (await shared?.query(env, text)) ?? [],
    /** Every one of the people was paid once. */
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
