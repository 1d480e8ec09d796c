import { beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryRow, FailureToMake, TestSandbox } from '../../../src/sandbox/testing/types.js';
import '../../support/starting.js';
import { created, payin, payout, post, started } from './client.js';

let sandbox: TestSandbox;
beforeEach(async () => {
  sandbox = await started({ settleAfterSeconds: 3600 });
});

const CREATES = { transfer: payin('incoming_transfer'), debit: payin('debit_otp'), payout };

const send = (path: string, body: object, apiKey = sandbox.apiKey): Promise<Response> =>
  post({ ...sandbox, apiKey }, path, body);

async function make(what: keyof typeof CREATES, amount = '10.00'): Promise<string> {
  const path = what === 'payout' ? 'payouts' : 'payins';
  return (await created(sandbox, path, { ...CREATES[what], amount })).id;
}

const told = (call: () => Promise<unknown>): Promise<string> => call().then(() => 'nothing', String);
const any = (value: unknown): never => value as never;

describe('advance', () => {
  it('resolves when every delivery that it brings was attempted and answered', async () => {
    const receiver = await sandbox.receiver();
    for (let count = 0; count < 20; count += 1) await make('payout');
    await sandbox.advance('1h');
    expect(receiver.events).toHaveLength(20);
    expect((await sandbox.deliveries()).map(({ status }) => status)).toEqual(Array(20).fill('delivered'));
  });

  it('brings the attempts that follow by then, at their own times', async () => {
    const receiver = await sandbox.receiver({ answer: ({ attempt }) => (attempt < 4 ? 503 : 200) });
    await sandbox.settle(await make('payout'));
    await sandbox.advance('1d');
    expect(receiver.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
    const [row] = await sandbox.deliveries();
    expect(row).toMatchObject({ status: 'delivered', next_attempt_at: null });
    expect(new Set(row!.attempts.map(({ at }) => at)).size).toBe(4);
  });

  it('without deliveries does not wait, and 0s waits for what is due', async () => {
    const receiver = await sandbox.receiver();
    for (let count = 0; count < 10; count += 1) await make('payout');
    await sandbox.advance('1h', { deliveries: false });
    expect(receiver.events).toEqual([]);
    expect(await sandbox.operations({ status: 'confirmed' })).toHaveLength(10);
    await sandbox.advance('0s');
    expect(receiver.events).toHaveLength(10);
  });

  it('waits for a sandbox that is closed no more', async () => {
    await sandbox.receiver({ answer: 'slow' });
    await make('payout');
    const waiting = expect(sandbox.advance('1h')).rejects.toThrow('the sandbox is closed');
    await Promise.all([waiting, sandbox.close()]);
  });

  it('is answered at once by the control request', async () => {
    const receiver = await sandbox.receiver({ answer: 'slow' });
    await make('payout');
    const request = { method: 'POST', body: '{"advance_seconds":3600}' };
    const answer = await sandbox.fetch('/_control/clock', request);
    expect(await answer.json()).toEqual({
      ...{ now: expect.any(String) as string },
      settled_operations: 1,
      due_deliveries: 1,
    });
    expect(receiver.events).toEqual([]);
  });
});

describe('settle', () => {
  it('confirms what waits for the bank, or fails it', async () => {
    const receiver = await sandbox.receiver();
    expect(await sandbox.settle(await make('payout'))).toMatchObject({ operation: { status: 'confirmed' } });
    const failure = { code: 'limit_exceeded', reason: 'daily_limit' } as const;
    const { operation } = await sandbox.settle(await make('payout'), failure);
    expect(operation).toMatchObject({ status: 'failed', failure });
    const event = await receiver.next('payout.failed');
    expect([event.data.failure.code, event.data.failure.reason]).toEqual(['limit_exceeded', 'daily_limit']);
  });

  it('takes the first reason of a code where none is given', async () => {
    const { operation } = await sandbox.settle(await make('payout'), { code: 'mandate_required' });
    expect(operation.failure).toMatchObject({ code: 'mandate_required', reason: 'no_mandate' });
  });

  it.each([
    [{ code: 'no_money' }, 'settle() has no failure code "no_money": there are counterparty_rejected,'],
    [{ code: 'expired', reason: 'x' }, 'settle() has no reason "x" of expired: there are expired'],
    [{ kode: 'expired' }, 'settle() has no option kode: there are code, reason'],
    ['expired', 'settle() takes an object, and not "expired"'],
  ])('is refused with %j', async (failure, message) => {
    const id = await make('payout');
    expect(await told(() => sandbox.settle(id, any(failure)))).toContain(message);
    expect(await sandbox.operations({ waits: true })).toHaveLength(1);
  });

  it('says what an operation waits for that waits for no bank', async () => {
    const [payin, debit, payout] = [await make('transfer'), await make('debit'), await make('payout')];
    await sandbox.settle(payout, { code: 'rejected' } satisfies FailureToMake);
    for (const [id, why] of [
      [payin, 'it waits for a payment: pay() it.'],
      [debit, 'it waits for its code: confirm it.'],
      [payout, 'it is failed (rejected).'],
    ] as const) {
      const [, said] = (await told(() => sandbox.settle(id))).split('waits for no answer of the bank: ');
      expect(said?.split('\n')[0]).toBe(why);
    }
    expect(await told(() => sandbox.settle('x'))).toMatch(
      /^Error: There is no operation "x" in this sandbox\.\n/,
    );
  });
});

describe('expire', () => {
  it('ends the window of a pay-in and the validity of a code', async () => {
    const { operation } = await sandbox.expire(await make('transfer'));
    expect(operation).toMatchObject({ status: 'failed', failure: { code: 'expired' } });
    const debit = await make('debit');
    await sandbox.expire(debit);
    const confirmed = await send(`payins/${debit}/confirm`, { code: sandbox.code });
    const failure = { code: 'code_rejected', reason: 'code_expired' };
    expect(await confirmed.json()).toMatchObject({ failure });
  });

  it('says why nothing can expire', async () => {
    const payout = await make('payout');
    const why = 'it waits for the bank: settle() it, or advance() the clock.';
    const said = `Error: The payout ${payout} (mobile_payment) has nothing that can expire: ${why}`;
    expect(await told(() => sandbox.expire(payout))).toBe(said);
  });
});

describe('pay', () => {
  it('of two pay-ins that wait for the same pays the older one, and says so', async () => {
    const [older, newer] = [await make('transfer'), await make('transfer')];
    expect(await sandbox.pay(newer)).toMatchObject({ id: older, operation: { status: 'confirmed' } });
    expect(await sandbox.pay(newer, {}, { exact: true })).toMatchObject({ id: newer });
  });

  it('exact pays nothing where the money would go elsewhere', async () => {
    const [older, newer] = [await make('transfer'), await make('transfer')];
    const other = await make('transfer', '9.99');
    const first = `the pay-in ${older} is older than ${newer} and waits for the same, so it would get the money.`;
    const exactly = (id: string, what = {}) => told(() => sandbox.pay(id, what, { exact: true }));
    expect(await exactly(newer)).toContain(`Nothing was paid: ${first}`);
    const unmet = `the pay-in ${other} (incoming_transfer) does not wait for amount "1.00".`;
    expect(await exactly(other, { amount: '1.00' })).toContain(unmet);
    expect(await sandbox.operations({ status: 'confirmed' })).toEqual([]);
    expect(await sandbox.pay(other, {}, { exact: true })).toMatchObject({ id: other });
    const slip = any({ amonut: '1' });
    expect(await told(() => sandbox.pay(other, slip))).toContain('pay() has no option amonut');
  });
});

describe('resend and ping', () => {
  it('have arrived when they resolve', async () => {
    const receiver = await sandbox.receiver();
    await sandbox.settle(await make('payout'));
    const { id } = await sandbox.waitForDelivery('payout.confirmed');
    expect(await sandbox.resend(id)).toMatchObject({ id, status: 'delivered', attempts: [{}, {}] });
    expect(receiver.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(receiver.events).toHaveLength(1);
    expect(await sandbox.ping()).toMatchObject({ type: 'test.ping', status: 'delivered' });
    expect((await receiver.next('test.ping')).data.amount).toBe('0.00');
  });

  it('say what is missing', async () => {
    expect(await told(() => sandbox.resend('x'))).toBe('Error: There is no delivery "x" in this sandbox.');
    const nobody = 'the company "default" has registered no URL in sandbox.';
    expect(await told(() => sandbox.ping())).toBe(`Error: Nothing was sent: ${nobody}`);
  });
});

describe('key', () => {
  it('is of any company, with the scopes that are asked for, in either environment', async () => {
    const key = await sandbox.key({ company: 'acme', scopes: ['saldos:leer'], created_by: 'operator' });
    expect((await send('payouts', {}, key)).status).toBe(403);
    const live = await sandbox.key({ environment: 'live' });
    for (const [path, by] of Object.entries({ '/sandbox/v2/balances': key, '/v2/balances': live })) {
      const answer = await sandbox.fetch(path, { headers: { authorization: `Bearer ${by}` } });
      expect(answer.status).toBe(200);
    }
  });
});

describe('faults of deliveries', () => {
  const paid = async (amount: string): Promise<string> => {
    const id = await make('transfer', amount);
    await sandbox.pay(id);
    return id;
  };

  it('hold back what they hold, and advance waits for what comes behind it', async () => {
    const receiver = await sandbox.receiver();
    await sandbox.fault({ delivery: 'hold', count: 9 });
    for (let count = 0; count < 12; count += 1) await make('payout');
    await sandbox.advance('1h');
    expect(receiver.events).toHaveLength(3);
    expect((await sandbox.deliveries()).filter(({ fault }) => fault === 'hold')).toHaveLength(9);
  });

  it('end with clearFaults(), which resolves when what they held has arrived', async () => {
    const receiver = await sandbox.receiver();
    await sandbox.fault({ delivery: 'hold', count: 3 });
    await sandbox.fault({ route: 'balances', status: 503 });
    for (const amount of ['1.00', '2.00']) await paid(amount);
    await sandbox.advance('1d');
    expect(receiver.events).toEqual([]);
    expect(await sandbox.clearFaults()).toBe(2);
    expect(receiver.events).toHaveLength(2);
    expect(await sandbox.deliveries()).toMatchObject([
      { result: 'delivered', amount: '1.00', fault: null },
      { result: 'delivered', amount: '2.00', fault: null },
    ]);
  });

  it('are refused where they are none, in a sentence', async () => {
    const twice = any({ delivery: 'twice' });
    expect(await told(() => sandbox.fault(twice))).toMatch(/faults: delivery must be one of .*duplicate/);
  });
});

describe('a receiver that answers', () => {
  const owed = async (): Promise<DeliveryRow> => {
    await sandbox.settle(await make('payout'));
    await sandbox.advance('0s');
    const rows = await sandbox.deliveries();
    return rows.at(-1)!;
  };

  it('a status keeps what it got, and gets it again', async () => {
    const receiver = await sandbox.receiver({ answer: 500 });
    expect(await owed()).toMatchObject({ status: 'pending', attempts: [{ status: 500 }] });
    expect(await receiver.next('payout.confirmed')).toMatchObject({ data: { status: 'confirmed' } });
    await sandbox.advance('5m');
    expect(receiver.deliveries.length).toBeGreaterThan(1);
    expect(receiver.events).toHaveLength(1);
    expect(JSON.parse(receiver.deliveries[0]!.body)).toEqual(receiver.events[0]);
    expect(receiver.deliveries[0]!.headers['x-evento']).toBe('payout.confirmed');
  });

  it('cut ends the connection', async () => {
    await sandbox.receiver({ answer: 'cut' });
    expect(await owed()).toMatchObject({ status: 'pending', attempts: [{ status: null }] });
  });

  it('twice ends it the first time: an event comes twice', async () => {
    const receiver = await sandbox.receiver({ answer: 'twice' });
    expect(await owed()).toMatchObject({ status: 'pending', attempts: [{ status: null }] });
    await sandbox.advance('2m');
    expect(receiver.deliveries.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(receiver.events).toHaveLength(1);
    expect(await sandbox.deliveries()).toMatchObject([{ status: 'delivered' }]);
  });

  it('what a function returns, and 500 where that fails', async () => {
    const answer = ({ attempt }: { attempt: number }) => {
      if (attempt === 1) throw new Error('the shop is on fire');
      return attempt === 2 ? any('soon') : undefined;
    };
    const receiver = await sandbox.receiver({ answer });
    await owed();
    await sandbox.advance('1h');
    const [row] = await sandbox.deliveries();
    expect(row!.attempts.map(({ status }) => status)).toEqual([500, 500, 200]);
    const [first, second] = receiver.rejected;
    expect(first).toBe('answer() of this receiver failed: Error: the shop is on fire');
    expect(second).toContain('receiver() can\'t answer with "soon": give a status from 200 to 599');
  });
});

describe('a wrong call is told in the words of the kit, at once', () => {
  const DURATION = 'advance() takes a duration, for example 30s, 5m, 48h or 2d, at most 366d, and not ';
  const FAULT = "fault() takes a fault, for example { route: 'payins.create', status: 503 }, and not nothing";
  const NO_EVENT = 'for "payin.paid": no event has that type. There are payin.confirmed,';
  const DONE = 'No delivery can be "done": waitForDelivery() takes pending, delivered, exhausted';
  const MS = 'waitForDelivery() takes timeoutMs in milliseconds, for example 5000, and not NaN';
  const NAMES = 'operations() has no option state: there are status, search, waits';
  const wait = (type?: never, options?: object): Promise<unknown> => sandbox.waitForDelivery(type, options);
  it.each<[() => Promise<unknown>, string]>([
    [() => sandbox.fault(any(undefined)), FAULT],
    [() => sandbox.requests(any({ state: 1 })), 'requests() has no option state: there are status, meth'],
    [() => sandbox.operations(any({ state: 'x' })), NAMES],
    [() => sandbox.advance('soon'), `${DURATION}"soon"`],
    [() => sandbox.advance(any(7)), `${DURATION}7`],
    [() => sandbox.advance('1s', any({ to: 1 })), 'advance() has no option to: there are deliveries'],
    [() => wait(any('payin.paid')), `waitForDelivery() can't wait ${NO_EVENT}`],
    [() => wait(undefined, { status: 'done' }), DONE],
    [() => wait(undefined, { timeoutMs: NaN }), MS],
    [() => sandbox.receiver(any({ answers: 500 })), 'receiver() has no option answers: there are answer'],
    [() => sandbox.receiver(any({ answer: 99 })), "receiver() can't answer with 99: give a status"],
    [() => sandbox.receiver(any({ answer: 'late' })), 'receiver() can\'t answer with "late"'],
    [() => sandbox.settle(any(7)), 'settle() takes the id of an operation, and not 7'],
    [() => sandbox.key(any({ scope: 'saldos:leer' })), 'key() has no option scope'],
    [() => sandbox.ping(any({ firm: 'x' })), 'ping() has no option firm'],
  ])('%s', async (call, message) => {
    expect((await told(call)).slice(0, 11 + message.length)).toBe(`TypeError: ${message}`);
  });

  it('next() of a type that no event has, and a request that is not kept', async () => {
    const receiver = await sandbox.receiver();
    const types = `${NO_EVENT} payin.failed, payout.confirmed, payout.failed, test.ping`;
    expect(await told(() => receiver.next(any('payin.paid')))).toBe(`TypeError: next() can't wait ${types}`);
    const slip = await told(() => receiver.next(undefined, any({ timeout: 1 })));
    expect(slip).toContain('next() has no option timeout: there are timeoutMs');
    const kept = 'There is no request 99 in this sandbox. It keeps the last 1,000: requests() lists them.';
    expect(await told(() => sandbox.request(99))).toBe(`Error: ${kept}`);
  });
});
