import { expect, it } from 'vitest';
import { type Baseline, compareCleanRuns } from '../../src/certify/client/baseline.js';
import { CLIENT_FAULTS, type ClientFault, type Spoiling } from '../../src/certify/client/faults.js';
import { type BrokenRule, judgeRun, likelyReason } from '../../src/certify/client/judge.js';
import type { SeenRun, StoppedFor } from '../../src/certify/client/request-seen.js';
import { Seeded } from '../support/seeded.js';
import { type Program, type Sending, Service } from './service.js';

type Line = Sending | number | 'reset';

interface Played {
  readonly faults?: Readonly<Record<number, ClientFault>>;
  readonly exitCode?: number;
  readonly caseId?: string;
  readonly stoppedFor?: StoppedFor;
  readonly listens?: boolean;
}

function run(lines: readonly Line[], { faults = {}, exitCode = 0, ...options }: Played = {}): SeenRun {
  const service = new Service({
    random: new Seeded(1),
    spoil: (_, { number }) => (faults[number] === undefined ? null : spoilingFor(faults[number])),
  });
  if (options.listens === true)
    service.receive = function* (): Program {
      yield { waitMs: 1 };
    };
  expect(service.play([program(lines, service)])).toEqual([]);
  return service.seen(options.caseId ?? 'case', exitCode, options.stoppedFor ?? null);
}

function* program(lines: readonly Line[], service: Service): Program {
  for (const line of lines)
    if (line === 'reset') service.reset();
    else yield typeof line === 'number' ? { waitMs: line } : { send: line };
}

function spoilingFor(fault: ClientFault): Spoiling {
  const { id, outcome, isCarriedOut, holdMs, instead } = CLIENT_FAULTS.find((row) => row.id === fault)!;
  return { name: id, outcome, isCarriedOut, holdMs, instead };
}

function cleanOfBoth(lines: readonly Line[]): Baseline {
  const both = compareCleanRuns(run(lines), run(lines));
  if ('notJudged' in both) throw new Error(both.why);
  return both;
}

function found(clean: readonly Line[], lines: readonly Line[], played: Played = {}): BrokenRule[] {
  return judgeRun(run(lines, played), cleanOfBoth(clean));
}

const pay = (key: string, more: object = {}): Sending => ({
  ...{ route: 'payouts.create', key },
  body: { amount: '20.00', method: 'mobile_payment', reference: 'inv-1', ...more },
});
const collect = (key: string): Sending => ({
  ...{ route: 'payins.create', key },
  body: { amount: '150.00', method: 'debit_otp', reference: key },
});
const confirm = (operation = 'operation-1', code = '123456'): Sending => ({
  ...{ route: 'payins.confirm', operation, body: { code } },
});
const look = (operation = 'operation-1'): Sending => ({ route: 'payins.get', operation });
const feed: Sending = { route: 'events.list' };
const balances: Sending = { route: 'balances' };
const nobody: Sending = { route: 'payouts.get', operation: 'nobody' };
const paid: Sending = { route: 'payouts.get', operation: 'operation-1' };
const [one, two, three] = [pay('one'), pay('two'), pay('three')];
const again = pay('two', { reference: 'inv-1-again' });
const stamped = pay('one', { metadata: { at: 2 } });
const reused = [one, pay('one', { amount: '21.00' })];
const [payin, code, wrong] = [collect('one'), confirm(), confirm('operation-1', '000000')];
const coded = [payin, code];
const tests: Line[] = [one, two, 'reset', three];
const leftOut: Line[] = [one, 'reset', two, 'reset', feed];
const refused = [payin, wrong, { ...payin, key: 'two' }];
const others = [payin, code, code, collect('two'), confirm('operation-2')];
const old = { ...one, bearer: 'old' };
const fresh = { ...one, bearer: 'right' };

function playedOf(met: string): Played {
  const words = met.split(' ').filter((word) => word !== '');
  const pairs = words.map((word) => word.split('=') as [string, string]);
  const faults = Object.fromEntries(pairs.filter(([name]) => /\d/.test(name))) as Record<string, ClientFault>;
  const { exit = '0', case: caseId = 'case', listens } = Object.fromEntries(pairs) as Record<string, string>;
  return { faults, exitCode: Number(exit), caseId, listens: listens !== undefined };
}

type Row = [what: string, clean: readonly Line[], lines: readonly Line[], met: string, rules: string];
const mended = pay('one', { reference: 'mended' });
const thrice = pay('three', { reference: 'inv-1-once-more' });
const anew: Line[] = [payin, wrong, 'reset', two];
const asked = [one, balances, balances];
const twice = [one, nobody, nobody];
const KEY = 'must same-key';
const LOOKS = 'must look-first';
const REPEATS = 'must no-repeat-4xx';
const KEY_AND_SO = 'must same-key, and so must paid-once';
const BODY_AND_SO = 'must same-body, and so must paid-once';
const [LOST, HEARD] = ['2=lost-before', '2=lost-after listens='];

