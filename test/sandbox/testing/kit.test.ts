import { beforeEach, describe, expect, it } from 'vitest';
import { startSandbox } from '../../../src/sandbox/testing/start-sandbox.js';
import type { FaultToArm, TestSandbox, TestSandboxOptions } from '../../../src/sandbox/testing/types.js';
import '../../support/starting.js';
import { payin, payout, post as send, started } from './client.js';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await started();
});

type Answer = Readonly<Record<'id' | 'status', string>>;

async function post(path: string, body: object, { at = sandbox, by = fetch } = {}): Promise<Answer> {
  return (await (await send(at, path, body, { by })).json()) as Answer;
}

const get = (path: string, at = sandbox, by: TestSandbox['fetch'] = at.fetch): Promise<Response> =>
  by(`${at.serviceUrl}/v2/${path}`, { headers: { authorization: `Bearer ${at.apiKey}` } });

describe('a sandbox', () => {
  it('is on a free port of this machine, with a key, and the same without the network', async () => {
    expect(sandbox.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    expect(sandbox.serviceUrl).toBe(`${sandbox.baseUrl}/sandbox`);
    expect(sandbox.apiKey).toMatch(/^svc_test_/);
    for (const by of [fetch, sandbox.fetch])
      expect(await (await get('balances', sandbox, by)).json()).toHaveProperty('balances');
  });

  it('shares nothing with another one', async () => {
    const beside = await started({});
    await post('payins', payin('debit_otp'));
    expect(await sandbox.operations()).toHaveLength(1);
    expect(await beside.operations()).toEqual([]);
    expect((await get('balances', { ...beside, apiKey: sandbox.apiKey })).status).toBe(401);
  });

  it('opens no port with null, and is reached by its own fetch alone', async () => {
    const silent = await started({ port: null });
    expect(silent.baseUrl).toBe('http://127.0.0.1:0');
    await expect(fetch(`${silent.baseUrl}/sandbox/v2/balances`)).rejects.toThrow();
    const { id } = await post('payins', payin('incoming_transfer'), { at: silent, by: silent.fetch });
    const receiver = await silent.receiver();
    await silent.pay(id);
    expect((await receiver.next('payin.confirmed')).data.id).toBe(id);
  });

  it('with live is the live environment, whose key a reset leaves', async () => {
    const live = await started({ live: true });
    expect([live.apiKey.slice(0, 9), live.serviceUrl]).toEqual(['svc_live_', live.baseUrl]);
    expect((await get('balances', live)).status).toBe(200);
    await live.reset();
    expect((await get('balances', live)).status).toBe(200);
    const { id } = await post('payins', payin('incoming_mobile_payment'), { at: live });
    const paid = { environment: 'live', id, operation: { status: 'confirmed' }, waits_for: null };
    expect(await live.pay(id)).toMatchObject(paid);
  });

  it('takes the code and the pace that it is given', async () => {
    const own = await started({ code: '424242', settleAfterSeconds: 60 });
    expect(own.code).toBe('424242');
    const { id } = await post('payins', payin('debit_otp'), { at: own });
    const confirmed = await post(`payins/${id}/confirm`, { code: '424242' }, { at: own });
    expect(confirmed.status).toBe('confirmed');
    expect(await post('payouts', payout, { at: own })).toMatchObject({ status: 'pending' });
  });

  it.each<[TestSandboxOptions, number]>([
    [{}, 201],
    [{ keys_of_refused: 'forget' }, 201],
    [{ keys_of_refused: 'remember' }, 409],
  ])('with %j answers a refused create that is corrected under its key with %d', async (options, status) => {
    const own = await started(options);
    const statusOf = async (amount: string): Promise<number> =>
      (await send(own, 'payouts', { ...payout, amount }, { key: 'invoice-1-first' })).status;
    expect([await statusOf('0'), await statusOf('5.00')]).toEqual([400, status]);
  });

  it.each<[unknown, RegExp]>([
    [{ ports: 1 }, /startSandbox\(\) has no option ports: there are port, code/],
    [{ port: 65_536 }, /port must be a whole number/],
    [{ port: '4010' }, /port must be a whole number/],
    [{ code: 123456 }, /code must be six digits/],
    [{ code: '12345' }, /code must be six digits/],
    [{ live: 'yes' }, /live is true or false/],
    [{ settleAfterSeconds: -1 }, /settleAfterSeconds must be a whole number/],
    [{ keys_of_refused: 'keep' }, /keys_of_refused is 'forget' or 'remember'/],
    [{ keys_of_refused: true }, /keys_of_refused is 'forget' or 'remember'/],
  ])('is refused with %j', async (options, message) => {
    await expect(startSandbox(options as TestSandboxOptions)).rejects.toThrow(message);
  });
});

describe('fetch', () => {
  it('takes a path, an address, a URL and a request', async () => {
    const url = `${sandbox.serviceUrl}/v2/balances`;
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    for (const input of ['/sandbox/v2/balances', url, new URL(url), new Request(url)]) {
      const response = await sandbox.fetch(input, { headers });
      expect([response.status, response.url]).toEqual([200, url]);
    }
  });

  it('refuses another address: a client that is set up wrong is seen', async () => {
    const other = sandbox.fetch('https://api.example.com/v2/balances');
    await expect(other).rejects.toThrow(`this sandbox is at ${sandbox.baseUrl}`);
  });

  it('fails as a network does where a fault cuts the connection, and can be given up', async () => {
    await sandbox.fault({ route: 'balances', kind: 'drop-after' });
    await expect(get('balances')).rejects.toThrow(TypeError);
    await sandbox.fault({ route: 'balances', kind: 'delay', delay_ms: 60_000 });
    const given = { signal: AbortSignal.timeout(20), headers: { authorization: `Bearer ${sandbox.apiKey}` } };
    await expect(sandbox.fetch('/sandbox/v2/balances', given)).rejects.toThrow(/timeout/);
  });

  it('answers what has no body without one', async () => {
    await sandbox.fault({ route: '*', status: 304 });
    const response = await get('balances');
    expect([response.status, await response.text()]).toEqual([304, '']);
  });
});

describe('pay', () => {
  it('of another amount is nobody’s, and of another pay-in its', async () => {
    const { id } = await post('payins', payin('incoming_transfer'));
    expect(await sandbox.pay(id, { amount: '9.99' })).toBeNull();
    const other = await post('payins', payin('incoming_transfer', '9.99'));
    expect(await sandbox.pay(id, { amount: '9.99' })).toMatchObject({ id: other.id });
    expect(await sandbox.operations({ status: 'pending' })).toMatchObject([{ id }]);
  });

  it('says why there is nothing to pay', async () => {
    const asked = await post('payins', payin('debit_otp'));
    const why = /debit_otp\) waits for no payment: it waits for its code/;
    await expect(sandbox.pay(asked.id)).rejects.toThrow(why);
    const { id } = await post('payins', payin('incoming_transfer'));
    await sandbox.pay(id);
    await expect(sandbox.pay(id)).rejects.toThrow('waits for no payment: it is confirmed.');
    const sent = await post('payouts', payout);
    await expect(sandbox.pay(sent.id)).rejects.toThrow(`The payout ${sent.id} (mobile_payment) waits for no`);
  });

  const unknown = ['', 'x', '../reset', '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', '?a=b', '--for'];
  it.each(unknown)('says that there is no operation %j', async (id) => {
    await expect(sandbox.pay(id)).rejects.toThrow(`There is no operation ${JSON.stringify(id)}`);
  });

  it('does not lose what it can’t read', async () => {
    const { id } = await post('payins', payin('incoming_transfer'));
    await expect(sandbox.pay(id, { amount: 'ten' })).rejects.toThrow(/payments: amount must be /);
  });
});

