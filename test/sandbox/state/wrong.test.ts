/** A document with anything wrong in it is refused with its line and path, and nothing is changed. */
import { describe, expect, it } from 'vitest';
import { problemLines, readState } from '../../../src/sandbox/state/reading.js';
import { PAYOUT } from '../store/request.js';
import { exported, imported, opened, send } from './life.js';

function used() {
  const one = opened();
  send(one.sandbox, 'POST', '/sandbox/v2/webhook-endpoints', { url: 'https://shop.example/hooks' });
  send(
    one.sandbox,
    'POST',
    '/sandbox/v2/payouts',
    { ...PAYOUT, metadata: { order: 1 } },
    { idempotencyKey: 'order-0001' },
  );
  send(
    one.sandbox,
    'POST',
    '/sandbox/v2/payouts',
    { ...PAYOUT, beneficiary: { ...PAYOUT.beneficiary, document: { type: 'V', number: '00000002' } } },
    { idempotencyKey: 'order-0002' },
  );
  send(one.sandbox, 'POST', '/_control/faults', { route: '*', status: 503 });
  return one;
}

const { sandbox } = used();
const GOOD = exported(sandbox);
const lines = GOOD.split('\n');
/** The line of what is said of it. */
const lineOf = (part: string): number => lines.findIndex((line) => line.includes(part)) + 1;

interface Made {
  readonly operations: { operation: { id: string; bank_reference: string | null } }[];
}
const { operations } = JSON.parse(GOOD) as Made;
const [done, waiting] = operations.map(({ operation }) => operation.id) as [string, string];

const swap = (a: string | RegExp, b: string): string => {
  const changed = GOOD.replace(a, b);
  expect(changed).not.toBe(GOOD);
  return changed;
};