it.each<Row>([
  ['another key after no answer', [one], [one, 1200, two], '1=lost-before', KEY],
  ['one that can not be read', [one], [one, 1200, two], '1=garbage', KEY_AND_SO],
  ['one that takes too long', [one], [one, 1200, two], '1=silent', KEY_AND_SO],
  ['a 409', [one], [one, 1200, two], '1=r409', KEY],
  ['a 429', [one], [one, 1200, two], '1=e429', 'should same-key'],
  ['a failure', [one], [one, 1200, two], '1=declined', ''],
  ['a refusal closes a key', [one], [one, one, two], '1=lost-before 2=r400', REPEATS],
  ['but not of who asks', [one], [one, one, two], '1=lost-before 2=r401', `${KEY}, and so ${REPEATS}`],
  ['each test counts for itself', tests, tests, '', ''],
  ['each test, whichever comes first', tests, [three, 'reset', one, two], '', ''],
  ['each test, with another key', tests, [...tests, pay('four')], '3=lost-before', KEY],
  ['an id that comes again after a reset', anew, [...anew, three], '3=lost-after', KEY_AND_SO],
  ['a test that fails and leaves out its reset', leftOut, [one, two, 'reset', feed], 'exit=1', ''],
  ['a test that is run again', leftOut, [...leftOut.slice(0, 4), pay('two-b')], 'exit=1', ''],
  ['what fails in the clean run as well', refused, refused, '', ''],
  ['is not taken off twice', refused, [...refused, { ...payin, key: 'three' }], '3=lost-before', KEY],

  ['a payment that no clean run makes', [one], [one, again], '1=lost-after', 'must paid-once'],
  ['the same where nothing was carried out', [one], [one, again], '1=lost-before', 'must paid-once'],
  ['another payment after a failure', [one], [one, again], '1=declined', ''],
  ['another payment after a 400', [one], [one, again], '1=r400', ''],
  ['another payment after a 403', [one], [one, again], '1=r403', ''],
  ['two after a failure', [one], [one, again, thrice], '1=declined', 'must paid-once'],
  ['two after a 400', [one], [one, again, thrice], '1=r400', 'must paid-once'],
  ['two after a 403', [one], [one, again, thrice], '1=r403', 'must paid-once'],

  ['a key with another time in its body', [one], [one, stamped], 'exit=1 1=lost-after', 'must same-body'],
  ['a body that was refused took no key', [one], [one, mended], '1=r400', ''],
  ['one that was lost did', [one], [one, mended], '1=lost-before', BODY_AND_SO],
  ['a key that is used again on purpose', reused, reused, '', ''],
  ['but not twice', reused, [...reused, pay('one', { amount: '22.00' })], '', 'must same-body'],

  ['after no answer nothing', coded, [payin, code, code], LOST, LOOKS],
  ['a pause', coded, [payin, code, 1000, code], LOST, LOOKS],
  ['a read', coded, [payin, code, look(), code], LOST, ''],
  ['a read as any', coded, [payin, code, { ...look(), route: 'transactions.get' }, code], LOST, ''],
  ['a read of another', coded, [payin, code, look('operation-2'), code], LOST, LOOKS],
  ['a list of events', coded, [payin, code, feed, code], LOST, ''],
  ['the create again', coded, [payin, code, payin, code], LOST, ''],
  ['a balance', coded, [payin, code, balances, code], LOST, LOOKS],
  ['a look that fails', coded, [payin, code, look(), 1100, code], `${LOST} 3=e503`, LOOKS],
  ['one that is garbage', coded, [payin, code, look(), 1100, code], `${LOST} 3=garbage`, LOOKS],
  ['a list that fails', coded, [payin, code, feed, 1100, code], `${LOST} 3=e503`, LOOKS],
  ['a code again once a read says', coded, [...coded, look(), code], HEARD, 'must code-once'],
  ['a list says', coded, [...coded, feed, code], HEARD, 'must code-once'],
  ['a delivery says', coded, [...coded, 50, code], HEARD, 'must code-once'],
  ['a read, and no code', coded, [...coded, look()], HEARD, ''],
  ['a list, and no code', coded, [...coded, feed], HEARD, ''],
  ['a delivery, and no code', coded, [...coded, 50], HEARD, ''],
  ['a code again after its own answer', coded, [...coded, code], '', 'must code-once'],
  ['but as often as a clean run does it', [...coded, code], [...coded, code], '', ''],
  ['or after a look', [...coded, code], [...coded, look(), code], '2=lost-after', ''],
  ['another one blindly', others, [...others, confirm('operation-2')], '5=lost-before', LOOKS],

  ['what was refused', [one], [one, one], '1=r400', REPEATS],
  ['with another key', [one], [one, two], '1=r400', REPEATS],
  ['a conflict with its own', [one], [one, one], '1=r409', REPEATS],
  ['another bearer is another request', [one], [old, fresh], '', ''],
  ['the same bearer is not', [one], [old, old, fresh], '', REPEATS],
  ['a read of what is not there', [one], twice, '', 'should no-repeat-4xx'],
  ['as a clean run does it', twice, [...twice, nobody, nobody, nobody], '', ''],
  ['as often', asked, asked, 'exit=1 2=r401 3=r401', ''],
  ['more often', asked, [...asked, balances], 'exit=1 2=r401', REPEATS],

  ['done without a payment', [one], [one], '1=r400', 'must says-done'],
  ['not done without it', [one], [one], 'exit=1 1=r400', ''],
  ['done with a code that nobody will send', coded, coded, LOST, 'must says-done'],
  ['not done with it', coded, coded, 'exit=1 2=lost-before', ''],
  ['a code that no clean run sends', [payin], [payin], '', ''],
  ['done with a payment that failed', [one], [one], '1=declined', 'must says-done-failed'],
  ['with one that failed later', [one], [one, 2100, paid], '1=pending-declined', 'must says-done-failed'],
  ['with one that is pending', [one], [one], '1=pending-declined', 'should says-done-failed'],
  ['with one whose code was sent', coded, coded, '2=pending-declined', 'should says-done-failed'],
  ['not done with it', [one], [one, 2100, paid], '1=pending-declined exit=1', ''],
  ['replaced once it failed', [one], [one, 2100, paid, two], '1=pending-declined', ''],
  ['replaced while it is pending', [one], [one, two], '1=pending-declined', KEY],
  ['a bank that does not answer in time', [one], [one], '1=pending', ''],

  ['too soon', [one], [one, 500, one], '1=e503', 'should retry-after'],
  ['in time', [one], [one, 1000, one], '1=e503', ''],
  ['in time, whatever else comes', [one, feed], [one, feed, 1000, one], '1=e503', ''],

  ['a run that fails for members', [one], [one], 'exit=1 case=members', 'should tolerant'],
  ['for late deliveries', [one], [one], 'exit=1 case=hooks-late', 'should tolerant'],
  ['for a fault of one request', [one], [one], 'exit=1 case=e500:payouts.create-1234', ''],
  ['one cause counts', [one], [one, stamped, two], '1=lost-before', `must same-body, and so ${KEY_AND_SO}`],
  ['a should explains no must', [one], [one, two, 10], '1=e429', 'should same-key'],
])('%s', (_, clean, lines, met, rules) => {
  const broken = found(clean, lines, playedOf(met)).map(
    ({ rule, severity, isExplained }) => `${isExplained ? 'and so ' : ''}${severity} ${rule}`,
  );
  expect(broken.join(', ')).toBe(rules);
});

