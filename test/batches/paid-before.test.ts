import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { altered } from '../support/altered.js';
import { FAILING, PENDING, bodyOf, people, person } from '../support/payroll.js';
import { batchHome } from '../support/batch-home.js';
import { payout } from '../support/requests.js';
import { NOT_ARRIVED, ADDRESS, refusal } from '../support/shaky-sandbox.js';
import type { Result } from '../support/svc.js';

const REJECTED = refusal(400, 'field_invalid');
const DENIED = refusal(401, 'unauthorized');
const here = batchHome();
const { svc, begin, pay } = here;
const single = (reference: string, key = `key-of-${reference}`, ...words: string[]) =>
  svc([...payout('20000000', '100.50'), '--reference', reference, '--idempotency-key', key, ...words]);
const messageOf = (result: Result): string => String(result.error()['message']);
const anotherIn = (result: Result) =>
  /^If you mean another payment: (svc .*)$/m.exec(messageOf(result))?.[1] ?? '';
const elsewhere = async (changes: Parameters<typeof person>[1]): Promise<void> => {
  const body = Buffer.from(JSON.stringify(bodyOf(person(1, changes))));
  const { SVC_API_KEY: key = '' } = here.shaky.env;
  const headers = { authorization: `Bearer ${key}`, 'idempotency-key': 'of-somebody-else' };
  const url = `${ADDRESS}/sandbox/v2/payouts`;
  await here.shaky.transport({ method: 'POST', url, headers, body }, { timeoutMs: 1000 });
};
const expectRefused = (result: Result): void => {
  expect(result, result.stderr).toMatchObject({ exitCode: 13, stdout: '' });
  expect(result.error()).toMatchObject({ code: 'references_paid', outcome: 'not_sent' });
};

describe('a store that was lost, and another name', () => {
  it('is refused, and the printed line pays only the others', async () => {
    await begin();
    here.lose();
    here.home.clock.advance(2 * 3_600_000);
    const refused = await pay([...people(4), person(7)], 'renamed');
    expectRefused(refused);
    expect(messageOf(refused)).toContain('4 rows of this batch were paid already');
    const last = /The last one was paid 2026-09-23T15:0.* [(]2 hours ago[)][.] To pay only the others: svc /;
    expect(messageOf(refused)).toMatch(last);
    expect(messageOf(refused)).toContain('To empty the sandbox: svc sandbox reset');
    expect(messageOf(refused)).not.toMatch(/--batch (?!renamed)|another name/);
    const { next_command: next } = refused.error();
    expect(String(next)).toMatch(/--batch renamed .* --skip-paid$/);
    const skipped = await here.paste(next);
    expect(skipped.exitCode, skipped.stderr).toBe(0);
    expect(skipped.json()).toMatchObject({ confirmed: 1, earlier: 4, not_sent: 0 });
    expect(here.shaky.posts).toHaveLength(5);
    expect((await here.rows('renamed'))['emp-0002']).toMatchObject({
      ...{ state: 'earlier', code: 'skipped_as_paid' },
      operation_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      operation_created_at: expect.stringMatching(/^2026-09-23T15:00/) as string,
    });
  });

  it('is refused for a payment from elsewhere whose reference looks the same', async () => {
    await elsewhere({ reference: 'emp-\u200b0001' });
    const refused = await pay([person(1)], 'mine');
    expectRefused(refused);
    expect(here.shaky.posts).toHaveLength(1);
  });

  it.each([1, 31 * 24])('is refused after %i hours; to pay again is text, and pays once', async (hours) => {
    await begin();
    here.lose();
    here.home.clock.advance(hours * 3_600_000);
    const refused = await pay(people(4), 'october');
    expectRefused(refused);
    expect(String(refused.error()['next_command'])).toMatch(/--batch october .* --skip-paid$/);
    const another = anotherIn(refused);
    expect(another).toMatch(/ --new-since 2026-09-23T15:00:\d\dZ$/);
    expect((await here.paste(another)).json()).toMatchObject({ confirmed: 4, earlier: 0 });
    for (const lose of [false, true]) {
      if (lose) here.lose();
      expect((await here.paste(another)).error()).toMatchObject({ exit_code: 13 });
    }
    expect(Object.values(await here.shaky.ledger())).toEqual([2, 2, 2, 2]);
  });

  const ODD = ["O'Hara 1", 'a $HOME `id` "b"', '-x', 'é\u00a0ñ; ls', 'a#b\\c'];
  it.each(ODD)('of %j lists what was paid under it, as a shell reads the line', async (reference) => {
    await pay([person(0, { reference })], 'first');
    const refused = await pay([person(0, { reference, amount: '999.00' })], 'second');
    expectRefused(refused);
    const { next_command: next } = refused.error();
    expect(String(next)).toMatch(/^svc operations list --reference/);
    const { operations } = (await here.paste(`${String(next)} --json`)).json() as { operations: object[] };
    expect(operations).toMatchObject([{ reference, amount: '100.50', status: 'confirmed' }]);
  });
});

