import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { deriveKey } from '../../../src/payments/known/key.js';
import { batchHome } from '../../support/batch-home.js';
import { people, person } from '../../support/payroll.js';
import { debitOtp, payout, PAYOUT_BODY } from '../../support/requests.js';
import { LOST, NOT_ARRIVED, keyOf, type Fate } from '../../support/shaky-sandbox.js';
import type { Result, RunOptions } from '../../support/svc.js';

const HOUR_MS = 3_600_000;
const GET = 'svc transactions get --live --insecure-loopback';
const REF = 'rent-7';
const LINE = [...payout(), '--reference', REF];
const PENDING = [...payout('00000002'), '--reference', REF];
const FAILING = [...payout('00000001'), '--reference', REF];

const here = batchHome(people(2), 'live');
const { svc, paste } = here;
const pay = (fates: readonly Fate[], words: readonly string[], options?: RunOptions): Promise<Result> => {
  here.shaky.next(...fates);
  return svc(words, options);
};
const idOf = (result: Result): string => {
  expect(result.exitCode, result.stderr).toBe(0);
  return String(result.json()['id']);
};
const ownKey = (follows: string | null, generation = 1): string =>
  deriveKey({ environment: 'live', direction: 'payout', reference: REF, follows, generation });
const lineIn = (result: Result, words: string): string =>
  new RegExp(`${words}: (svc .*)$`, 'm').exec(String(result.error()['message']))?.[1] ?? '';
const OTHER = [...payout('12345678', '6.00'), '--reference', REF];
const keysSent = (): string[] => here.shaky.posts.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
const paid = async (): Promise<number> => {
  const only = `select(.data.reference == "${REF}") | .type`;
  const { stdout } = await svc(['events', 'list', '--all', '--jq', only]);
  return stdout.split('\n').filter((type) => type.endsWith('.confirmed')).length;
};
const expectRefused = (result: Result, code: string): Record<string, unknown> => {
  expect(result, result.stderr).toMatchObject({ exitCode: 13, stdout: '' });
  expect(result.error()).toMatchObject({ code });
  const [detail] = result.error()['details'] as Record<string, unknown>[];
  return detail ?? {};
};
describe('the key of a create with a reference', () => {
  it('is that of the row of a batch, and one key for every try that did not fail', async () => {
    await pay([], FAILING);
    await pay([], LINE);
    expect(keysSent()).toEqual([ownKey(null), ownKey(null, 2)]);
  });

  it('is the same by hand, and so is what refuses it', async () => {
    const body = PAYOUT_BODY.replace('{', `{"reference":"${REF}","metadata":{"it's":"$5 \\"a\\""},`);
    const byHand = ['api', 'POST', '/v2/payouts', '--data', body];
    const id = idOf(await svc(byHand));
    expect(keysSent()).toEqual([ownKey(null)]);
    expectRefused(await svc(LINE), 'reference_paid');
    expectRefused(await svc(byHand), 'reference_paid');
    const other = await svc([...byHand.slice(0, -1), body.replace('5.00', '6.00')]);
    expectRefused(other, 'reference_paid');
    idOf(await paste(lineIn(other, 'If .* another payment')));
    expect(keysSent()[1]).toBe(ownKey(id));
    expectRefused(await svc([...byHand, '--idempotency-key', 'my-own-key']), 'reference_paid');
    expect(await paid()).toBe(2);
  });

  it('of other data is refused by the service, and the feed says what there is', async () => {
    const id = idOf(await svc(LINE));
    here.lose();
    const other = await svc(OTHER);
    const detail = expectRefused(other, 'reference_paid');
    expect(detail).toMatchObject({ operation_id: id, agrees: false, amount: '5.00', sent_by: 'elsewhere' });
    expect((await svc('requests list')).json()).toEqual({ requests: [] });
  });

  it('of other data, of which no event tells yet, is refused for now', async () => {
    await svc(PENDING);
    here.lose();
    const other = await svc(OTHER);
    expect(other.error()).toMatchObject({
      ...{ exit_code: 13, code: 'key_used', outcome: 'not_sent', next_command: null },
      message: expect.stringContaining('If it was paid: svc requests resolve --operation ID') as string,
    });
    expect(lineIn(other, 'If it was not paid')).toMatch(/^svc requests resolve --not-paid --live .* svcb2-/);
  });
});

