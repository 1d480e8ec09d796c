import { describe, expect, it } from 'vitest';
import { PAYOUT } from '../store/request.js';
import { create } from '../support/bodies.js';
import { openWorld, type Call, type World } from '../support/world.js';

const why = async (world: World): Promise<string> =>
  (await world.control('GET', '/requests?order=newest&limit=1')).json.requests[0]!.refused;

const keyOf = async (world: World, body: object): Promise<string> =>
  (await world.control('POST', '/keys', body)).json.api_key;

const asks = async (world: World, call: Call, path = '/v2/balances'): Promise<string> => {
  await world.get(path, call);
  return why(world);
};

const creates = async (world: World, body: unknown, idempotencyKey?: string): Promise<string> => {
  await world.post('/v2/payouts', body, { idempotencyKey: idempotencyKey ?? world.freshKey() });
  return why(world);
};

describe('a key', () => {
  it('is missing, doubled, no bearer, of the other environment, unknown, or lacks a scope', async () => {
    const world = await openWorld();
    const header = (...values: string[]): Call => ({
      key: null,
      headers: values.map((value) => ['Authorization', value] as const),
    });
    expect(await asks(world, { key: null })).toMatch(/no Authorization header/);
    expect(await asks(world, header('Bearer a', 'Bearer b'))).toMatch(/more than once/);
    expect(await asks(world, header(`Basic ${world.key}`))).toMatch(/must be "Bearer"/);
    expect(await asks(world, { key: 'sk_test_1' })).toMatch(/does not begin with svc_test_/);
    const live = await keyOf(world, { environment: 'live' });
    expect(await asks(world, { key: live })).toMatch(/other environment.*under \/sandbox.*svc_test_/);
    expect(await asks(world, { key: `svc_test_${'0'.repeat(48)}` })).toMatch(/did not make this key/);
    const key = await keyOf(world, { scopes: ['saldos:leer'] });
    const scopes = 'The key does not have the scope operaciones:leer; it has saldos:leer.';
    expect(await asks(world, { key }, '/v2/events')).toBe(scopes);
    await world.send('GET', '/v2/balances');
    expect(await why(world)).toMatch(/production.*svc_live_/);
    expect(await why(world)).not.toContain(world.key);
  });
});

describe('an idempotency key', () => {
  it('is missing, too short, or was used: by which operation', async () => {
    const world = await openWorld();
    await world.post('/v2/payouts', PAYOUT);
    expect(await why(world)).toMatch(/needs an Idempotency-Key: 8 to 128/);
    expect(await creates(world, PAYOUT, 'short')).toMatch(/has 5 characters. It must be one key of 8 to 128/);
    const { id } = (await world.post('/v2/payouts', PAYOUT, { idempotencyKey: 'key-of-the-test' })).json;
    const other = { ...PAYOUT, amount: '11.00' };
    expect(await creates(world, other, 'key-of-the-test')).toContain(`made the payout ${id}`);
  });
});

const to = (change: object): object => ({ ...PAYOUT, beneficiary: { ...PAYOUT.beneficiary, ...change } });
const withMethod = (method: string): object => ({ ...PAYOUT, method });
const [ODD, MUCH] = [{ type: 'Q', number: '1' }, { text: 'x'.repeat(5000) }];

