/** Each rule where it is easily misjudged: what breaks it, and what looks like that and is right. */
import { describe, expect, it } from 'vitest';
import { cleanOf } from '../../src/certify/baseline.js';
import { CLIENT_FAULTS, type ClientFault } from '../../src/certify/cases/client-faults.js';
import { likelyReason } from '../../src/certify/causes.js';
import type { BrokenRule, Spoiling } from '../../src/certify/client-exam.js';
import { isDoubtful, judgeRun } from '../../src/certify/judge.js';
import type { SeenRun, StoppedFor } from '../../src/certify/seen.js';
import { Seeded } from '../support/seeded.js';
import { type Program, type Sending, Service } from './service.js';

/** A request; a pause in milliseconds; a reset of the sandbox. */
type Line = Sending | number | 'reset';

interface Played {
  /** What becomes of requests, by their numbers. */
  readonly faults?: Readonly<Record<number, ClientFault>>;
  readonly exitCode?: number;
  readonly caseId?: string;
  readonly stoppedFor?: StoppedFor;
  /** Takes deliveries, and does nothing with them. */
  readonly listens?: boolean;
}

/** The run of a command that does this, one after the other. Operations are named by their order: `operation-1`. */
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
  const { id, first, isCarriedOut, holdMs, instead } = CLIENT_FAULTS.find((row) => row.id === fault)!;
  return { name: id, first, isCarriedOut, holdMs, instead };
}

/** The rules that a run breaks, held against a command that does the others. */
function broken(clean: readonly Line[], lines: readonly Line[], played: Played = {}): string[] {
  return found(clean, lines, played).map(
    ({ rule, severity, andSo }) => `${andSo ? 'and so ' : ''}${severity} ${rule}`,
  );
}

function found(clean: readonly Line[], lines: readonly Line[], played: Played = {}): BrokenRule[] {
  const both = cleanOf(run(clean), run(clean));
  if ('notJudged' in both) throw new Error(both.why);
  return judgeRun(run(lines, played), both);
}

