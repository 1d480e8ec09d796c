import { describe, expect, it } from 'vitest';
import { LOST, NOT_ARRIVED, shop } from '../../support/open-request.js';
import { payout } from '../../support/requests.js';
import { keyOf, refusal, type Fate } from '../../support/shaky-sandbox.js';

const HOUR_MS = 3_600_000;
const ODD = ["invoice 20'48", '--all --live', '-rf "$HOME" ; `x`'];
const ALL = 'requests repeat --all';

const repeated = (stderr: string): string[] =>
  [...stderr.matchAll(/^Idempotency-Key: (.*)$/gm)].map(([, key = '']) => key);

async function shopWith(keys: readonly string[], fates = LOST) {
  const at = shop();
  for (const [index, key] of keys.entries()) {
    at.service.next(...fates);
    const create = [...payout('12345678', `${String(index + 1)}.00`), '--reference', `r-${String(index)}`];
    const lost = await at.svc([...create, `--idempotency-key=${key}`]);
    expect(lost.exitCode, lost.stderr).toBe(12);
    at.home.clock.advance(60_000);
  }
  return at;
}

it('is done where none is open', async () => {
  const { svc, service } = shop();
  expect(await svc(ALL)).toMatchObject({ exitCode: 0, stdout: '' });
  expect((await svc(ALL)).stderr).toContain('No request is open');
  expect(service.posts).toEqual([]);
});

it('repeats each with its own key, the oldest first, and prints each operation', async () => {
  const { svc, open, service } = await shopWith(ODD);
  const all = await svc(ALL);
  expect(all.exitCode, all.stderr).toBe(0);
  expect(repeated(all.stderr)).toEqual(ODD);
  const operations = all.stdout.trimEnd().split('\n');
  const amounts = operations.map((line) => (JSON.parse(line) as { amount: string }).amount);
  expect(amounts).toEqual(['1.00', '2.00', '3.00']);
  expect(await service.ledger()).toEqual({ 'r-0': 1, 'r-1': 1, 'r-2': 1 });
  expect(await open()).toEqual([]);
});

it('prints only what is asked for', async () => {
  const { svc } = await shopWith(ODD);
  expect((await svc(`${ALL} --jq .status`)).stdout).toBe('confirmed\n'.repeat(3));
});

it('is one key or --all, never both or neither', async () => {
  const { svc } = shop();
  for (const line of ['requests repeat', 'requests repeat KEY-00001 --all']) {
    expect(await svc(line)).toMatchObject({ exitCode: 2, stdout: '' });
  }
});

describe('what stays open decides the exit code', () => {
  const down = Array<Fate>(3).fill('refused');
  const later = Array<Fate>(3).fill(refusal(503, 'temporarily_unavailable'));
  const ends: readonly (readonly [name: string, fates: readonly Fate[], exitCode: number, open: number])[] = [
    ['one is unknown, one unavailable', [...later, ...LOST], 12, 2],
    ['one is unavailable, one unreachable', [...down, ...later], 10, 2],
    ['one is unreachable, one done', [...down], 11, 1],
    ['the key is not taken', [refusal(401, 'unauthorized')], 4, 2],
  ];

  it.each(ends)('%s', async (_name, fates, exitCode, left) => {
    const { svc, open, service } = await shopWith(ODD.slice(0, 2));
    service.next(...fates);
    const all = await svc(`${ALL} --sandbox`);
    expect(all.exitCode, all.stderr).toBe(exitCode);
    const next_command = 'svc requests repeat --all --sandbox';
    expect(all.error()).toMatchObject({ outcome: 'unknown', next_command });
    expect(await open()).toHaveLength(left);
    service.next();
    expect((await svc(ALL)).exitCode).toBe(0);
    expect(await service.ledger()).toEqual({ 'r-0': 1, 'r-1': 1 });
  });

  it('one is too old: it is named and passed over, and the others are repeated', async () => {
    const { svc, open, home, service, pay } = await shopWith(['old-invoice-1'], NOT_ARRIVED);
    home.clock.advance(24 * HOUR_MS);
    await pay('new-invoice-2', LOST);
    service.next();
    const all = await svc(ALL);
    expect([all.exitCode, all.error()['next_command']]).toEqual([13, 'svc requests list']);
    expect(all.stderr).toMatch(/^Request old-invoice-1: .*After 23 hours/m);
    expect(repeated(all.stderr)).toEqual(['new-invoice-2']);
    expect(await open()).toMatchObject([{ idempotency_key: 'old-invoice-1' }]);
  });

  it('one belongs to another company: 13, as alone', async () => {
    const { svc, service } = await shopWith(['invoice-2048']);
    const all = await svc(ALL, { env: { SVC_API_KEY: await keyOf(service, 'acme', 'sandbox') } });
    expect(all.exitCode, all.stderr).toBe(13);
    expect(all.stderr).toMatch(/^Request invoice-2048: /m);
    expect(service.posts).toHaveLength(3);
  });

  it('an operation that failed is known: nothing stays open', async () => {
    const { svc, service, open } = shop();
    service.next(...LOST);
    await svc([...payout('00000001'), '--idempotency-key', 'invoice-2048']);
    const all = await svc(ALL);
    expect([all.exitCode, all.json()['status']]).toEqual([0, 'failed']);
    expect(all.stderr).toMatch(/^Request invoice-2048: /m);
    expect(await open()).toEqual([]);
  });
});
