import { expect, it } from 'vitest';
import type { ClientCase } from '../../../src/certify/client/points.js';
import type { BrokenRule } from '../../../src/certify/client/judge.js';
import {
  clientOutcome,
  groupsOf,
  type JudgedCase,
  otherCases,
} from '../../../src/certify/report/client-report.js';

const caseOf = (id: string): ClientCase => ({
  ...{ id, at: { route: 'payouts.create', fingerprint: null, ordinal: 1 }, holdMs: 0, isRerun: false },
  fault: id.split(':')[0] as ClientCase['fault'],
});
const judged = (id: string, broken: readonly BrokenRule[], notJudged: string | null = null): JudgedCase => ({
  ...{ theCase: caseOf(id), broken, notJudged },
});
const rule = (name: BrokenRule['rule'], more: Partial<BrokenRule> = {}): BrokenRule => ({
  ...{
    rule: name,
    severity: 'must',
    section: '4',
    why: `${name} it is.`,
    requests: [1, 2],
    isExplained: false,
  },
  ...more,
});
const outcome = (one: JudgedCase) => clientOutcome(one, (id) => `again ${id}`);

it('passes what breaks nothing, with the severity and section of its case', () => {
  expect(outcome(judged('members', []))).toEqual({
    ...{ id: 'members', severity: 'should', status: 'passed', rule: null, section: '9' },
    ...{ why: null, andSo: null, requests: [], repeat: null },
  });
});

it('fails for the cause, and names what stands beneath and beside it', () => {
  const broken = [
    rule('same-key'),
    rule('retry-after', { severity: 'should' }),
    rule('paid-once', { isExplained: true }),
    rule('says-done', { isExplained: true }),
  ];
  expect(outcome(judged('e500:payouts.create-95e4', broken))).toMatchObject({
    ...{ severity: 'must', status: 'failed', rule: 'same-key', section: '4', requests: [1, 2] },
    ...{ why: 'same-key it is. Also broken: retry-after.', andSo: 'paid-once, says-done' },
    repeat: 'again e500:payouts.create-95e4',
  });
});

it('fails for a must, whichever comes first', () => {
  const broken = [rule('same-bytes', { severity: 'should' }), rule('ends')];
  const found = outcome(judged('slow:payouts.create-95e4', broken));
  expect(found).toMatchObject({ status: 'failed', rule: 'ends' });
});

it('advises where what is broken should be', () => {
  const broken = [rule('same-bytes', { severity: 'should' })];
  expect(outcome(judged('e502:payouts.create-95e4', broken))).toMatchObject({
    ...{ status: 'advice', severity: 'should', why: 'same-bytes it is.', andSo: null },
  });
});

it('does not judge what it has a reason for', () => {
  const one = judged('r401:payouts.create-95e4', [], 'No reason.');
  const nothing = { status: 'not_judged', severity: 'must', rule: null };
  expect(outcome(one)).toMatchObject({ ...nothing, why: 'No reason.' });
});

it('puts cases that break one rule together: failed ones first, of each the plainest first', () => {
  const at = (fault: string, name: BrokenRule['rule'], severity: 'must' | 'should' = 'must') =>
    outcome(judged(`${fault}:payouts.create-95e4`, [rule(name, { severity })]));
  const groups = groupsOf([
    at('e429', 'same-key', 'should'),
    at('e500', 'same-key'),
    outcome(judged('members', [])),
    at('lost-before', 'same-key'),
    at('lost-after', 'same-key'),
    at('r400', 'no-repeat-4xx'),
  ]);
  const named = groups.map(({ rule: name, outcomes }) => [name, outcomes.map(({ id }) => id.split(':')[0])]);
  expect(named).toEqual([
    ['same-key', ['lost-after', 'lost-before', 'e500']],
    ['no-repeat-4xx', ['r400']],
    ['same-key', ['e429']],
  ]);
});

it('names the others of a group by their faults where they are put on the same', () => {
  const ids = 'lost-after:payins.confirm-3a3e e500:payins.confirm-3a3e e500:payouts.create-95e4 members';
  const others = otherCases(ids.split(' ').map((id) => outcome(judged(id, [rule('ends')]))));
  expect(others).toEqual(['e500', 'e500:payouts.create-95e4', 'members']);
});