const pay = (key: string, more: object = {}): Sending => ({
  route: 'payouts.create',
  key,
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
const failing = { exitCode: 1 };

describe('same-key', () => {
  const clean = [pay('one')];
  it.each<[what: string, fault: ClientFault, rules: string[]]>([
    ['no answer', 'lost-before', ['must same-key']],
    ['an answer that can not be read', 'garbage', ['must same-key', 'and so must paid-once']],
    ['an answer that takes too long', 'silent', ['must same-key', 'and so must paid-once']],
    ['a 409, which says that the key was used', 'r409', ['must same-key']],
    ['a 429, which the contract does not know', 'e429', ['should same-key']],
    ['a failure', 'declined', []],
  ])('another key after %s', (_, fault, rules) => {
    expect(broken(clean, [pay('one'), 1200, pay('two')], { faults: { 1: fault } })).toEqual(rules);
  });

  it('a refusal closes a key, unless who asks was refused and the answer before was lost', () => {
    const changed = pay('two', { reference: 'inv-1' });
    const lines = [pay('one'), pay('one'), changed];
    const again = 'no-repeat-4xx';
    const rulesAfter = (fault: ClientFault): string[] =>
      broken(clean, lines, { faults: { 1: 'lost-before', 2: fault } }).filter(
        (rule) => !rule.endsWith(again),
      );
    expect(rulesAfter('r400')).toEqual([]);
    expect(rulesAfter('r401')).toEqual(['must same-key']);
  });

  it('each test counts for itself, where the sandbox is reset between them', () => {
    const tests: Line[] = [pay('one'), pay('two'), 'reset', pay('three')];
    expect(broken(tests, tests)).toEqual([]);
    const lost = { faults: { 3: 'lost-before' } } as const;
    expect(broken(tests, [...tests, pay('four')], lost)).toEqual(['must same-key']);
    const turned: Line[] = [pay('three'), 'reset', pay('one'), pay('two')];
    expect(broken(tests, turned)).toEqual([]);
  });

  it('an id that comes again after a reset is another operation', () => {
    const tests: Line[] = [collect('one'), confirm('operation-1', '000000'), 'reset', pay('two')];
    const lines = [...tests, pay('three')];
    expect(broken(tests, lines, { faults: { 3: 'lost-after' } })).toEqual([
      ...['must same-key', 'and so must paid-once'],
    ]);
  });

  it('a test that fails and leaves out its reset, and one that is run again, are no faults', () => {
    const tests: Line[] = [pay('one'), 'reset', pay('two'), 'reset', feed];
    expect(broken(tests, [pay('one'), pay('two'), 'reset', feed], failing)).toEqual([]);
    expect(broken(tests, [pay('one'), 'reset', pay('two'), 'reset', pay('two-b')], failing)).toEqual([]);
  });

  it('what fails in the clean run as well is not taken off twice', () => {
    const as = (key: string): Sending => ({ ...collect('one'), key });
    const lines = [collect('one'), confirm('operation-1', '000000'), as('two')];
    expect(broken(lines, lines)).toEqual([]);
    const again = [...lines, as('three')];
    expect(broken(lines, again, { faults: { 3: 'lost-before' } })).toEqual(['must same-key']);
  });
});

describe('paid-once', () => {
  it('another reference at a repetition is a payment that no clean run makes', () => {
    const lines = [pay('one'), pay('two', { reference: 'inv-1-again' })];
    expect(broken([pay('one')], lines, { faults: { 1: 'lost-after' } })).toEqual(['must paid-once']);
    expect(broken([pay('one')], lines, { faults: { 1: 'lost-before' } })).toEqual(['must paid-once']);
  });

  it.each<ClientFault>(['declined', 'r400', 'r403'])('another payment after %s is a new one', (fault) => {
    const lines = [pay('one'), pay('two', { reference: 'inv-1-again' })];
    expect(broken([pay('one')], lines, { faults: { 1: fault } })).toEqual([]);
    const twice = [...lines, pay('three', { reference: 'inv-1-once-more' })];
    expect(broken([pay('one')], twice, { faults: { 1: fault } })).toEqual(['must paid-once']);
  });
});

describe('same-body and same-bytes', () => {
  it('a key that comes with another time in its body', () => {
    const lines = [pay('one'), pay('one', { metadata: { at: 2 } })];
    expect(broken([pay('one')], lines, { ...failing, faults: { 1: 'lost-after' } })).toEqual([
      'must same-body',
    ]);
  });

  it('a body that was refused took no key, and one that was lost did', () => {
    const lines = [pay('one'), pay('one', { reference: 'mended' })];
    expect(broken([pay('one')], lines, { faults: { 1: 'r400' } })).toEqual([]);
    expect(broken([pay('one')], lines, { faults: { 1: 'lost-before' } })[0]).toBe('must same-body');
  });

  it('a test that uses a key again on purpose may, but not twice', () => {
    const reuse = [pay('one'), pay('one', { amount: '21.00' })];
    expect(broken(reuse, reuse)).toEqual([]);
    expect(broken(reuse, [...reuse, pay('one', { amount: '22.00' })])).toContain('must same-body');
  });
});

describe('look-first and code-once', () => {
  const clean = [collect('one'), confirm()];
  const lost = { 2: 'lost-before' } as const;
  it.each<[what: string, between: Line[], rules: string[]]>([
    ['nothing', [], ['must look-first']],
    ['a pause', [1000], ['must look-first']],
    ['a read', [look()], []],
    ['a read as any operation', [{ route: 'transactions.get', operation: 'operation-1' }], []],
    ['a read of another operation', [look('operation-2')], ['must look-first']],
    ['a list of events', [feed], []],
    ['the create again', [collect('one')], []],
    ['a balance', [{ route: 'balances' }], ['must look-first']],
  ])('after no answer and %s', (_, between, rules) => {
    expect(broken(clean, [collect('one'), confirm(), ...between, confirm()], { faults: lost })).toEqual(
      rules,
    );
  });

  it('a look that fails is none', () => {
    const lines = [collect('one'), confirm(), look(), 1100, confirm()];
    expect(broken(clean, lines, { faults: { ...lost, 3: 'e503' } })).toEqual(['must look-first']);
    expect(broken(clean, lines, { faults: { ...lost, 3: 'garbage' } })).toEqual(['must look-first']);
    const listed = [collect('one'), confirm(), feed, 1100, confirm()];
    expect(broken(clean, listed, { faults: { ...lost, 3: 'e503' } })).toEqual(['must look-first']);
  });

  it('a look at what was before is none', () => {
    const both = cleanOf(run(clean), run(clean));
    if ('notJudged' in both) throw new Error(both.why);
    const seen = run([collect('one'), confirm(), look(), confirm()], { faults: lost });
    const [, first, read] = seen.requests;
    first!.endedMs = read!.atMs + 50;
    expect(judgeRun(seen, both).map(({ rule }) => rule)).toEqual(['look-first']);
  });

  it.each<[what: string, between: Line]>([
    ['a read', look()],
    ['a list of events', feed],
    ['a delivery', 50],
  ])('a code is not sent again once %s says that it is confirmed', (_, between) => {
    const lines = [collect('one'), confirm(), between, confirm()];
    const played = { faults: { 2: 'lost-after' }, listens: true } as const;
    expect(broken(clean, lines, played)).toEqual(['must code-once']);
    expect(broken(clean, lines.slice(0, 3), played)).toEqual([]);
  });

  it('a code is not sent again after its own answer, but as often as a clean run does it', () => {
    const twice = [...clean, confirm()];
    expect(broken(clean, twice)).toEqual(['must code-once']);
    expect(broken(twice, twice)).toEqual([]);
    expect(broken(twice, [...clean, look(), confirm()], { faults: { 2: 'lost-after' } })).toEqual([]);
    const other = [...twice, collect('two'), confirm('operation-2')];
    const blind = [...other, confirm('operation-2')];
    expect(broken(other, blind, { faults: { 5: 'lost-before' } })).toEqual(['must look-first']);
  });

  it('what is looked at while the repetition is under way says nothing of the time before', () => {
    const seen = run([collect('one'), confirm(), look(), confirm()], { faults: lost });
    const [, , read, again] = seen.requests;
    read!.endedMs = again!.atMs + 5;
    read!.told = again!.told;
    const both = cleanOf(run(clean), run(clean));
    expect('notJudged' in both ? both : judgeRun(seen, both)).toEqual([]);
  });
});

describe('no-repeat-4xx', () => {
  const clean = [pay('one')];
  it('another key does not change what was refused, but it answers a conflict', () => {
    expect(broken(clean, [pay('one'), pay('one')], { faults: { 1: 'r400' } })).toEqual([
      'must no-repeat-4xx',
    ]);
    expect(broken(clean, [pay('one'), pay('two')], { faults: { 1: 'r400' } })).toEqual([
      'must no-repeat-4xx',
    ]);
    expect(broken(clean, [pay('one'), pay('one')], { faults: { 1: 'r409' } })).toEqual([
      'must no-repeat-4xx',
    ]);
  });

  it('another bearer is another request', () => {
    const fresh = { ...pay('one'), bearer: 'right' };
    const lines = [{ ...pay('one'), bearer: 'old' }, fresh];
    expect(broken(clean, lines)).toEqual([]);
    expect(broken(clean, [lines[0]!, ...lines])).toEqual(['must no-repeat-4xx']);
  });

  it('a read of what is not there is advice, and none where a clean run does it', () => {
    const read: Sending = { route: 'payouts.get', operation: 'nobody' };
    expect(broken(clean, [pay('one'), read, read])).toEqual(['should no-repeat-4xx']);
    const waits = [pay('one'), read, read];
    expect(broken(waits, [...waits, read, read, read])).toEqual([]);
  });

  it('what a clean run reads several times may be refused as often', () => {
    const balances: Sending = { route: 'balances' };
    const reads = [pay('one'), balances, balances];
    expect(broken(reads, reads, { ...failing, faults: { 2: 'r401', 3: 'r401' } })).toEqual([]);
    const more = [...reads, balances];
    expect(broken(reads, more, { ...failing, faults: { 2: 'r401' } })).toEqual(['must no-repeat-4xx']);
  });
});

describe('says-done and says-done-failed', () => {
  it('a payment that is missing, unless it was refused and replaced', () => {
    expect(broken([pay('one')], [pay('one')], { faults: { 1: 'r400' } })).toEqual(['must says-done']);
    expect(broken([pay('one')], [pay('one')], { ...failing, faults: { 1: 'r400' } })).toEqual([]);
  });

  it('a code that nobody will send', () => {
    const clean = [collect('one'), confirm()];
    const lost = { faults: { 2: 'lost-before' } } as const;
    expect(broken(clean, [collect('one'), confirm()], lost)).toEqual(['must says-done']);
    expect(broken(clean, [collect('one'), confirm()], { ...lost, ...failing })).toEqual([]);
    expect(broken([collect('one')], [collect('one')])).toEqual([]);
  });

  it('a payment that failed, where it was told', () => {
    expect(broken([pay('one')], [pay('one')], { faults: { 1: 'declined' } })).toEqual([
      'should says-done-failed',
    ]);
    const untold = run([pay('one')], { faults: { 1: 'declined' } });
    untold.requests[0]!.told = { kind: 'none' };
    const both = cleanOf(run([pay('one')]), run([pay('one')]));
    expect('notJudged' in both ? both : judgeRun(untold, both)).toEqual([]);
  });

  it('a bank that does not answer in time is no failure', () => {
    expect(broken([pay('one')], [pay('one')], { faults: { 1: 'pending' } })).toEqual([]);
  });
});

it('retry-after: the same request before its time, however many others come', () => {
  const soon = [pay('one'), 500, pay('one')];
  expect(broken([pay('one')], soon, { faults: { 1: 'e503' } })).toEqual(['should retry-after']);
  expect(broken([pay('one')], [pay('one'), 1000, pay('one')], { faults: { 1: 'e503' } })).toEqual([]);
  const others = [pay('one'), feed];
  expect(broken(others, [pay('one'), feed, 1000, pay('one')], { faults: { 1: 'e503' } })).toEqual([]);
});

it.each<[StoppedFor, RegExp]>([
  ['time', /did not end/],
  ['requests', /stopped after 1 request[.:]/],
  ['rate', /500/],
])('ends: stopped for %s', (stoppedFor, words) => {
  const [only, ...more] = found([pay('one')], [pay('one')], { stoppedFor, exitCode: 137 });
  expect([only?.rule, more]).toEqual(['ends', []]);
  expect(only?.why).toMatch(words);
});

it('tolerant: only what is put on the whole run', () => {
  const lines = [pay('one')];
  expect(broken(lines, lines, { ...failing, caseId: 'members' })).toEqual(['should tolerant']);
  expect(broken(lines, lines, { ...failing, caseId: 'hooks-late' })).toEqual(['should tolerant']);
  expect(broken(lines, lines, { ...failing, caseId: 'e500:payouts.create-1234' })).toEqual([]);
});

it('one cause counts, and a should explains no must', () => {
  const lines = [pay('one'), pay('one', { metadata: { at: 2 } }), pay('two')];
  expect(broken([pay('one')], lines, { faults: { 1: 'lost-before' } })).toEqual([
    'must same-body',
    ...['and so must same-key', 'and so must paid-once'],
  ]);
  expect(broken([pay('one')], [pay('one'), pay('two'), 10], { faults: { 1: 'e429' } })).toEqual([
    'should same-key',
  ]);
});

it('what rests on the end of a command, or on nothing seen, is run once more', () => {
  const clean = cleanOf(run([pay('one')]), run([pay('one')]));
  if ('notJudged' in clean) throw new Error(clean.why);
  const at = { route: 'payouts.create', fingerprint: null, ordinal: 1 } as const;
  const theCase = { id: 'case', fault: 'e500', at, holdMs: 0, isRerun: false } as const;
  const isDoubted = (played: Played, lines = [pay('one')]): boolean => {
    const seen = run(lines, played);
    return isDoubtful(seen, theCase, judgeRun(seen, clean));
  };
  expect(isDoubted({})).toBe(true);
  expect(isDoubted({ faults: { 1: 'e500' } })).toBe(false);
  expect(isDoubted({ faults: { 1: 'r400' } })).toBe(true);
  expect(isDoubted({ faults: { 1: 'lost-after' } }, [pay('one'), pay('two')])).toBe(false);
});

it('names what repeats failed tests, where new keys and refused requests come together', () => {
  const anew = found([pay('one')], [pay('one'), pay('two')], { faults: { 1: 'lost-before' } });
  const refused = found([pay('one')], [pay('one'), pay('two')], { faults: { 1: 'r400' } });
  expect(likelyReason(anew)).toBeNull();
  expect(likelyReason([...anew, ...refused])).toMatch(/test runner/);
});