describe('a key that the service calls used', () => {
  const REFUSED = { status: 400, body: { error: { code: 'field_invalid', message: 'x' } } };
  const USED = { status: 409, body: { error: { code: 'idempotency_key_reused', message: 'x' } } };

  it('after a refusal that the service remembers leads to the next try', async () => {
    expect((await pay([REFUSED], OTHER)).exitCode).toBe(6);
    idOf(await pay([USED, REFUSED, REFUSED, USED], LINE));
    const [first, used, again, ...probed] = keysSent();
    const [one, other] = probed;
    expect([used, again]).toEqual([first, first]);
    expect(one).toBe(other);
    expect(probed).toHaveLength(3);
    const bodies = here.shaky.posts.slice(3, 5).map(({ body }) => JSON.parse(String(body)) as object);
    expect(bodies).toMatchObject([{ amount: '0' }, { amount: '0' }]);
    expect(await paid()).toBe(1);
  });

  it('leads on by the word of a person, upon another 409', async () => {
    expectUsed(await pay([USED], LINE));
    expectUsed(await svc(LINE));
    expect(here.shaky.posts).toHaveLength(1);
    const line = lineIn(await svc(LINE), 'If it was not paid');
    const told = await paste(line.replace('--not-paid', '--not-paid --yes'));
    expect(told.json(), line).toMatchObject({ operation: null });
    idOf(await pay([USED], LINE));
    expect(new Set(keysSent()).size).toBe(2);
  });

  function expectUsed(result: Result): void {
    expect(result.failure(), result.stderr).toBe('13 key_used');
    expect(result.error()['next_command']).toBeNull();
  }
});

describe('a reference that a single create has paid', () => {
  it('is refused, and the payment that agrees is shown alone', async () => {
    const id = idOf(await svc(LINE));
    const again = await svc(LINE);
    expect(expectRefused(again, 'reference_paid')).toEqual({
      ...{ field: 'reference', code: 'reference_paid', operation_id: id, status: 'confirmed' },
      ...{ amount: '5.00', currency: 'VES', account: '4567', sent_by: 'single', batch: null, line: null },
      company: 'same',
      idempotency_key: keysSent()[0],
      at: expect.stringMatching(/^2026-09-23T15:0/) as string,
      agrees: true,
    });
    expect(again.error()).toMatchObject({ outcome: 'not_sent', next_command: `${GET} ${id}` });
    expect(again.error()['message']).not.toContain('--new-payment');
    expect(here.shaky.posts).toHaveLength(1);
  });

  it('is refused for another amount too, and the line that is printed pays once more, once', async () => {
    const id = idOf(await svc(LINE));
    const other = await svc(OTHER);
    expect(expectRefused(other, 'reference_paid')).toMatchObject({ operation_id: id, agrees: false });
    const line = lineIn(other, 'If you mean another payment');
    expect(line).toMatch(new RegExp(` --new-payment ${id}$`));
    const second = idOf(await paste(line));
    expect(expectRefused(await paste(line), 'reference_paid')).toMatchObject({ operation_id: second });
    here.lose();
    here.home.clock.advance(HOUR_MS);
    expect(expectRefused(await paste(line), 'reference_paid')).toMatchObject({ operation_id: second });
    expect(keysSent()[1]).toBe(ownKey(id));
    expect(await paid()).toBe(2);
  });

  it('says nothing of another payment while the one that differs is pending', async () => {
    const id = idOf(await svc([...debitOtp(), '--reference', REF]));
    const other = await svc([...debitOtp('12345678', '77.00'), '--reference', REF]);
    expect(expectRefused(other, 'reference_pending')).toMatchObject({ operation_id: id, agrees: false });
    expect(other.stderr).not.toContain('--new-payment');
    expect(other.error()['next_command']).toBe(`${GET} ${id}`);
  });

  it('is told of by --dry-run, which records and prints nothing', async () => {
    const dry = await svc([...LINE, '--dry-run']);
    const { headers } = dry.json() as { headers: Record<string, string> };
    const id = idOf(await svc(LINE));
    expect(keysSent()).toEqual([headers['idempotency-key']]);
    const refused = await svc([...LINE, '--dry-run']);
    expect(expectRefused(refused, 'reference_paid')).toMatchObject({ operation_id: id });
    expect((await svc('requests list')).json()).toEqual({ requests: [] });
  });

  it.each([
    ['svc api', ['api', 'POST', '/v2/payouts', '-f', `reference=${REF}`, '-f', 'amount=5.00']],
    ['a key of its own', [...LINE, '--idempotency-key', 'my-own-key']],
    ['another spelling', [...payout(), '--reference', ` ${REF.toUpperCase()} `]],
  ])('is refused by %s', async (_name, words) => {
    idOf(await svc(LINE));
    expectRefused(await svc(words), 'reference_paid');
    expect(here.shaky.posts).toHaveLength(1);
  });

  it('does not refuse its refund, nor a company beside it, and refuses another key of its company', async () => {
    idOf(await svc(LINE));
    expectRefused(await svc(LINE, { env: await here.otherKey() }), 'reference_paid');
    expect((await svc([...debitOtp(), '--reference', REF])).exitCode).toBe(0);
    const env = await here.otherKey('somebody-else');
    idOf(await svc(LINE, { env }));
    expectRefused(await svc(LINE, { env }), 'reference_paid');
    expectRefused(await svc(LINE), 'reference_paid');
  });
});

