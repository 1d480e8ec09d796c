/** Creates and batches while the service has no catalog to give: what the contract alone knows is held, and the rest is left to the service. */
import { describe, expect, it } from 'vitest';
import { NotAnswered, type Transport } from '../../../src/runtime/transport.js';
import { batchHome } from '../../support/batch-home.js';
import { COLUMNS, csv, fileIn, ndjson, people, person, type Cells } from '../../support/payroll.js';
import { incomingTransfer, payout } from '../../support/requests.js';
import type { Result } from '../../support/svc.js';

const here = batchHome(people(3));

const answers = (status: number, text: string): Transport => {
  const headers = [['content-type', 'application/json'] as const];
  return () => Promise.resolve({ status, headers, body: Buffer.from(text) });
};
const envelope = (code: string): string => JSON.stringify({ error: { code, message: 'Said so.' } });
const AWAY: readonly (readonly [string, Transport])[] = [
  ['unavailable', answers(503, envelope('temporarily_unavailable'))],
  ['too busy', answers(429, '')],
  ['not there', answers(404, envelope('route_not_found'))],
  ['a page', answers(200, '<html>')],
  ['of another form', answers(200, '{"countries":7}')],
  ['a redirect', answers(302, '')],
  ['a gateway error', answers(502, '<html>')],
  ['cut off', () => Promise.reject(new NotAnswered('reset', true, 'the connection was cut'))],
];
const [[, BUSY]] = AWAY as [[string, Transport]];

const without = (line: string | readonly string[], catalog = BUSY, away = '/v2/capabilities') => {
  const lineOf = (url: string) => (new URL(url).pathname.endsWith(away) ? catalog : here.shaky.transport);
  return here.svc(line, { transport: (request, how) => lineOf(request.url)(request, how) });
};

/** The line with another value behind a flag. */
const changed = (line: readonly string[], flag: string, value: string): string[] =>
  line.map((word, at) => (line[at - 1] === flag ? value : word));
const data = (body: object, of = payout()): string[] => [...of, '--data', JSON.stringify(body)];

describe('a single create', () => {
  it.each<[string, readonly string[], string]>([
    ['a comma', changed(payout(), '--amount', '10,00'), 'amount "10,00" is not valid. Use dig'],
    ['an unknown member', data({ refrence: 'a' }), 'Unknown field: refrence. Known fields: amount, country'],
    ['too many hours', [...incomingTransfer(), '--expires-in-hours', '73'], 'a whole number from 1 to 72'],
    ['no amount', payout().flatMap((word) => (/amount|5.00/.test(word) ? [] : [word])), 'amount is missing'],
  ])('is refused with %s', async (_what, line, text) => {
    for (const more of [[], ['--dry-run'], ['--idempotency-key', 'invoice-2048']]) {
      const refused = await without([...line, ...more]);
      expect([refused.exitCode, refused.stdout], refused.stderr).toEqual([2, '']);
      expect(refused.error()).toMatchObject({ outcome: 'not_sent' });
      expect(refused.error()['message']).toContain(text);
      expect(refused.stderr).not.toMatch(/catalog/);
    }
    expect(here.shaky.posts).toEqual([]);
  });

  it.each(AWAY)('goes with a note, and unchecked, where the catalog is %s', async (_what, catalog) => {
    const sent = await without(payout(), catalog);
    expect(sent.exitCode, sent.stderr).toBe(0);
    expect(sent.stderr).toMatch(/could not read the catalog: the request was sent unchecked/);
    const odd = [...payout('no document'), '--beneficiary', 'phone=0412'];
    expect(await without(odd, catalog)).toMatchObject({ exitCode: 6 });
    expect(await without([...odd, '--dry-run'], catalog)).toMatchObject({ exitCode: 0 });
    expect(here.shaky.posts).toHaveLength(2);
  });

  it('says that it was sent only where it was', async () => {
    const line = [...payout(), '--reference', 'rent-7', '--as-live'];
    const shown = await without([...line, '--dry-run']);
    expect([shown.exitCode, here.shaky.posts]).toEqual([0, []]);
    expect(shown.stderr).toMatch(/could not read the catalog: the request is unchecked/);
    here.shaky.next('refused', 'refused', 'refused');
    const unreached = await without(line);
    expect(unreached.exitCode).toBe(11);
    expect((await without(line)).exitCode).toBe(0);
    const paid = await without(line);
    expect(paid.exitCode).toBe(13);
    for (const { stderr } of [shown, unreached, paid]) expect(stderr).not.toMatch(/sent unchecked|sends/);
  });
});