const WRONG: readonly (readonly [
  what: string,
  document: () => string | Uint8Array,
  line: number,
  path: string,
  said: RegExp,
])[] = [
  ['nothing', () => '', 1, '', /nothing in it/],
  ['white space', () => ' \n\n', 1, '', /nothing in it/],
  ['UTF-16', () => Buffer.from(`\ufeff${GOOD}`, 'utf16le'), 1, '', /UTF-16/],
  [
    'bytes that are no text',
    () => Buffer.concat([Buffer.from('{\n"now": "'), Buffer.from([0xff, 0x80]), Buffer.from('"}')]),
    2,
    '',
    /not UTF-8/,
  ],
  ['a list', () => '[]', 1, '', /Must be an object/],
  ['another file', () => '{"name":"x"}', 1, 'name', /Unknown name. Known names: svc_sandbox_state, now/],
  [
    'a newer form',
    () => swap('"svc_sandbox_state": 1', '"svc_sandbox_state": 2'),
    2,
    'svc_sandbox_state',
    /newer svc/,
  ],
  [
    'an end in the middle',
    () => GOOD.slice(0, GOOD.indexOf('"internal"') - 1),
    lineOf('"internal"'),
    'operations[0]',
    /truncated/,
  ],
  [
    'an end in a text',
    () => GOOD.slice(0, GOOD.indexOf('"internal"') + 4),
    lineOf('"internal"'),
    'operations[0]',
    /truncated/,
  ],
  ['more behind the end', () => `${GOOD}{}`, lines.length, '', /Nothing can follow/],
  [
    'a comma too many',
    () => swap('"faults": [', '"faults": [,'),
    lineOf('"faults"'),
    'faults[0]',
    /not JSON/,
  ],
  [
    'a name twice',
    () => swap('"now":', '"now": "2026-01-01T00:00:00Z", "now":'),
    lineOf('"now"'),
    'now',
    /twice/,
  ],
  [
    'a name twice in metadata',
    () => swap('{"order":1}', '{"order":1,"order":2}'),
    lineOf('{"order":1}'),
    'operations[0].operation.metadata.order',
    /twice/,
  ],
  [
    'an unknown name',
    () => swap('"internal":{', '"internal":{"color":1,'),
    lineOf('"internal"'),
    'operations[0].internal.color',
    /Unknown name/,
  ],
  ['a missing one', () => swap(/"wait":0,/, ''), lineOf('"attempts"'), 'deliveries[0]', /"wait" is missing/],
  [
    'a time that there is not',
    () => swap(/"now": "[^"]*"/, '"now": "2026-02-30T00:00:00Z"'),
    3,
    'now',
    /Must be a time/,
  ],
  [
    'an id twice',
    () => swap(`"operation":{"id":"${waiting}"`, `"operation":{"id":"${done}"`),
    lineOf('"processing"'),
    'operations[1].operation.id',
    /Two operations have this id/,
  ],
  [
    'an operation that is not there',
    () => swap(new RegExp(`"operation":"${waiting}"`), '"operation":"00000000-0000-4000-8000-000000000000"'),
    lineOf(`"operation":"${waiting}"`),
    'companies[0].idempotency[1].operation',
    /no operation with this id/,
  ],
  [
    'a balance that the operations do not come to',
    () => swap('"available":"-21.00"', '"available":"79.00"'),
    lineOf('"available"'),
    'companies[0].balances[0].available',
    /come to -21.00 VES available/,
  ],
  [
    'a state without its members',
    () => swap('"pending_reason":"processing"', '"pending_reason":"awaiting_code"'),
    lineOf('"processing"'),
    'operations[1].operation.pending_reason',
    /Must be "processing"/,
  ],
  [
    'a time that a pending operation needs',
    () => swap(/"due_at":"[^"]*"/, '"due_at":null'),
    lineOf('"pending_reason":"processing"'),
    'operations[1].internal.due_at',
    /Must be a time/,
  ],
  [
    'an outcome that is to come twice',
    () => swap(/("due_at":"[^"]*","verdict":)\{[^}]*\}/, '$1{"status":"pending"}'),
    lineOf('"pending_reason":"processing"'),
    'operations[1].internal.verdict',
    /Must be null for an operation that is processing/,
  ],
  [
    'a verdict that is pending and says why it failed',
    () => swap(/"verdict":null/, '"verdict":{"status":"pending","code":"expired"}'),
    lineOf('"verdict":null'),
    'operations[0].internal.verdict',
    /A pending verdict has no code/,
  ],
  [
    'a fault with an outcome and without one',
    () =>
      swap(
        '"kind":"status","status":503',
        '"kind":"outcome","pending":true,"failure":{"code":"rejected","reason":"other"}',
      ),
    lineOf('"kind":"status"'),
    'faults[0].pending',
    /not both/,
  ],
  [
    'a final operation without its event',
    () => swap(/"events": \[[^\]]*\]/, '"events": []'),
    lineOf('"events"'),
    'events',
    /is final and has no event/,
  ],
  [
    'the event of another',
    () => swap(/("occurred_at":"[^"]*","operation":")[0-9a-f-]*/, `$1${waiting}`),
    lineOf('"sequence"'),
    'events[0].operation',
    /is pending/,
  ],
  [
    'a delivery that nobody gets',
    () => swap(/"webhook_endpoints": \[[^\]]*\]/, '"webhook_endpoints": []'),
    lineOf('"attempts"') - 2,
    'deliveries[0].company',
    /no URL/,
  ],
  [
    'a URL that the sandbox refuses',
    () => swap(/("id":"[^"]*","url":")https/, '$1http'),
    lineOf('"secret"'),
    'companies[0].webhook_endpoints[0].url',
    /https/,
  ],
  [
    'a fault without what it needs',
    () => swap('"status":503,', ''),
    lineOf('"count"'),
    'faults[0]',
    /"status" is missing/,
  ],
  [
    'a ready key that nobody has',
    () => swap(/"api_key": "svc_test_[0-9a-f]{4}/, '"api_key": "svc_test_0000'),
    lineOf('"api_key"'),
    'api_key',
    /must have this key/,
  ],
  [
    'a counter that would give a number twice',
    () => swap('"bank_references": {"sandbox":1', '"bank_references": {"sandbox":0'),
    lineOf('"bank_references"'),
    'bank_references.sandbox',
    /cannot be less/,
  ],
  [
    'a live key',
    () => swap('"metadata":{"order":1}', '"metadata":{"order":"svc_live_CANARY0123456789"}'),
    lineOf('{"order":1}'),
    'operations[0].operation.metadata.order',
    /live key of a real account/,
  ],
  [
    'a live key for a key',
    () => swap('"keys": [', '"keys": [{"key":"svc_live_CANARY0123456789"},'),
    lineOf('"keys"'),
    'companies[0].keys[0].key',
    /live key of a real account/,
  ],
  [
    'a live key in escapes',
    () => swap('"metadata":{"order":1}', '"metadata":{"order":"\\u0073vc_live_CANARY0123456789"}'),
    lineOf('{"order":1}'),
    'operations[0].operation.metadata.order',
    /live key of a real account/,
  ],
  [
    'a live key for a name',
    () => swap('"metadata":{"order":1}', '"metadata":{"svc_live_CANARY0123456789":1}'),
    lineOf('{"order":1}'),
    'operations[0].operation.metadata',
    /live key of a real account/,
  ],
  [
    'a key of the other environment',
    () => swap('"keys": [', '"keys": [{"key":"svc_live_sandbox_0"},'),
    lineOf('"keys"'),
    'companies[0].keys[0].key',
    /must begin with svc_test_/,
  ],
  ['brackets without an end', () => '['.repeat(100_000), 1, '', /nested too deep/],
];

