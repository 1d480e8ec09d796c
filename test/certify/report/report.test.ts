import { describe, expect, it } from 'vitest';
import {
  closingLine,
  findingHead,
  isCertified,
  reportJson,
  outcomeCounts,
} from '../../../src/certify/report/report.js';
import type { Outcome } from '../../../src/certify/report/report.js';

const outcome = (change: Partial<Outcome> = {}): Outcome => ({
  ...{ id: 'twice.row', severity: 'must', status: 'passed', rule: null, section: '6 (5)' },
  ...{ why: null, andSo: null, requests: [], repeat: null },
  ...change,
});
const passes = (outcomes: readonly Outcome[], isStrict = false) => isCertified({ outcomes, isStrict });

describe('an exam is passed', () => {
  it.each<[what: string, outcomes: readonly Outcome[], lenient: boolean, strict: boolean]>([
    ['where every must passed', [outcome()], true, true],
    ['not where there is no case', [], false, false],
    ['not where one failed', [outcome(), outcome({ status: 'failed', why: 'w' })], false, false],
    ['not where a must is not judged', [outcome(), outcome({ status: 'not_judged' })], false, false],
    ['where a should is not judged', [outcome({ severity: 'should', status: 'not_judged' })], true, true],
    ['with advice, unless that counts', [outcome({ severity: 'should', status: 'advice' })], true, false],
  ])('%s', (_, outcomes, lenient, strict) => {
    expect([passes(outcomes), passes(outcomes, true)]).toEqual([lenient, strict]);
  });
});

const FAILED = outcome({ status: 'failed', why: 'the effect came twice', requests: [2, 3], repeat: 'svc x' });

it('is JSON with every member of the report', () => {
  const explained = outcome({ id: 'twice.cut', status: 'failed', why: 'w', andSo: 'twice.row' });
  const report = { exam: 'receiver', command: null, clean: null, leftOut: ['ping'] } as const;
  const both = { severity: 'must', status: 'failed', rule: null, section: '6 (5)' };
  const own = { why: 'the effect came twice', and_so: null, requests: [2, 3], repeat: 'svc x' };
  const other = { why: 'w', and_so: 'twice.row', requests: [], repeat: null };
  expect(JSON.parse(reportJson({ ...report, outcomes: [FAILED, explained], isStrict: false }))).toEqual({
    ...{ exam: 'receiver', passed: false, command: null, clean: null, left_out: ['ping'] },
    cases: [
      { id: 'twice.row', ...both, ...own },
      { id: 'twice.cut', ...both, ...other },
    ],
  });
});

it('begins a finding with what it is, and ends the line with what it weighs', () => {
  const head = findingHead('twice.row', FAILED);
  expect(head).toMatch(/^FAILED {2}twice\.row {20,}must, section 6 \(5\)$/);
  expect(head).toHaveLength(78);
  const open = outcome({ status: 'not_judged', section: '' });
  expect(findingHead('ends', open)).toMatch(/^not judged {2}ends +must$/);
  expect(findingHead('x'.repeat(90), FAILED)).toMatch(/x {2}must/);
});

it('closes with what was counted, and the exit code where it is not passed', () => {
  expect(outcomeCounts([FAILED, outcome()])).toEqual({ passed: 1, failed: 1, advice: 0, not_judged: 0 });
  const line = (outcomes: readonly Outcome[], tookMs: number) =>
    closingLine({ outcomes, isStrict: false }, tookMs);
  expect(line([outcome()], 840)).toBe('1 passed, 0 failed, 0 advice, 0 not judged, 0.8 s. Passed.');
  const failed = '1 passed, 1 failed, 0 advice, 0 not judged, 12 s. Not passed (19).';
  expect(line([FAILED, outcome()], 12_300)).toBe(failed);
});