const write = (content: string): string => fileIn(here.home.home, 'pay.csv', content);
const change = (at: number, cells: Cells): Cells[] =>
  people(3).map((row, index) => (index === at ? { ...row, ...cells } : row));

describe('a batch', () => {
  const expectAway = (result: Result): void => {
    expect([result.exitCode, result.stdout], result.stderr).toEqual([10, '']);
    expect(result.error()).toMatchObject({ outcome: 'not_sent', retryable: true });
    expect(here.shaky.posts).toEqual([]);
  };

  it.each(AWAY)('ends with 10 where the catalog is %s, and goes on by its line', async (_what, catalog) => {
    const line = `payouts batch ${here.file}`;
    expectAway(await without(`${line} --dry-run`, catalog));
    expectAway(await without(`${line} --plan ${here.home.home}/a.plan`, catalog));
    const away = await without(line, catalog);
    expectAway(away);
    expect((await here.svc('batches list')).json()).toEqual({ batches: [] });
    const done = await here.paste(away.error()['next_command']);
    expect([done.exitCode, done.json()['confirmed']]).toEqual([0, 3]);
  });

  it('ends with 10 without banks too', async () => {
    const line = `payouts batch ${here.file}`;
    for (const banks of [BUSY, answers(200, '{"banks":7}')])
      expectAway(await without(line, banks, '/v2/banks'));
  });

  const body = ndjson([person(1)]);
  it.each<[string, string, RegExp]>([
    ['an amount with a comma', csv(change(1, { amount: '10,00' })), /line 3: amount: 10,00 has a comma/],
    ['a country in words', csv(change(2, { country: 'Chile' })), /line 4: country: "Chile" is not valid/],
    ['a reference twice', csv(change(2, { reference: 'EMP-0000' })), /4: Duplicate of line 2: "EMP-0000"/],
    ['a number', body.replace('"101.50"', '101.50'), /line 1: amount:/],
    ['a number of a party', body.replace('"V"', '1'), /line 1: beneficiary.document.type: is not valid/],
    ['an unknown member', body.replace('{', '{"refrence":"a",'), /line 1: Unknown field: refrence/],
  ])('is 14 before that with %s', async (_what, content, text) => {
    write(content);
    const wrong = await without(`payouts batch ${here.file}`);
    expect([wrong.exitCode, wrong.stdout], wrong.stderr).toEqual([14, '']);
    expect(wrong.error()['message']).toMatch(text);
    expect(here.shaky.posts).toEqual([]);
  });
  const plain = csv(people(3));
  const placeless = COLUMNS.filter((name) => !['country', 'currency'].includes(name));
  const map = '--map reference=reference,amount=amount,beneficiary.phone=beneficiary.name';
  it.each<[string, string, string]>([
    ['a column that the catalog may declare', plain.replace('beneficiary.name', 'beneficiary.phone'), ''],
    ['no country and no currency', csv(people(3), placeless), ''],
    ['values that it would refuse', csv(change(0, { 'beneficiary.bank_code': 'x', method: 'pigeon' })), ''],
    ['columns that have to be guessed', plain.replaceAll(',', ';').replace('101.50', '10,00'), ''],
    ['a map of what the catalog may declare', plain, map],
  ])('is not judged by %s', async (_what, content, more) => {
    write(content);
    expectAway(await without(`payouts batch ${here.file} ${more}`.trim()));
  });
});