describe('a document with', () => {
  it.each(WRONG)('%s', (_what, document, line, path, said) => {
    const given = document();
    const { problems } = readState(Buffer.from(given as string), () => '');
    expect(problems?.map((problem) => [problem.line, path === '' ? '' : problem.path])).toContainEqual([
      line,
      path,
    ]);
    const text = problemLines(problems ?? []).join('\n');
    expect(text).toMatch(said);
    expect(text).not.toContain('CANARY');
    const reply = imported(sandbox, given);
    expect(reply.status).toBe(400);
    expect(reply.json.error.message).toMatch(said);
    expect(reply.text).not.toContain('CANARY');
    expect(exported(sandbox)).toBe(GOOD);
  });
});

it('is read with a byte order mark', () => {
  expect(imported(sandbox, Buffer.from(`\ufeff${GOOD}`)).status).toBe(200);
  expect(exported(sandbox)).toBe(GOOD);
});

it('is refused with all that is wrong, ten at most', () => {
  const { problems } = readState(
    Buffer.from(`{"svc_sandbox_state":1,"now":"x","companies":[${'{},'.repeat(30)}{}]}`),
    () => '',
  );
  expect(problems).toHaveLength(10);
  expect(problemLines(problems ?? []).at(-1)).toBe('There may be more.');
});

it('needs little where it is written by hand: what follows from the rest is made', () => {
  const value = JSON.parse(GOOD) as Record<string, unknown> & { companies: Record<string, unknown>[] };
  const { svc_sandbox_state, now, companies, operations: all } = value;
  const byHand = {
    svc_sandbox_state,
    now,
    companies: companies.map(({ name, environment }) => ({ name, environment })),
    operations: all,
  };
  const other = opened('other');
  expect(imported(other.sandbox, JSON.stringify(byHand))).toMatchObject({
    status: 200,
    json: { operations: 2, events: 1 },
  });
  const { balances } = send(other.sandbox, 'GET', '/sandbox/v2/balances').json;
  expect(balances.find(({ currency }) => currency === 'VES')).toMatchObject({
    available: '-21.00',
    reserved: '10.50',
  });
});