describe('a payment that is pending here', () => {
  const UNREAD = [...LINE, '--skip-feed-check', '--yes'];

  it.each([
    ['by the feed', LINE],
    ['by a read', UNREAD],
  ])('that has failed since, %s, refuses nothing, and the next try has the next key', async (_how, line) => {
    const id = String((await svc(PENDING)).json()['id']);
    const env = { ...(await here.otherKey()), ...here.machine('elsewhere') };
    expect((await svc(['payouts', 'cancel', id], { env })).exitCode).toBe(0);
    idOf(await svc(line));
    expect(new Set(keysSent()).size).toBe(2);
    expect(await paid()).toBe(1);
  });

  it.each<[string, string[], (id: string) => string[][]]>([
    ['cancel', [], (id) => [['payouts', 'cancel', id]]],
    ['get', [], (id) => [['payouts', 'get', id]]],
    ['get --wait', [], (id) => [['payouts', 'get', '--wait', id]]],
    ['the create that it refused', [], () => [UNREAD]],
    ['--wait of its own create', ['--wait'], () => []],
  ])('is noted as %s sees it: it is not read again', async (_name, how, seeing) => {
    const id = String((await svc([...PENDING, ...how])).json()['id']);
    for (const line of seeing(id)) await svc(line);
    const reads: string[] = [];
    const { transport } = here.shaky;
    const counted: typeof transport = (request, options) => {
      if (request.url.includes(id)) reads.push(request.url);
      return transport(request, options);
    };
    await svc(UNREAD, { transport: counted });
    expect(reads).toEqual([]);
  });
});

it('a create that was recorded blocks while it is under way', async () => {
  let seen: Result | null = null;
  here.shaky.onPost = async () => void (seen ??= await svc(OTHER));
  idOf(await svc(LINE));
  expectRefused(seen!, 'reference_open');
});

describe('a create whose outcome is not known', () => {
  it('is repeated, and not insisted over while it may be sent again', async () => {
    await pay(LOST, LINE);
    const [key = ''] = keysSent();
    for (const words of [OTHER, [...OTHER, '--new-payment', key]]) {
      const refused = await svc(words);
      const unknown = { idempotency_key: key, status: 'unknown' };
      expect(expectRefused(refused, 'reference_open')).toMatchObject(unknown);
      expect(refused.error()['next_command']).toContain(`-- ${key}`);
    }
    expect(await paid()).toBe(1);
  });

  it('is insisted over once it may not be sent again, if the feed does not tell that it paid', async () => {
    await pay(NOT_ARRIVED, LINE);
    const [key = ''] = keysSent();
    here.home.clock.advance(24 * HOUR_MS);
    const refused = await svc(OTHER);
    expectRefused(refused, 'reference_open');
    expect(refused.stderr).not.toContain('--new-payment');
    idOf(await svc([...OTHER, '--new-payment', key]));
    expect((await svc(['requests', 'repeat', key])).exitCode).toBe(13);
    expect(await paid()).toBe(1);
  });

  it('and that has paid after all is not: the payment is named', async () => {
    await pay(LOST, LINE);
    const [key = ''] = keysSent();
    here.home.clock.advance(24 * HOUR_MS);
    const found = expectRefused(await svc([...OTHER, '--new-payment', key]), 'reference_paid');
    expect(await paid()).toBe(1);
    expect((await svc('requests list')).json()).toEqual({ requests: [] });
    idOf(await svc([...OTHER, '--new-payment', String(found['operation_id'])]));
  });

  it('and that was forgotten may be insisted over', async () => {
    await pay(NOT_ARRIVED, LINE);
    const [key = ''] = keysSent();
    await svc(['requests', 'forget', '--yes', key]);
    const refused = await svc(OTHER);
    expect(refused.stderr).not.toContain('--new-payment');
    expect(refused.error()['message']).toMatch(/never known.*svc does not send it again/);
    expect((await paste(String(refused.error()['next_command']))).json()).toEqual({ operations: [] });
    idOf(await svc([...OTHER, '--new-payment', key]));
  });
});