describe('what a test asks', () => {
  it('requests: what its own code sent, and why it was refused', async () => {
    await sandbox.receiver();
    await post('payins', payin('debit_otp'));
    await post('payins', { ...payin('debit_otp'), amount: 'x' });
    const requests = await sandbox.requests();
    expect(requests).toMatchObject([
      { method: 'POST', status: 201, refused: null },
      { method: 'POST', status: 400, refused: expect.stringMatching(/amount/) as string },
    ]);
    expect(await sandbox.requests({ status: 400 })).toHaveLength(1);
    expect(await sandbox.requests({ status: '2xx', method: 'GET' })).toEqual([]);
    const { request, answer } = await sandbox.request(requests[0]!.id);
    expect(JSON.parse(request.body)).toMatchObject({ method: 'debit_otp' });
    expect(JSON.parse(answer!.body)).toMatchObject({ status: 'pending' });
  });

  it('all of them, where they are more than a page', async () => {
    const one = (): Promise<Answer> => post('payins', payin('debit_otp'), { by: sandbox.fetch });
    await Promise.all(Array.from({ length: 230 }, one));
    expect(await sandbox.requests()).toHaveLength(230);
    expect(new Set((await sandbox.operations({ waits: true })).map(({ id }) => id)).size).toBe(230);
  });

  it('advance: what time brings has happened then', async () => {
    const { id } = await post('payins', payin('incoming_transfer'));
    const before = Date.now();
    const now = await sandbox.advance('73h');
    expect(Date.parse(now) - before).toBeGreaterThan(72 * 3_600_000);
    expect(await sandbox.operations({ status: 'failed' })).toMatchObject([{ id }]);
    await expect(sandbox.advance('soon')).rejects.toThrow(/a duration, for example 30s/);
  });

  it('fault: armed, and refused where it is none', async () => {
    expect(await sandbox.fault({ route: 'payins.create', status: 503, count: 2 })).toBe(2);
    const error = { code: 'temporarily_unavailable' };
    expect(await post('payins', payin('debit_otp'))).toMatchObject({ error });
    const nowhere = { route: 'nowhere', status: 503 } as unknown as FaultToArm;
    await expect(sandbox.fault(nowhere)).rejects.toThrow(/faults: route must be one of \*, capabilities,/);
  });

  it('reset: empty, with the key and without the receivers', async () => {
    const receiver = await sandbox.receiver();
    await post('payins', payin('debit_otp'));
    await sandbox.advance('48h');
    await sandbox.reset();
    for (const list of [sandbox.operations, sandbox.requests, sandbox.deliveries])
      expect(await list()).toEqual([]);
    expect((await get('balances')).status).toBe(200);
    await expect(receiver.next()).rejects.toThrow('reset() took its registration: make a new one');
  });
});

