import { expect, it } from 'vitest';
import { problemLines, readState } from '../../../src/sandbox/state/reading.js';
import { PAYOUT } from '../store/request.js';
import { exported, imported, opened, send } from './life.js';

const { sandbox } = opened();
const post = (path: string, body: object, more = {}) => send(sandbox, 'POST', path, body, more);
const later = { ...PAYOUT.beneficiary, document: { type: 'V', number: '00000002' } };
post('/sandbox/v2/webhook-endpoints', { url: 'https://shop.example/hooks' });
post('/sandbox/v2/payouts', { ...PAYOUT, metadata: { order: 1 } }, { idempotencyKey: 'order-0001' });
post('/sandbox/v2/payouts', { ...PAYOUT, beneficiary: later }, { idempotencyKey: 'order-0002' });
post('/_control/faults', { route: '*', status: 503 });

const GOOD = exported(sandbox);
const lines = GOOD.split('\n');
const lineOf = (part: string | RegExp): number =>
  GOOD.slice(0, typeof part === 'string' ? GOOD.indexOf(part) : GOOD.search(part)).split('\n').length;

const { operations } = JSON.parse(GOOD) as { operations: { operation: { id: string } }[] };
const [done, waiting] = operations.map(({ operation }) => operation.id) as [string, string];

const INTERNAL = '"internal"';
const ORDER = '{"order":1}';
const FIRST = 'operations[0].operation';
const SECOND = 'operations[1].operation';
const NO_TEXT = Buffer.concat([Buffer.from('{\n"now": "'), Buffer.from([0xff, 0x80]), Buffer.from('"}')]);
const cut = (more: number): string => GOOD.slice(0, GOOD.indexOf(INTERNAL) + more);

type Refused = readonly [document: string | Uint8Array, line: number, path: string, said: RegExp];
const WHOLE: readonly Refused[] = [
  ['', 1, '', /nothing in it/],
  [' \n\n', 1, '', /nothing in it/],
  [Buffer.from(`\ufeff${GOOD}`, 'utf16le'), 1, '', /UTF-16/],
  [NO_TEXT, 2, '', /not UTF-8/],
  ['[]', 1, '', /Must be an object/],
  ['{"name":"x"}', 1, 'name', /Unknown name. Known names: svc_sandbox_state, now/],
  [cut(-1), lineOf(INTERNAL), 'operations[0]', /truncated/],
  [cut(4), lineOf(INTERNAL), 'operations[0]', /truncated/],
  [`${GOOD}{}`, lines.length, '', /Nothing can follow/],
  ['['.repeat(100_000), 1, '', /nested too deep/],
];

const PENDING = '"verdict":{"status":"pending","code":"expired"}';
const BOTH = '"kind":"outcome","pending":true,"failure":{"code":"rejected","reason":"other"}';
const NOBODY = '"operation":"00000000-0000-4000-8000-000000000000"';
const VERDICT = /("due_at":"[^"]*","verdict":)\{[^}]*\}/;
const OF_EVENT = /("occurred_at":"[^"]*","operation":")[0-9a-f-]*/;
const CREATED = /"created_at":"[^"]*"(,"updated_at")/;
const LIVE_KEY = 'svc_live_CANARY0123456789';
const IN_ESCAPES = '{"order":"\\u0073vc_live_CANARY0123456789"}';
const KEY = 'companies[0].keys[0].key';
const URL_PATH = 'companies[0].webhook_endpoints[0].url';
const IS_LIVE = /live key of a real account/;

const REPLACED: readonly (readonly [path: string, said: RegExp, from: string | RegExp, to: string])[] = [
  ['svc_sandbox_state', /newer svc/, '"svc_sandbox_state": 1', '"svc_sandbox_state": 2'],
  ['faults[0]', /not JSON/, '"faults": [', '"faults": [,'],
  ['now', /twice/, '"now":', '"now": "2026-01-01T00:00:00Z", "now":'],
  [`${FIRST}.metadata.order`, /twice/, ORDER, '{"order":1,"order":2}'],
  ['operations[0].internal.color', /Unknown name/, '"internal":{', '"internal":{"color":1,'],
  ['deliveries[0]', /"wait" is missing/, '"wait":0,', ''],
  ['now', /Must be a time/, /"now": "[^"]*"/, '"now": "2026-02-30T00:00:00Z"'],
  [`${FIRST}.created_at`, /created after "now"/, CREATED, '"created_at":"2026-09-23T15:04:06Z"$1'],
  [
    `${FIRST}.expires_at`,
    /mobile_payment has no window/,
    '"bank_reference":',
    '"expires_at":null,"bank_reference":',
  ],
  ['$schema', /Must be a text/, '"now":', '"$schema": 7, "now":'],
  [`${SECOND}.id`, /Two operations have this id/, `n":{"id":"${waiting}"`, `n":{"id":"${done}"`],
  ['companies[0].idempotency[1].operation', /no operation with this id/, `"operation":"${waiting}"`, NOBODY],
  ['companies[0].balances[0].available', /come to -21.00 VES available/, '"-21.00"', '"79.00"'],
  [
    `${FIRST}.amount`,
    /Must have 2 decimals/,
    /("operation":\{"id":"[^"]*","type":"payout"[^}]*?"amount":")[^"]*/,
    '$11.005',
  ],
  [`${SECOND}.pending_reason`, /Must be "processing"/, 'reason":"processing', 'reason":"awaiting_code'],
  ['operations[1].internal.due_at', /Must be a time/, /"due_at":"[^"]*"/, '"due_at":null'],
  ['operations[1].internal.verdict', /Must be null .* processing/, VERDICT, '$1{"status":"pending"}'],
  ['operations[0].internal.verdict', /A pending verdict has no code/, '"verdict":null', PENDING],
  ['faults[0].pending', /not both/, '"kind":"status","status":503', BOTH],
  ['events', /is final and has no event/, /"events": \[[^\]]*\]/, '"events": []'],
  ['events[0].operation', /is pending/, OF_EVENT, `$1${waiting}`],
  [URL_PATH, /https/, /("id":"[^"]*","url":")https/, '$1http'],
  ['faults[0]', /"status" is missing/, '"status":503,', ''],
  ['api_key', /must have this key/, /"api_key": "svc_test_[0-9a-f]{4}/, '"api_key": "svc_test_0000'],
  ['bank_references.sandbox', /cannot be less/, '{"sandbox":1', '{"sandbox":0'],
  [`${FIRST}.metadata.order`, IS_LIVE, ORDER, `{"order":"${LIVE_KEY}"}`],
  [KEY, IS_LIVE, '"keys": [', `"keys": [{"key":"${LIVE_KEY}"},`],
  [`${FIRST}.metadata.order`, IS_LIVE, ORDER, IN_ESCAPES],
  [`${FIRST}.metadata`, IS_LIVE, ORDER, `{"${LIVE_KEY}":1}`],
  [KEY, /must begin with svc_test_/, '"keys": [', '"keys": [{"key":"svc_live_sandbox_0"},'],
];

