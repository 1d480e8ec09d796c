import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeSending } from '../../../src/session/guard/decision.js';
import { parsePolicy, type PolicyState } from '../../../src/session/guard/policy.js';
import { sendingOf } from '../../../src/session/guard/request-kind.js';
import { type DrawnCase, drawnCase } from '../../session/guard/drawn-cases.js';
import { type NaiveCase, naiveJudge, RULE_NAMES } from '../../session/guard/naive-judge.js';
import { recordFigures, under } from '../figures.js';
import { IS_SOAK } from '../../support/soak.js';

const CASES = IS_SOAK ? 20_000 : 2000;
const SUITE = 'The policy, judged twice';

function stateOf(policy: NaiveCase['policy']): PolicyState {
  if (policy === null) return { kind: 'none' };
  if (typeof policy === 'string') return { kind: 'unusable', code: policy, why: '' };
  return { kind: 'policy', policy: parsePolicy(Buffer.from(JSON.stringify(policy))), binds: true };
}

function productJudge({ known, request, service }: DrawnCase): string {
  const { environment, lock, policy, admitted, batch, approvals, timeMs } = known;
  const sending = sendingOf({ ...request, body: Buffer.from(request.body) }, service);
  const totals = Object.entries(batch ?? {}).map(([currency, total]) => {
    const [whole = '', rest = ''] = total.split('.');
    return [currency, { minor: BigInt(whole + rest), decimals: rest.length }] as const;
  });
  const verdict = judgeSending({ environment, lock, policy: stateOf(policy) }, sending, {
    isAdmitted: admitted,
    batchTotals: batch === null ? null : new Map(totals),
    approvals,
    serviceMs: timeMs,
  });
  return verdict.kind === 'allowed' ? 'allowed' : `${verdict.code} ${verdict.field}`;
}

describe('the decision', () => {
  const cases = fc.sample(drawnCase, CASES);
  const words = cases.map(productJudge);

  it(`is that of a judge who knows the page alone, ${String(CASES)} times`, () => {
    const others = cases.filter((one, at) => naiveJudge(one.known) !== words[at]);
    const [first] = others;
    expect(
      first && { ...first, naive: naiveJudge(first.known), product: productJudge(first) },
    ).toBeUndefined();
    const counted = Object.groupBy(words, (word) => word.split(/[ .]/).at(-1) ?? '');
    recordFigures({
      suite: SUITE,
      run: 'drawn at random',
      counts: {
        'policies and sendings': cases.length,
        'refused by some rule': words.filter((word) => word !== 'allowed').length,
        allowed: counted['allowed']?.length ?? 0,
        'verdicts on which nobody could agree': others.length,
      },
    });
  });

  const missed = new Map<string, number>();
  it.each(RULE_NAMES)('is another one without the rule "%s"', (rule) => {
    const others = cases.filter((one, at) => naiveJudge(one.known, rule) !== words[at]);
    missed.set(rule, others.length);
    expect(others.length).toBeGreaterThan(0);
  });

  it('is missed by each rule that is left out', () => {
    expect([...missed.keys()]).toEqual(RULE_NAMES);
    recordFigures({
      suite: SUITE,
      run: 'control: without one rule',
      counts: {
        'policies and sendings': cases.length,
        ...under('verdicts on which nobody could agree', Object.fromEntries(missed)),
      },
    });
  });
});
