/** `npm run safety -- bulk` plays hundreds of histories, and `SEED=n` plays one. */
import { afterAll, describe, expect, it } from 'vitest';
import { HAS_KEYGEN, people } from '../../../support/signers.js';
import { playApprovals } from './history.js';
import { type ApprovalRule, programWithoutApproval } from './rules.js';

const ONE = process.env['SEED'];
const FIRST = Number(ONE ?? 1);
const COUNT = Number(process.env['COUNT'] ?? (ONE === undefined ? 10 : 1));
const LIMIT_MS = 300_000;
const IN_EVERY_RUN: readonly ApprovalRule[] = [
  'enough approvals',
  'the maker is no approver',
  'asked again on resume',
];
const CONTROL_SEEDS = 60;

describe.skipIf(!HAS_KEYGEN)('a desk where people cheat', () => {
  const signing = people();
  afterAll(() => signing.remove());

  it(
    'sends nothing that nobody approved, and nothing twice',
    async () => {
      const faults: string[] = [];
      let sent = 0;
      for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
        const played = await playApprovals(seed, signing);
        sent += played.sent;
        if (ONE !== undefined) process.stderr.write(`${played.log.join('\n')}\n`);
        if (played.faults.length > 0)
          faults.push([`SEED=${String(seed)}`, ...played.faults, ...played.log].join('\n'));
      }
      expect(faults.join('\n\n')).toBe('');
      if (ONE === undefined) expect(sent).toBeGreaterThan(COUNT);
    },
    LIMIT_MS,
  );

  it.runIf(ONE === undefined).each(IN_EVERY_RUN)(
    'shows that "%s" is out',
    async (rule) => {
      const program = await programWithoutApproval(rule);
      let seed = 0;
      let faults: readonly string[] = [];
      while (faults.length === 0 && seed < CONTROL_SEEDS) {
        seed += 1;
        ({ faults } = await playApprovals(seed, signing, program));
      }
      expect(faults.length).toBeGreaterThan(0);
      expect((await playApprovals(seed, signing)).faults).toEqual([]);
    },
    LIMIT_MS,
  );
});
