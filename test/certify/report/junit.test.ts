import { describe, expect, it } from 'vitest';
import { junitOf, JUNIT_BEGINNING } from '../../../src/certify/report/junit.js';
import type { Outcome } from '../../../src/certify/report/report.js';

const outcome = (change: Partial<Outcome>): Outcome => ({
  ...{ id: 'twice.row', severity: 'must', status: 'passed', rule: null, section: '6 (5)' },
  ...{ why: null, andSo: null, requests: [], repeat: null },
  ...change,
});
const xml = (outcomes: readonly Outcome[], isStrict = false, leftOut: readonly string[] = []): string =>
  junitOf({ exam: 'receiver', command: null, clean: null, leftOut, outcomes, isStrict }, 1234);

describe('a case is', () => {
  it.each([
    ['passed', false, '<testcase classname="svc.certify.receiver" name="twice.row"/>'],
    ['failed', false, '<failure message="w">'],
    ['not_judged', false, '<error message="w">'],
    ['advice', false, '<skipped message="w">'],
    ['advice', true, '<failure message="w">'],
  ] as const)('%s, strict %s: %s', (status, isStrict, element) => {
    expect(xml([outcome({ status, why: 'w' })], isStrict)).toContain(element);
  });
});

it('counts them, and begins as files that may be replaced', () => {
  const [failed, open] = (['failed', 'not_judged'] as const).map((status) => outcome({ status, why: 'w' }));
  const counts = 'tests="3" failures="1" errors="1" skipped="0" time="1.234">';
  const text = xml([outcome({}), failed!, open!]);
  expect(text.startsWith(`${JUNIT_BEGINNING} receiver" ${counts}`)).toBe(true);
});

it('says the place, what explains it and the line to type', () => {
  const repeat = "svc certify receiver --effect 'a && b < c' --only twice.cut";
  const text = xml([outcome({ status: 'failed', rule: 'paid-once', why: 'w', andSo: 'twice.row', repeat })]);
  const line = 'svc certify receiver --effect &apos;a &amp;&amp; b &lt; c&apos; --only twice.cut';
  expect(text).toContain(`>rule: paid-once\nmust, section 6 (5)\nand so: twice.row\n${line}<`);
});

it('says what was left out, which is not counted', () => {
  const property = '      <property name="left out by you" value="twice.row, ping"/>\n';
  const properties = `    <properties>\n${property}    </properties>\n`;
  const counts = 'tests="1" failures="0" errors="0" skipped="0" time="1.234">';
  const text = xml([outcome({})], false, ['twice.row', 'ping']);
  expect(text).toContain(`${counts}\n${properties}    <testcase `);
  expect(xml([outcome({})])).not.toContain('propert');
});

it('holds hostile text', () => {
  const text = xml([outcome({ status: 'failed', why: 'a"\n<b>\u0000\u001B\uD800\uFFFE]]>' })]);
  expect(text).toContain('message="a&quot;&#10;&lt;b&gt;\uFFFD\uFFFD\uFFFD\uFFFD]]&gt;"');
});
