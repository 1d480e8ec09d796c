import { describe, expect, it } from 'vitest';
import { mixedUp } from '../../support/altered.js';
import { KEY, type Shop, shop } from '../../support/open-request.js';
import { operation, payout } from '../../support/requests.js';
import { refusal, type Fate } from '../../support/shaky-sandbox.js';
import type { Result } from '../../support/svc.js';

const about = (changes: object): Fate => ({ status: 201, body: operation({ reference: KEY, ...changes }) });

const UNKNOWN = { outcome: 'unknown', next_command: `svc requests repeat -- ${KEY}` };

const NOTHING: readonly (readonly [name: string, fate: Fate])[] = [
  ['a redirect', { status: 302, body: '', headers: { location: 'https://elsewhere.example/' } }],
  ['a 404 of the service', refusal(404, 'not_found')],
  ['a 409 that creates do not know', refusal(409, 'not_cancellable')],
  ['a 400 that creates do not know', refusal(400, 'signature_invalid')],
  ['an empty 201', { status: 201, body: '' }],
];

describe('an answer that says nothing about the money', () => {
  it.each(NOTHING)('%s, alone and after a lost one: 12, and the request stays open', async (_name, fate) => {
    for (const first of [fate, 'lost-after'] as const) {
      const { svc, pay, open, service } = shop();
      const paid = await pay(KEY, [first, fate, fate]);
      expect([paid.exitCode, paid.stdout]).toEqual([12, '']);
      expect(paid.error()).toMatchObject({ ...UNKNOWN, idempotency_key: KEY });
      expect(await open()).toMatchObject([{ idempotency_key: KEY, repeatable: true }]);
      service.next();
      expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(0);
      expect(await service.ledger()).toEqual({ [KEY]: 1 });
      expect(await open()).toEqual([]);
    }
  });

  const ELSEWHERE = [302, 307, 404, 405];
  it.each([...ELSEWHERE, 400, 409, 422])('%i: says what to do where this is no service', async (status) => {
    const { svc, pay, open } = shop();
    const isAsked = ELSEWHERE.includes(status);
    const message = String((await pay(KEY, [{ status, body: '' }])).error()['message']);
    const forget = `If this address is not the service, nothing was paid: svc requests forget -- ${KEY}`;
    expect(message.endsWith(forget)).toBe(isAsked);
    if (!isAsked) return;
    expect((await svc(['requests', 'forget', '--yes', '--', KEY])).json()).toEqual({ forgotten: 1 });
    expect(await open()).toEqual([]);
  });
});

describe('an answer that is definite', () => {
  it('a key that is used for another payment is 7, and says that this one was not carried out', async () => {
    const { svc, pay, open, service } = shop();
    await pay(KEY);
    const words = ['payouts', 'create', '--data', '-', '--idempotency-key', KEY];
    const other = JSON.stringify({ ...JSON.parse(String(service.posts.at(-1)?.body)), amount: '6.00' });
    const refused = await svc(words, { stdin: other });
    expect(refused.failure()).toBe('7 idempotency_key_reused');
    expect(refused.error()).toMatchObject({ outcome: 'sent', retryable: false });
    expect(await open()).toEqual([]);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
  });

  it.each([
    ['a refusal', refusal(400, 'amount_out_of_range')],
    ['a key that is used', refusal(409, 'idempotency_key_reused')],
    ['a key that is unknown', refusal(401, 'unauthorized')],
  ])('%s settles nothing once an answer was lost', async (_name, fate) => {
    const { pay, open, service } = shop();
    expect((await pay(KEY, ['lost-after', fate])).error()).toMatchObject({ exit_code: 12 });
    expect(await open()).toHaveLength(1);
    await pay(KEY, [fate]);
    expect(await open()).toHaveLength(1);
    expect((await pay(KEY)).exitCode).toBe(0);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
  });
});

