import { expect, it } from 'vitest';
import { type Baseline, compareCleanRuns } from '../../../src/certify/client/baseline.js';
import { changedPaths, fingerprintOf } from '../../../src/certify/client/fingerprint.js';
import { casesOf } from '../../../src/certify/client/points.js';
import { hasStrangePayment } from '../../../src/certify/client/judge.js';
import type { SeenRun } from '../../../src/certify/client/request-seen.js';
import { Seeded } from '../../support/seeded.js';
import { Service, type Program, type Sending } from '../service.js';

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const ROUTE = 'payouts.create';

it('is the same for the same members, however they are written, and another one for each of them', () => {
  const of = (body: Uint8Array): string => fingerprintOf(ROUTE, body, new Map());
  const one = of(bytes({ amount: '1.00', beneficiary: { bank_code: '0105' } }));
  expect(of(Buffer.from('{ "beneficiary": {"bank_code":"\\u0030105"},\n"amount":"1.00"}'))).toBe(one);
  expect(of(bytes({ amount: '1.00', beneficiary: { bank_code: '0102' } }))).not.toBe(one);
  expect(of(bytes({ amount: '1.00', 'beneficiary.bank_code': '0105' }))).not.toBe(one);
  expect(fingerprintOf('payins.create', bytes({}), new Map())).not.toBe(of(bytes({})));
});

it.each([
  ['no JSON', Buffer.from('{"amount"'), Buffer.from('{"amount" ')],
  ['brackets within brackets', Buffer.from('['.repeat(5000)), Buffer.from('['.repeat(5001))],
  ['deep JSON', Buffer.from(deep(2000, '1')), Buffer.from(deep(2000, '2'))],
])('is taken of the bytes: %s', (_, one, other) => {
  const of = (body: Uint8Array): string => fingerprintOf(ROUTE, body, new Map());
  expect(of(one)).toBe(of(Buffer.from(one)));
  expect(of(one)).not.toBe(of(other));
});

function deep(levels: number, value: string): string {
  return `${'['.repeat(levels)}${value}${']'.repeat(levels)}`;
}

it('says where two bodies differ, and leaves an object with names of its own out as a whole', () => {
  const [one, other] = [
    { amount: '1.00', reference: 'a', metadata: { 'run-1': 1, shop: 'x' } },
    { amount: '1.00', reference: 'b', metadata: { 'run-2': 1, shop: 'x' } },
  ];
  expect(changedPaths(bytes(one), bytes(other))).toEqual(['reference', 'metadata.*']);
  const changing = new Map([[ROUTE, new Set(['reference', 'metadata.*'])]] as const);
  const third = bytes({ amount: '1.00', reference: 'c', metadata: { 'run-3': 1, shop: 'y' } });
  expect(fingerprintOf(ROUTE, third, changing)).toBe(fingerprintOf(ROUTE, bytes(one), changing));
});

function sent(bodies: readonly unknown[], more: readonly Sending[] = [], exitCode = 0): SeenRun {
  const service = new Service({ random: new Seeded(1), spoil: () => null });
  const creates = bodies.map((body, at): Sending => ({ route: ROUTE, key: `key-${String(at)}`, body }));
  expect(service.play([send([...creates, ...more])])).toEqual([]);
  return service.seen(null, exitCode);
}

function* send(sendings: readonly Sending[]): Program {
  for (const sending of sendings) yield { send: sending };
}

const pay = (amount: string, reference: string): unknown => ({ amount, method: 'mobile_payment', reference });

function clean(...runs: [SeenRun, ...SeenRun[]]): Baseline {
  const found = compareCleanRuns(...runs);
  if ('notJudged' in found) throw new Error(found.why);
  return found;
}

it('pairs what shares most, in whatever order it comes', () => {
  const { changing, payments } = clean(
    sent([pay('1.00', 'a'), pay('2.00', 'b'), pay('3.00', 'same')]),
    sent([pay('3.00', 'same'), pay('2.00', 'c'), pay('1.00', 'd')]),
  );
  expect([...changing]).toEqual([[ROUTE, new Set(['reference'])]]);
  expect(payments.size).toBe(3);
});

it.each([
  ['exit', sent([pay('1.00', 'a')], [], 1), sent([]), /ended with exit code 1/],
  ['exit', sent([pay('1.00', 'a')]), sent([], [], 3), /first clean run ended with exit code 0.*--before/],
  ['no_request', sent([]), sent([]), /SVC_BASE_URL/],
  ['no_payment', sent([], [{ route: 'balances' }]), sent([], [{ route: 'balances' }]), /no payment/],
  ['differs', sent([pay('1.00', 'a')]), sent([pay('1.00', 'a'), pay('1.00', 'a')]), /1 time, then 2 times/],
  ['differs', sent([pay('1.00', 'a')]), sent([], [{ route: 'balances' }]), /--before/],
])('is not judged: %s', (why, first, second, words) => {
  const found = compareCleanRuns(first, second);
  expect(found).toMatchObject({ notJudged: why });
  expect('why' in found ? found.why : '').toMatch(words);
});

it('does not count how often it is read', () => {
  const reads = Array.from({ length: 9 }, (): Sending => ({ route: 'balances' }));
  expect(clean(sent([pay('1.00', 'a')]), sent([pay('1.00', 'a')], reads)).requests).toBe(1);
});

it('learns from one more clean run that a reference has rolled over', () => {
  const before = [pay('1.00', 'day-1'), pay('2.00', 'fixed')];
  const later = sent([pay('1.00', 'day-2'), pay('2.00', 'fixed')]);
  expect(hasStrangePayment(later, clean(sent(before), sent(before)))).toBe(true);
  const wider = clean(sent(before), sent(before), later);
  expect([...wider.changing]).toEqual([[ROUTE, new Set(['reference'])]]);
  expect(hasStrangePayment(later, wider)).toBe(false);
});

it('names a case by as much of a fingerprint as nothing else begins with', () => {
  const bodies = Array.from({ length: 700 }, (_, at) => pay(`${String(at)}.00`, 'r'));
  const found = clean(sent(bodies), sent(bodies));
  const labels = [...found.payments.values()].map(({ label }) => label);
  expect(new Set(labels).size).toBe(700);
  expect(labels.some((label) => label.length > 4)).toBe(true);
  const ids = casesOf(found, { points: 700, mayRerun: true }).map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
