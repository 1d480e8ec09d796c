import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { PlanFacts } from '../../src/batches/approval/plan/read.js';
import type { Machine } from '../../src/runtime/ports.js';
import { type BatchHome, batchHome } from './batch-home.js';
import type { Cells } from './payroll.js';
import { approvalsPolicy, planBytes, putPlan, type SignedBy, treasury } from './plans.js';
import { people, type People } from './signers.js';
import type { Result, RunOptions } from './svc.js';

export const TWO: SignedBy = [
  ['maker', 'maker'],
  ['ana', 'approver'],
  ['bob', 'approver'],
];

export interface PlanHome {
  readonly here: BatchHome;
  readonly signing: People;
  policy: object | null;
  signers: Uint8Array | null;
  readonly machine: Machine;
  readonly bytes: (facts?: Partial<PlanFacts>, rows?: readonly Cells[]) => Buffer;
  readonly put: (by?: SignedBy, facts?: Partial<PlanFacts>, rows?: readonly Cells[]) => string;
  readonly svc: (line: string, options?: RunOptions) => Promise<Result>;
  readonly sent: () => number;
  readonly paid: () => Promise<number[]>;
  readonly listWithout: (...keys: readonly string[]) => Buffer;
}

export function planHome(rows: readonly Cells[], time?: 'set' | 'real'): PlanHome {
  const here = batchHome(rows, 'live', time);
  let signing: People | null = null;
  beforeAll(() => void (signing = people()));
  afterAll(() => signing?.remove());
  beforeEach(() => {
    desk.policy = approvalsPolicy(2);
    desk.signers = desk.signing.list;
  });
  const desk: PlanHome = {
    here,
    get signing() {
      if (signing === null) throw new Error('people are there within a test');
      return signing;
    },
    policy: null,
    signers: null,
    machine: treasury(
      () => desk.policy,
      () => desk.signers,
    ),
    bytes: (facts, those = rows) => planBytes(those, { maker: desk.signing.fingerprint('maker'), ...facts }),
    put: (by = TWO, facts = {}, those = rows) =>
      putPlan(here.home.home, desk.bytes(facts, those), by, desk.signing),
    svc: (line, options = {}) => here.svc(line, { machine: desk.machine, ...options }),
    sent: () => here.shaky.posts.length,
    paid: async () => Object.values(await here.shaky.ledger((await here.otherKey()).SVC_API_KEY)),
    listWithout: (...keys) => {
      const lines = desk.signing.list.toString().split('\n');
      const gone = keys.map((key) => lines.findIndex((line) => line.endsWith(desk.signing.publicKey(key))));
      return Buffer.from(lines.filter((_, at) => !gone.includes(at)).join('\n'));
    },
  };
  return desk;
}