describe('a receiver', () => {
  it('hands out events of a type, each once, in the order of arrival', async () => {
    const receiver = await sandbox.receiver();
    const waiting = receiver.next('payin.confirmed');
    const first = await post('payins', payin('incoming_transfer'));
    const second = await post('payins', payin('incoming_transfer', '11.00'));
    await sandbox.pay(first.id);
    expect((await waiting).data.id).toBe(first.id);
    await post('payouts', payout);
    await sandbox.pay(second.id);
    expect((await receiver.next('payin.confirmed')).data.id).toBe(second.id);
    expect((await receiver.next()).type).toMatch(/^payout\./);
    expect(receiver.events).toHaveLength(3);
  });

  it('says what did arrive where it waits in vain', async () => {
    const receiver = await sandbox.receiver();
    await post('payouts', payout);
    await sandbox.waitForDelivery();
    const said =
      /^No payin\.confirmed arrived: none within 30 ms\. What did arrive: payout\.\w+ of [0-9a-f-]{36}\.$/;
    await expect(receiver.next('payin.confirmed', { timeoutMs: 30 })).rejects.toThrow(said);
    expect((await receiver.next()).type).toMatch(/^payout\./);
    await expect(receiver.next(undefined, { timeoutMs: 1 })).rejects.toThrow(/^No event arrived/);
  });

  it('turns away what is not signed with its secret, and keeps why', async () => {
    const receiver = await sandbox.receiver();
    const forged = await fetch(receiver.url, { method: 'POST', body: '{}', headers: { 'x-timestamp': '1' } });
    expect([forged.status, (await fetch(receiver.url)).status]).toEqual([400, 405]);
    expect(receiver.events).toEqual([]);
    const said = /What did arrive: nothing\. Turned away: signature_missing/;
    await expect(receiver.next('payin.failed', { timeoutMs: 1 })).rejects.toThrow(said);
  });

  it('takes the place of the one before', async () => {
    const [first, second] = [await sandbox.receiver(), await sandbox.receiver()];
    await post('payouts', payout);
    await second.next();
    expect(first.events).toEqual([]);
  });

  it('that is closed ends whoever waits', async () => {
    const receiver = await sandbox.receiver();
    const waiting = expect(receiver.next()).rejects.toThrow('No event arrived: the sandbox is closed.');
    await sandbox.close();
    await waiting;
    await expect(receiver.next()).rejects.toThrow('No event arrives any more');
  });
});