describe('the same reference', () => {
  it('with another amount is refused, and no flag skips it', async () => {
    await begin();
    here.home.clock.advance(1000);
    const edited = [person(0, { amount: '999.00' }), person(7)];
    for (const words of ['', '--skip-paid']) {
      const refused = await pay(edited, 'edited', words);
      expectRefused(refused);
      expect(messageOf(refused)).toMatch(/line 2: emp-0000: .* 100.50 VES/);
      expect(messageOf(refused)).toContain(
        '1 row cannot be skipped: another amount was paid, or it was paid more than once, or perhaps by another company',
      );
      expect(refused.error()['next_command']).toBe('svc operations list --reference emp-0000');
      expect(anotherIn(refused) === '').toBe(words === '--skip-paid');
    }
    expect(here.shaky.posts).toHaveLength(4);
  });

  it.each([
    ['retry pay --failed', REJECTED, 'failed,rejected'],
    ['retry pay --skip-paid', REJECTED, 'failed,rejected'],
    ['resume pay', DENIED, 'not_sent'],
    ['resume pay --skip-paid', DENIED, 'not_sent'],
  ])('with another amount stops "batches %s", and leads to a file of the rest', async (verb, fate, left) => {
    await begin(...Array.from({ length: 40 }, () => fate));
    here.shaky.next();
    await elsewhere({ amount: '999.00' });
    const refused = await svc(`batches ${verb} --json`);
    expectRefused(refused);
    expect(messageOf(refused)).not.toContain('from the file');
    const { next_command: next } = refused.error();
    expect(next).toBe(`svc batches export --state ${left} pay`);
    expect(messageOf(refused)).toContain(`To list what is not paid: ${String(next)}\n`);
    expect(((await here.paste(`${String(next)} --json`)).json() as { rows: object[] }).rows).toHaveLength(4);
    const said = /^Then take out of this batch what never left: (svc .*)$/m;
    const drop = said.exec(messageOf(refused))?.[1];
    expect(drop).toBe(left === 'not_sent' ? 'svc batches drop pay' : undefined);
    if (drop !== undefined) expect((await here.paste(drop)).exitCode).toBe(0);
    expect((await pay([person(0), person(2), person(3)], 'rest')).json()).toMatchObject({ confirmed: 3 });
  });

  it('is found by upper case and back, in the events as in the store', async () => {
    await pay([person(0, { reference: 'Straße \u2013 1' }), person(1, { reference: 'Straße 2' })], 'first');
    const other = [person(0, { reference: 'STRASSE-1' }), person(1, { reference: 'STRASSE 2' })];
    expectRefused(await pay(other, 'second'));
    here.lose();
    expectRefused(await pay(other, 'third'));
    expect((await pay(other, 'third', '--skip-paid')).json()).toMatchObject({ earlier: 2, confirmed: 0 });
    const another = await pay([person(2, { reference: 'STRASSE 1' })], 'fourth');
    expect(another.json()).toMatchObject({ confirmed: 1 });
  });

  it('of a single create is refused, whether that is settled or open', async () => {
    expect((await single('emp-0000')).exitCode).toBe(0);
    here.shaky.next(...NOT_ARRIVED);
    expect((await single('emp-0001')).exitCode).toBe(12);
    const posts = here.shaky.posts.length;
    const paid = await pay([person(0), person(7)], 'one');
    expectRefused(paid);
    const open = await pay([person(1), person(7)], 'two', '--skip-paid');
    expectRefused(open);
    expect(open.error()).toMatchObject({ next_command: 'svc requests repeat -- key-of-emp-0001' });
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await here.paste(open.error()['next_command'])).exitCode).toBe(0);
    const skipped = await pay([person(0), person(7)], 'one', '--skip-paid');
    expect(skipped.json()).toMatchObject({ confirmed: 1, earlier: 1 });
  });

  it('of a single create that was forgotten is refused, with what can still be done: nothing is left to repeat', async () => {
    here.shaky.next(...NOT_ARRIVED);
    expect((await single('emp-0000', 'key-lost')).exitCode).toBe(12);
    expect((await svc('requests forget key-lost --yes')).exitCode).toBe(0);
    const refused = await pay([person(0), person(7)], 'one');
    expectRefused(refused);
    expect(refused.error()['next_command']).toBe('svc operations list --reference emp-0000');
    expect(messageOf(refused)).not.toMatch(/requests repeat|--new-payment/);
    expect(messageOf(refused)).toMatch(
      /request key-lost cannot be repeated.*record the outcome: svc requests resolve --operation ID .*-- key-lost, or --not-paid/s,
    );
    expect(messageOf(refused)).not.toContain('\\n');
    expect((await pay([person(7)], 'one')).json()).toMatchObject({ confirmed: 1 });
    expect((await single('emp-0000', 'key-anew', '--new-payment', 'key-lost')).exitCode).toBe(0);
  });
});

