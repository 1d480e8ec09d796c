import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect } from 'vitest';
import { batchHome, type BatchHome } from './batch-home.js';
import type { Cells } from './payroll.js';
import type { SharedDatabase } from './shared-state.js';

export function sharingMachines<Shared extends SharedDatabase>(
  rows: readonly Cells[],
  shared: Shared | null,
  { key, environment }: { readonly key?: number; readonly environment?: 'live' } = {},
) {
  const here = batchHome(rows, environment, 'real');
  /** Both environments are filled when a test begins, so do not spread them before. */
  const [env, other]: [Record<string, string>, Record<string, string>] = [{}, {}];
  if (shared !== null)
    beforeEach(async () => {
      Object.assign(env, shared.env(), key === undefined ? {} : keyFileIn(here, key));
      Object.assign(other, here.machine('other'), env);
      await here.svc('state init', { env });
    });
  return {
    ...{ shared, here, env, other },
    sql: async (text: string) => (await shared?.query(env, text)) ?? [],
    once: async () => {
      const { SVC_API_KEY: own } = await here.otherKey();
      expect(Object.values(await here.shaky.ledger(own))).toEqual(rows.map(() => 1));
    },
  };
}

export function keyFileIn({ home }: BatchHome, byte = 9): { readonly SVC_STATE_KEY_FILE: string } {
  const file = join(home.home, 'state.key');
  writeFileSync(file, `${Buffer.alloc(32, byte).toString('base64')}\n`, { mode: 0o600 });
  return { SVC_STATE_KEY_FILE: file };
}