describe('--new-payment', () => {
  it.each([
    ['is never bare', ['--new-payment']],
    ['and --new-since exclude each other', ['--new-payment', 'order-7', '--new-since', '2026-01-01']],
  ])('%s', async (_what, words) => expect((await svc([...LINE, ...words])).exitCode).toBe(2));

  it('of a key that nobody knows is refused, with the line without it', async () => {
    const refused = await svc([...LINE, '--new-payment', 'no-such-key']);
    expect(refused.failure()).toBe('13 new_payment_unknown');
    expect(refused.error()['outcome']).toBe('not_sent');
    const next = String(refused.error()['next_command']);
    expect(next).not.toContain('--new-payment');
    idOf(await paste(next));
  });

  it('of an operation that is not known here is held to the reference and the direction', async () => {
    const id = idOf(await svc(LINE));
    const other = idOf(await svc([...payout(), '--reference', 'another']));
    const payin = idOf(await svc([...debitOtp(), '--reference', REF]));
    here.lose();
    for (const wrong of [other, payin, 'b6a5c9d2-0000-4000-8000-000000000000'])
      expect((await svc([...LINE, '--new-payment', wrong])).error(), wrong).toMatchObject({
        exit_code: 2,
        next_command: expect.not.stringContaining('--new-payment') as string,
      });
    idOf(await svc([...LINE, '--new-payment', id.toUpperCase()]));
    expect(await paid()).toBe(2);
  });
});

describe('a key of its own that was used', () => {
  const OWN = [...LINE, '--idempotency-key', 'my-own-key'];

  it('says a day later that it was paid', async () => {
    const id = idOf(await svc(OWN));
    here.home.clock.advance(24 * HOUR_MS);
    const used = await svc(OWN);
    expect(used.error()).toMatchObject({
      ...{ exit_code: 13, code: 'key_used', next_command: expect.stringContaining(id) as string },
      details: [{ field: 'Idempotency-Key', code: 'key_used', operation_id: id, status: 'confirmed' }],
    });
    expect(used.error()['message']).toContain('it was paid');
  });

  it('with other data says how its payment ended', async () => {
    await svc([...FAILING, '--idempotency-key', 'my-own-key']);
    const used = await svc([...OWN]);
    expect(used.failure()).toBe('7 idempotency_key_reused');
    expect(used.error()['message']).toContain('it was not paid');
    idOf(await paste(used.error()['next_command']));
  });
});

describe('a create without a reference', () => {
  it('is refused for as long as an equal one is open, however its amount is written', async () => {
    await pay(NOT_ARRIVED, payout());
    here.home.clock.advance(48 * HOUR_MS);
    expectRefused(await svc(payout('12345678', '5')), 'reference_open');
    idOf(await svc([...payout(), '--metadata', 'run=7']));
    idOf(await svc([...payout(), '--idempotency-key', 'my-own-key']));
  });

  it('is asked about at a terminal where an equal one was paid just now; a script is not', async () => {
    const tty = { stdin: true, stderr: true };
    const asked = (...typed: string[]) => ({ tty, readLine: () => Promise.resolve(typed.shift() ?? '') });
    idOf(await svc(payout()));
    idOf(await svc(payout()));
    const no = await svc([...payout(), '--json'], asked('yes', 'n'));
    expect(no.exitCode, no.stderr).toBe(13);
    expect(no.stderr).toContain('An equal payment was made');
    expect(no.stderr).toMatch(/5[.]00 VES to the account ending in 4567/);
    const yes = await svc([...payout(), '--json'], asked('yes', 'y'));
    expect(yes.exitCode, yes.stderr).toBe(0);
    here.home.clock.advance(11 * 60_000);
    const later = await svc([...payout(), '--json'], asked('yes'));
    expect(later.stderr).not.toContain('An equal payment');
  });
});

it("a reference of a batch that may be another company's is told so, with the line that pays", async () => {
  await here.pay(people(2), 'june', '--first-here --confirm-total VES:202.00');
  rmSync(join(here.state, 'feed.db'));
  const env = { SVC_API_KEY: await keyOf(here.shaky, 'another', 'live') };
  const refused = await svc([...payout(), '--reference', person(0)['reference'] ?? ''], { env });
  expect(expectRefused(refused, 'reference_paid')).toMatchObject({ company: 'unknown', batch: 'june' });
  expect(refused.error()['message']).toContain('svc cannot tell whether your company or another one made');
  idOf(await paste(lineIn(refused, 'If you mean another payment'), { env }));
});