describe('--new-since', () => {
  it('in the future is a mistake of the line: 2, told by the service’s time', async () => {
    const ahead = await pay(people(1), 'x', '--new-since 2026-09-23T15:01:00Z');
    expect(ahead).toMatchObject({ exitCode: 2 });
    expect(ahead.stderr).toContain('future');
    expect(here.shaky.posts).toEqual([]);
  });

  it.each<[string, number, string, string]>([
    ['midnight here', 330, '2026-10-27T19:30:00Z', '2026-10-27T18:30:00Z'],
    ['midnight UTC', -240, '2026-10-28T01:00:00Z', '2026-10-28T00:00:00Z'],
  ])('of a date is the earlier midnight: paid behind %s is of now', async (which, offset, paidAt, since) => {
    const zone = { offsetMinutes: () => offset };
    here.home.clock.advance(Date.parse(paidAt) - here.home.clock.now());
    await pay(people(1), 'october');
    here.home.clock.advance(12 * 3_600_000);
    expectRefused(await pay(people(1), 'again', '--new-since 2026-10-28', { zone }));
    expect(here.shaky.posts).toHaveLength(1);
    const plan = await pay([person(7)], 'more', '--new-since 2026-10-28 --dry-run', { zone });
    expect(plan.json()).toMatchObject({ dry_run: true, new_since: since });
    expect(plan.stderr).toContain(`--new-since 2026-10-28 is ${since}, ${which}`);
    const sent = await pay([person(7)], 'more', '--new-since 2026-10-28 --quiet', { zone });
    expect(sent.json(), sent.stderr).toMatchObject({ confirmed: 1, new_since: since });
    expect(sent.stderr).toBe('');
    const shown = await svc('batches status more --no-color', { zone, tty: { stdout: true } });
    expect(shown.stdout).toMatch(/New since +.*2026-10-2\d \d\d:\d0:00[+-]0\d\d0/);
    expect((await svc('batches status october --json')).json()).not.toHaveProperty('new_since');
  });
});

it('a mirror that was lost makes no pending payment somebody else’s: this key sees them, so they can be left out under another name', async () => {
  const slow = person(1, PENDING);
  await pay([person(0), slow], 'first');
  rmSync(join(here.state, 'feed.db'));
  const refused = await pay([person(0), slow, person(2)], 'second');
  expectRefused(refused);
  expect(messageOf(refused)).not.toContain('cannot be skipped');
  const { next_command: next } = refused.error();
  expect(String(next)).toMatch(/--batch second .* --skip-paid$/);
  const skipped = (await here.paste(next)).json();
  expect(skipped).toMatchObject({ confirmed: 1, earlier: 1, pending: 1 });
  expect(skipped['pending_reasons']).toEqual({ skipped_pending: 1 });
  expect(await here.shaky.ledger()).toMatchObject({ 'emp-0000': 1, 'emp-0002': 1 });
  expect(here.shaky.posts).toHaveLength(3);
});

it('is skipped where the service writes its ids in capitals', async () => {
  const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const transport = altered(here.shaky.transport, /./, (body) =>
    Buffer.from(body.toString('utf8').replace(UUID, (id) => id.toUpperCase())),
  );
  const rows = [person(0), person(1, PENDING), person(2, FAILING)];
  const made = await pay(rows, 'pay', '--wait', { transport });
  expect(made.json()).toMatchObject({ confirmed: 2, failed: 1 });
  const again = await pay(rows, 'again', '--skip-paid', { transport });
  expect(again.json(), again.stderr).toMatchObject({ earlier: 2, failed: 1 });
});

it('finds each of 600 references in another spelling: more than the planner reads at once', async () => {
  const rowsOf = (reference: (at: number) => string) => people(600, (at) => ({ reference: reference(at) }));
  const first = rowsOf((at) => `emp ${at} - x`);
  expect((await pay(first, 'first')).json()).toMatchObject({ confirmed: 600 });
  rmSync(join(here.state, 'batches.db'));
  const others = rowsOf((at) => `\uff25\uff2d\uff30\u3000${at} \ufe63 \uff38`);
  expectRefused(await pay(others, 'others'));
  expect((await pay(others, 'others', '--skip-paid')).json()).toMatchObject({ earlier: 600 });
  expect(here.shaky.posts).toHaveLength(600);
}, 60_000);
