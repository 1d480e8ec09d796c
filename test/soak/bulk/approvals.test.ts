import { afterAll, describe, expect, it } from 'vitest';
import { playApprovals } from '../../batches/simulation/approvals/history.js';
import { APPROVAL_RULES, programWithoutApproval } from '../../batches/simulation/approvals/rules.js';
import { HAS_KEYGEN, people } from '../../support/signers.js';
import { recordFigures } from '../figures.js';

const SOAK = process.env['SOAK'] !== undefined;
const FIRST = 1001;
const SEEDS = 500;
const CONTROL_SEEDS = 150;
const LIMIT = { timeout: 1_800_000 };
const SUITE = 'Plans that others approve, simulated';

describe.runIf(SOAK && HAS_KEYGEN)('a desk where people cheat', () => {
  const signing = people();
  afterAll(() => signing.remove());

  it(`sends nothing that nobody approved, in ${String(SEEDS)} more histories`, LIMIT, async () => {
    const faults: string[] = [];
    let sent = 0;
    for (let seed = FIRST; seed < FIRST + SEEDS; seed += 1) {
      const played = await playApprovals(seed, signing);
      sent += played.sent;
      if (played.faults.length > 0) faults.push(`SEED=${String(seed)} ${played.faults.join(', ')}`);
    }
    expect(faults).toEqual([]);
    expect(sent).toBeGreaterThan(SEEDS);
    const counts = { payments: sent, 'that nobody approved': 0 };
    recordFigures({ suite: SUITE, run: `${String(SEEDS)} seeds`, counts });
  });

  it.each(APPROVAL_RULES)('and it shows that "%s" is out', LIMIT, async (rule) => {
    const program = await programWithoutApproval(rule);
    let histories = 0;
    let faults: readonly string[] = [];
    while (faults.length === 0 && histories < CONTROL_SEEDS) {
      histories += 1;
      ({ faults } = await playApprovals(histories, signing, program));
    }
    expect(faults.length).toBeGreaterThan(0);
    expect((await playApprovals(histories, signing)).faults).toEqual([]);
    recordFigures({ suite: SUITE, run: `control: without ${rule}`, counts: { histories } });
  });
});