describe('an answer about another payment', () => {
  it.each([
    ['amount', { amount: '6.00' }],
    ['reference', { reference: 'invoice-2049' }],
  ])('of another %s is asked for once more, the same, then it is 12 and kept', async (_name, changes) => {
    const { svc, pay, open, service } = shop();
    const paid = await pay(KEY, Array<Fate>(3).fill(about(changes)));
    expect([paid.exitCode, paid.stdout]).toEqual([12, '']);
    expect(paid.error()).toMatchObject(UNKNOWN);
    const sent = service.posts.map(({ headers, body }) => [headers['idempotency-key'], String(body)]);
    expect(sent).toEqual([sent[0], sent[0]]);
    expect(await open()).toHaveLength(1);
    service.next();
    expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(0);
  });

  it.each([
    ['says what was sent in other words', { amount: 5, currency: 'ves', country: 've' }],
    ['says the amount with fewer zeros', { amount: '5' }],
    ['leaves out what it need not say', { amount: undefined, type: undefined }],
  ])('is none where it %s', async (_name, changes) => {
    const { pay, open } = shop();
    expect((await pay(KEY, [about(changes)])).exitCode).toBe(0);
    expect(await open()).toEqual([]);
  });

  const altering = ({ service }: Shop, change: Change, read: Change) => ({
    transport: mixedUp(mixedUp(service.transport, /POST .*payouts$/, change), /GET .*transactions/, read),
  });
  type Change = Parameters<typeof mixedUp>[2];
  const nameless: Change = ({ reference: _reference, ...rest }) => rest;
  const asIs: Change = (operation) => operation;
  const namelessAs =
    (id: string): Change =>
    (one) =>
      nameless({ ...one, id });
  const named = (): Change => (one) => ({ ...one, reference: KEY });
  const idOf = async (pays: Promise<Result>): Promise<string> => String((await pays).json()['id']);

  it.each<[string, (first: string) => Change, (first: string) => Change, number]>([
    ['says no reference, and is read with the right one', () => nameless, () => asIs, 0],
    ['says no reference anywhere', () => nameless, () => nameless, 12],
    ['says no reference, and is of another', namelessAs, () => asIs, 12],
    ['says the reference, and is of another', (id) => (one) => ({ ...one, id }), () => asIs, 12],
    ['says no reference, is of another, and is read with the right one', namelessAs, named, 12],
  ])('%s: then %i', async (_name, change, read, exitCode) => {
    const world = shop();
    const first = await idOf(world.pay('invoice-2049'));
    const paid = await world.pay(KEY, [], altering(world, change(first), read(first)));
    expect(paid.exitCode, paid.stderr).toBe(exitCode);
    expect(await world.service.ledger()).toEqual({ 'invoice-2049': 1, [KEY]: 1 });
    const isOpen = exitCode === 12;
    expect(new Set(world.service.posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
    expect(await world.open()).toHaveLength(isOpen ? 1 : 0);
    if (!isOpen) return;
    expect(paid.error()).toMatchObject(UNKNOWN);
    expect(await idOf(world.svc(`requests repeat ${KEY}`))).not.toBe(first);
    expect(await world.service.ledger()).toEqual({ 'invoice-2049': 1, [KEY]: 1 });
  });

  it('of the same reference is what was paid then: nothing new was', async () => {
    const world = shop();
    const first = await idOf(world.pay(KEY));
    const line = [...payout(), '--reference', KEY, '--idempotency-key', 'another-key'];
    const change: Change = (one) => ({ ...one, id: first });
    const paid = await world.svc(line, altering(world, change, asIs));
    expect([paid.exitCode, paid.json()['id']], paid.stderr).toEqual([0, first]);
    expect(paid.stderr).toContain('Nothing new was paid.');
  });

  it('that has no reference, as this one, is not told apart by that', async () => {
    const world = shop();
    const first = await idOf(world.svc(payout()));
    const change: Change = (one) => ({ ...one, id: first });
    expect((await world.svc(payout('00000002'), altering(world, change, asIs))).exitCode).toBe(0);
  });
});