function expectRefused(...[document, line, path, said]: Refused): void {
  const { problems } = readState(Buffer.from(document as string), () => '');
  const places = problems?.map((problem) => [problem.line, path === '' ? '' : problem.path]);
  expect(places).toContainEqual([line, path]);
  const reply = imported(sandbox, document);
  expect(reply.status).toBe(400);
  for (const text of [problemLines(problems ?? []).join('\n'), reply.json.error.message])
    expect(text).toMatch(said);
  expect(problemLines(problems ?? []).join('\n') + reply.text).not.toContain('CANARY');
  expect(exported(sandbox)).toBe(GOOD);
}

it.each(WHOLE)('a document %# is refused as a whole', expectRefused);

const changed = (from: string | RegExp, to: string): string => {
  const text = GOOD.replace(from, to);
  expect(text).not.toBe(GOOD);
  return text;
};

it.each(REPLACED)('is refused at %s: %s', (path, said, from, to) =>
  expectRefused(changed(from, to), lineOf(from), path, said),
);

it('is refused with a delivery that nobody gets', () => {
  const document = changed(/"webhook_endpoints": \[[^\]]*\]/, '"webhook_endpoints": []');
  expectRefused(document, lineOf('"attempts"') - 2, 'deliveries[0].company', /no URL/);
});

it('may name its schema, and leave out the window of a pay-in that has ended', () => {
  const one = opened('other').sandbox;
  const { bank_code, document } = PAYOUT.beneficiary;
  const payin = {
    ...PAYOUT,
    method: 'incoming_transfer',
    beneficiary: undefined,
    payer: { bank_code, document },
  };
  const { id } = send(one, 'POST', '/sandbox/v2/payins', payin, { idempotencyKey: 'order-0001' }).json;
  const byHand = (): string =>
    exported(one)
      .replace(/("status":"[^}]*?)"expires_at":"[^"]*",/, '$1')
      .replace('"now"', '"$schema": "sandbox-state.schema.json", "now"');
  expect(imported(one, byHand())).toMatchObject({ status: 400 });
  expect(imported(one, byHand()).text).toContain('A pay-in that waits for a payment must have this.');
  expect(send(one, 'POST', '/_control/payments', { for: id }).status).toBe(200);
  const ended = byHand();
  expect(imported(one, ended).text).toContain('"imported":true');
  expect(exported(one)).toBe(ended.replace(/"\$schema": "[^"]*", /, ''));
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

it.each([
  ['a list', `"faults":[${'1,'.repeat(200_000)}1]`],
  [
    'a map',
    `"deliveries":[{"headers":{${Array.from({ length: 200_000 }, (_, at) => `"x${at}":1`).join(',')}}}]`,
  ],
])('is refused with ten findings where %s has more than can be joined', (_what, member) => {
  const text = `{"svc_sandbox_state":1,"now":"2026-11-03T14:30:00Z","companies":[],${member}}`;
  expect(readState(Buffer.from(text), () => '').problems).toHaveLength(10);
});

it('needs little where it is written by hand: what follows from the rest is made', () => {
  const value = JSON.parse(GOOD) as Record<string, unknown> & { companies: Record<string, unknown>[] };
  const { svc_sandbox_state, now, operations } = value;
  const companies = value.companies.map(({ name, environment }) => ({ name, environment }));
  const byHand = { svc_sandbox_state, now, companies, operations };
  const other = opened('other');
  expect(imported(other.sandbox, JSON.stringify(byHand))).toMatchObject({
    status: 200,
    json: { operations: 2, events: 1 },
  });
  const { balances } = send(other.sandbox, 'GET', '/sandbox/v2/balances').json;
  expect(balances[0]).toEqual({ currency: 'VES', available: '-21.00', reserved: '10.50' });
});