describe('waitForDelivery', () => {
  it('waits for the status that is asked for', async () => {
    await post('webhook-endpoints', { url: 'http://127.0.0.1:9/nobody' });
    await post('payouts', payout);
    const pending = await sandbox.waitForDelivery(undefined, { status: 'pending' });
    expect(pending).toMatchObject({ status: 'pending', url: 'http://127.0.0.1:9/nobody' });
    await sandbox.advance('3d');
    const exhausted = await sandbox.waitForDelivery(pending.type, { status: 'exhausted' });
    expect(exhausted.next_attempt_at).toBeNull();
  });

  it('says what there is where that takes too long', async () => {
    const wait = sandbox.waitForDelivery('payin.confirmed', { timeoutMs: 1 });
    const none = 'There are: none (no URL may be registered)';
    await expect(wait).rejects.toThrow(`No delivery of payin.confirmed was delivered within 1 ms. ${none}`);
  });
});

describe('what did not happen', () => {
  const unmet: readonly [what: string, call: (id: string) => Promise<unknown>, begin: RegExp][] = [
    ['waitForDelivery', () => sandbox.waitForDelivery('payin.failed', { timeoutMs: 1 }), /^No delivery of/],
    [
      'next',
      async () => (await sandbox.receiver()).next('payin.failed', { timeoutMs: 1 }),
      /^No payin.failed arrived: .*nothing\.\n/,
    ],
    ['pay', (id) => sandbox.pay(id), /waits for no payment: it waits for its code: confirm it\.\n/],
    ['settle', (id) => sandbox.settle(id), /waits for no answer of the bank: .*\n/],
    ['expire', () => sandbox.expire('x'), /^There is no operation "x" in this sandbox\.\n/],
    ['ping', () => sandbox.ping({ company: 'acme' }), /^Nothing was sent: .*\n/],
    ['resend', () => sandbox.resend('x'), /^There is no delivery "x"/],
  ];

  it.each(unmet)('is said by %s with what was refused last, and what waits', async (_what, call, begin) => {
    const payinBody = { ...payin('debit_otp'), reference: 'order \u202e1' };
    const { id } = await post('payins', payinBody);
    await post('webhook-endpoints', { url: 'http://127.0.0.1:9/nobody' });
    await sandbox.fault({ delivery: 'hold' });
    await post('payouts', payout);
    await expect.poll(async () => (await sandbox.deliveries())[0]?.fault).toBe('hold');
    await post('payouts', { ...payout, amount: '0.001' });
    await post('payouts', { ...payout, amount: 'ten' });
    await sandbox.fault({ route: 'payouts.create', status: 503, count: 2 });
    const { message } = await call(id).then(
      () => expect.unreachable(),
      (error: unknown) => error as Error,
    );
    expect(message).toMatch(begin);
    const [first, refused, ...waiting] = message.split('\n');
    const isNamed = first!.includes(id);
    const [delivery, fault] = waiting.slice(-2);
    expect(waiting).toHaveLength(isNamed ? 2 : 3);
    expect(refused).toBe(
      'The last refused request: POST /sandbox/v2/payouts 400: amount is "ten", but must be a text of digits with at most 2 decimals, such as "10.00".',
    );
    if (!isNamed)
      expect(waiting[0]).toBe(
        `The payin ${id} (debit_otp), reference "order \\u202e1": it waits for its code: confirm it.`,
      );
    expect(delivery).toMatch(
      /^The delivery \S+ \(payout\.\w+ to http:\S+nobody\) waits: not tried yet, hold\.$/,
    );
    expect(fault).toBe('The fault payouts.create status 503 is armed (2 left).');
  });

  it('is said with few lines where much waits, and in one where nothing does', async () => {
    const wait = (): Promise<unknown> => sandbox.waitForDelivery('payin.failed', { timeoutMs: 1 });
    await expect(wait()).rejects.toThrow(/registered\)\.$/);
    for (let count = 0; count < 7; count += 1) await post('payins', payin('debit_otp'));
    await expect(wait()).rejects.toThrow(/\.(\nThe payin [^\n]*){5}\nMore operations wait\.$/);
  });
});

describe('close', () => {
  it('is done once, whoever asks, and nothing answers any more', async () => {
    await Promise.all([sandbox.close(), sandbox.close()]);
    await expect(fetch(sandbox.baseUrl)).rejects.toThrow();
    const { pay, fetch: ask, reset, receiver } = sandbox;
    for (const use of [() => pay('x'), () => ask('/'), reset, receiver])
      await expect(use()).rejects.toThrow('This sandbox is closed.');
  });

  it('is done at the end of a block', async () => {
    let base: string;
    {
      await using own = await startSandbox();
      base = own.baseUrl;
      expect((await fetch(base)).status).toBe(404);
    }
    await expect(fetch(base)).rejects.toThrow();
  });
});