describe('a body', () => {
  it.each<[string, unknown, RegExp]>([
    ['nothing', '', /no body/],
    ['no JSON', '{"amount":', /not JSON: .*JSON/],
    ['no object', '[]', /not an object/],
    ['no UTF-8', Buffer.from([0xff]), /not UTF-8/],
    ['a name twice', '{"a":1,"a":2}', /appears twice/],
    ['a megabyte', Buffer.alloc(1024 * 1024 + 1), /larger than 1 MiB/],
    ['a number', { ...PAYOUT, amount: 10 }, /^amount is 10, but must be a text of digits with at most 2 dec/],
    ['three decimals', { ...PAYOUT, amount: '1.001' }, /amount is "1.001".*at most 2 decimals/],
    ['too little', { ...PAYOUT, amount: '0.01' }, /amount is "0.01", but .* VES there \(both included\)/],
    ['no country', { ...PAYOUT, country: undefined }, /country is missing: two letters/],
    ['another country', { ...PAYOUT, country: 'AR' }, /country is "AR"; the sandbox has VE, CL, KW/],
    ['another currency', { ...PAYOUT, currency: 'EUR' }, /currency is "EUR"; that country has VES/],
    ['an unknown method', withMethod('cash'), /method is "cash", but must be one of debit_otp/],
    ['a pay-in', withMethod('debit_otp'), /"debit_otp" cannot make a payout in "VE".*mobile_payment/],
    [
      'another field',
      to({ iban: 'x' }),
      /beneficiary.iban is an unk.* field: mobile_payment has .*bank_code/,
    ],
    ['no document', to({ document: undefined }), /beneficiary.document.number is missing: a text such as/],
    ['a wrong one', to({ document: ODD }), /document.type is "Q", but must be one of V/],
    ['an unknown bank', to({ bank_code: '9999' }), /bank_code is "9999".*those that do: 0102/],
    ['a member too many', { ...PAYOUT, note: 'x' }, /note is an unknown field\./],
    ['much metadata', { ...PAYOUT, metadata: MUCH }, /metadata is .*at most 4096 bytes/],
    ['a purpose', { ...PAYOUT, purpose: 'gift' }, /purpose is "gift", but must be remittance or payroll/],
  ])('with %s', async (_, body, expected) => {
    const world = await openWorld();
    expect(await creates(world, body)).toMatch(expected);
  });

  it('is quoted in short, whatever stands in it, and without a key', async () => {
    const world = await openWorld();
    const purpose = `${world.key}<img onerror=alert(1)>${'x'.repeat(5000)}`;
    const said = await creates(world, { ...PAYOUT, purpose });
    expect(said.length).toBeLessThan(300);
    expect(said).not.toContain(world.key);
  });
});

describe('what stands in the way of an action', () => {
  it('is the state, the end of codes, a wrong or late code, or that it is not there', async () => {
    const world = await openWorld();
    const payout = (await create(world, 'mobile_payment')).json;
    await world.post(`/v2/payouts/${payout.id}/cancel`);
    expect(await why(world)).toBe('The payout is confirmed.');
    const payin = (await create(world, 'debit_otp')).json;
    for (let sent = 0; sent < 6; sent += 1) await world.post(`/v2/payins/${payin.id}/resend-code`);
    expect(await why(world)).toMatch(/pending \(awaiting_code\), after 5 resent codes/);
    await world.post(`/v2/payins/${payin.id}/confirm`, { code: '000000' });
    expect(await why(world)).toMatch(/code was wrong.*one attempt/);
    await world.post(`/v2/payins/${payin.id}/confirm`, { code: world.code });
    expect(await why(world)).toBe('The payin is failed.');
    const late = (await create(world, 'debit_otp')).json;
    await world.control('POST', `/operations/${late.id}/expire`);
    await world.post(`/v2/payins/${late.id}/confirm`, { code: world.code });
    expect(await why(world)).toMatch(/had expired/);
    expect(await asks(world, {}, `/v2/payins/${payout.id}`)).toBe('It is a payout, not a payin.');
    expect(await asks(world, {}, '/v2/payins/17')).toBe('The id is not a UUID.');
    expect(await asks(world, {}, '/v2/payins/00000000-0000-4000-8000-000000000000')).toMatch(/No operation/);
    const key = await keyOf(world, { company: 'acme' });
    const other = await asks(world, { key }, `/v2/payouts/${payout.id}`);
    expect(other).toMatch(/another company: default, in the sandbox/);
  });

  it('is a path or a method', async () => {
    const world = await openWorld();
    await world.send('GET', '/v1/payins');
    expect(await why(world)).toMatch(/begin with \/sandbox\/v2\//);
    expect(await asks(world, {}, '/v2/nothing')).toMatch(/No endpoint/);
    await world.send('DELETE', '/sandbox/v2/payins');
    expect(await why(world)).toBe('The path accepts POST.');
    await world.send('GET', '/sandbox/v2/balances', { headers: [['Host', 'evil.example']] });
    expect(await why(world)).toMatch(/not an address of this machine/);
  });

  it('is, where nothing more is known, the code with its fields', async () => {
    const world = await openWorld();
    const said = 'Fields have an invalid value: limit is not valid.';
    expect(await asks(world, {}, '/v2/events?limit=0')).toBe(said);
  });
});