it('a look at what was before is none, nor one while the repetition is under way', () => {
  const lines = [payin, code, look(), code];
  const seen = run(lines, { faults: { 2: 'lost-before' } });
  const [, first, read] = seen.requests;
  first!.endedMs = read!.atMs + 50;
  expect(judgeRun(seen, cleanOfBoth(coded)).map(({ rule }) => rule)).toEqual(['look-first']);
  const late = run(lines, { faults: { 2: 'lost-before' } });
  const [, , looked, repeated] = late.requests;
  Object.assign(looked!, { endedMs: repeated!.atMs + 5, answer: repeated!.answer });
  expect(judgeRun(late, cleanOfBoth(coded))).toEqual([]);
});

it('a payment that failed counts where it was told', () => {
  const untold = run([one], { faults: { 1: 'declined' } });
  untold.requests[0]!.answer = { kind: 'none' };
  expect(judgeRun(untold, cleanOfBoth([one]))).toEqual([]);
});

it.each<[StoppedFor, RegExp]>([
  ['time', /did not end/],
  ['requests', /stopped after 1 request[.:]/],
  ['rate', /500/],
])('ends: stopped for %s', (stoppedFor, words) => {
  const [only, ...more] = found([one], [one], { stoppedFor, exitCode: 137 });
  expect([only?.rule, more]).toEqual(['ends', []]);
  expect(only?.why).toMatch(words);
});

it('names what repeats failed tests, where new keys and refused requests come together', () => {
  const anew = found([one], [one, two], { faults: { 1: 'lost-before' } });
  const both = [...anew, ...found([one], [one, two], { faults: { 1: 'r400' } })];
  expect(likelyReason(anew)).toBeNull();
  expect(likelyReason(both)).toMatch(/test runner/);
});
