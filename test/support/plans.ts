import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalAddress } from '../../src/contract/access.js';
import { bodyLine, headLine, type PlanHead } from '../../src/batches/approval/plan/format.js';
import { PlanCount, type PlanFacts, readPlanRow } from '../../src/batches/approval/plan/read.js';
import { NAMESPACES } from '../../src/batches/approval/signature.js';
import type { Machine } from '../../src/runtime/ports.js';
import { BARE_MACHINE } from './machine.js';
import { bodyOf, type Cells } from './payroll.js';
import { ADDRESS } from './shaky-sandbox.js';
import { KEYGEN, type People } from './signers.js';

const MADE_AT = '2026-09-23T14:59:00Z';
const VALID_UNTIL = '2026-09-26T14:59:00Z';

export const PLAN_FACTS: PlanFacts = {
  ...{ environment: 'live', address: canonicalAddress(ADDRESS), company: null, direction: 'payout' },
  ...{ batch: 'june', since: null, left_out: 0, made_at: MADE_AT, valid_until: VALID_UNTIL, maker: null },
};

export function planBytes(
  rows: readonly Cells[],
  facts: Partial<PlanFacts> = {},
  change: (head: PlanHead) => PlanHead = (head) => head,
): Buffer {
  const count = new PlanCount();
  const lines = rows.map((row) => bodyLine(Buffer.from(JSON.stringify(bodyOf(row)))));
  for (const [at, line] of lines.entries()) count.add(readPlanRow(line, at));
  return Buffer.from([headLine(change(count.head({ ...PLAN_FACTS, ...facts }))), ...lines, ''].join('\n'));
}

export type SignedBy = readonly (readonly [key: string, role: keyof typeof NAMESPACES])[];

export function putPlan(folder: string, bytes: Uint8Array, by: SignedBy, people: People): string {
  const path = join(folder, 'june.plan');
  for (const name of readdirSync(folder)) if (name.startsWith('june.plan')) rmSync(join(folder, name));
  writeFileSync(path, bytes);
  for (const [key, role] of by)
    writeFileSync(
      `${path}.${role === 'maker' ? 'maker' : `${key}-approves`}.sig`,
      people.sign(bytes, key, NAMESPACES[role]),
    );
  return path;
}

const SIGNERS = '/etc/svc/allowed_signers';

export function approvalsPolicy(approvals: number, more: object = {}): object {
  return { version: 1, contact: 'treasury desk', payouts: { allow: 'all', approvals, ...more } };
}

export function approving(
  approvals: number,
  signers: Uint8Array | null,
  keygens: readonly string[] = [KEYGEN],
): Machine {
  const policy = approvalsPolicy(approvals);
  return treasury(
    () => policy,
    () => signers,
    keygens,
  );
}

export function treasury(
  policy: () => object | null,
  signers: () => Uint8Array | null,
  keygens: readonly string[] = [KEYGEN],
): Machine {
  const bytes = (found: Uint8Array | null): ReturnType<Machine['readTrusted']> =>
    found === null ? { kind: 'absent' } : { kind: 'bytes', bytes: found, binds: true };
  return {
    ...BARE_MACHINE,
    keygens,
    readTrusted: (path) => {
      if (path === BARE_MACHINE.policyFile) {
        const is = policy();
        return bytes(is === null ? null : Buffer.from(JSON.stringify(is)));
      }
      if (path === SIGNERS) return bytes(signers());
      return bytes(keygens.includes(path) ? Buffer.from('#!') : null);
    },
  };
}
