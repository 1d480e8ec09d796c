import { describe, expect, it } from 'vitest';
import { batchHome } from '../../support/batch-home.js';
import { people, person } from '../../support/payroll.js';
import { debitOtp, payout } from '../../support/requests.js';
import { LOST, ADDRESS, liveKey } from '../../support/shaky-sandbox.js';
import { shop } from '../../support/open-request.js';
import type { Result } from '../../support/svc.js';

const LINE = [...payout(), '--reference', 'test-1'];
const NOTE = /In live, svc refuses it \(reference_(paid|pending)\)/g;

const notesIn = ({ stderr }: Result): number => [...stderr.matchAll(NOTE)].length;

describe('in the sandbox', () => {
  it('one reference is paid in a loop, with one note that names the newest payment', async () => {
    const { svc, service } = shop();
    const ids: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const paid = await svc(LINE);
      expect(paid.exitCode, paid.stderr).toBe(0);
      expect(notesIn(paid)).toBe(at === 0 ? 0 : 1);
      if (at > 0) expect(paid.stderr).toContain(`Operation ${ids.at(-1) ?? ''}`);
      ids.push(String(paid.json()['id']));
    }
    expect(new Set(ids).size).toBe(4);
    const keys = service.posts.map(({ headers }) => headers['idempotency-key']);
    expect(keys.every((key) => /^[0-9a-f]{32}$/.test(key ?? ''))).toBe(true);
    expect((await svc([...LINE, '--quiet'])).stderr).not.toMatch(NOTE);
  });

  it('a pay-in that waits for its payer is made again too', async () => {
    const { svc } = shop();
    const line = [...debitOtp(), '--reference', 'order-1'];
    expect((await svc(line)).json()).toMatchObject({ status: 'pending' });
    const again = await svc(line);
    expect(again.json()).toMatchObject({ status: 'pending' });
    expect(again.stderr).toContain('In live, svc refuses it (reference_pending)');
  });

  it('svc payins create and svc payouts create refuse it as live with --as-live', async () => {
    const { svc, service } = shop();
    const id = (await svc([...LINE, '--as-live'])).json()['id'];
    const refused = await svc([...LINE, '--as-live']);
    expect(refused.error()).toMatchObject({ exit_code: 13, code: 'reference_paid', outcome: 'not_sent' });
    expect(refused.error()['details']).toMatchObject([{ operation_id: id }]);
    expect((await svc([...LINE, '--as-live', '--dry-run'])).failure()).toBe('13 reference_paid');
    expect((await svc(LINE)).exitCode).toBe(0);
    const payin = [...debitOtp(), '--reference', 'order-2', '--as-live'];
    expect((await svc(payin)).exitCode).toBe(0);
    expect((await svc(payin)).failure()).toBe('13 reference_pending');
    expect(service.posts[0]?.headers['idempotency-key']).toMatch(/^svcb2-/);
  });

  it('a time that this machine has not reached is past where the clock of the sandbox has passed it', async () => {
    const { home } = shop();
    const day = (days: number): string => new Date(home.clock.now() + days * 86_400_000).toISOString();
    const pay = (...words: string[]) => home.svc([...LINE, '--as-live', ...words]);
    expect((await pay()).exitCode).toBe(0);
    await home.svc('sandbox clock advance 3d');
    expect((await pay('--new-since', day(2))).exitCode).toBe(0);
    expect((await pay('--new-since', day(9))).error()).toMatchObject({ exit_code: 2 });
  });
});

describe('beside a batch of the sandbox', () => {
  const here = batchHome(people(2));

  it.each([
    ['04121234567', true],
    ['04140000000', false],
  ])('what it has paid to %s is said to be the same payment: %s', async (account, agrees) => {
    await here.pay([person(0, { amount: '5.00', 'beneficiary.account_number': account })], 'b');
    const refused = await here.svc([...payout(), '--reference', person(0)['reference'] ?? '', '--as-live']);
    expect(refused.error()['details']).toMatchObject([{ agrees, sent_by: 'batch', batch: 'b', line: 2 }]);
  });
});

it('references that are labels are paid as often as they are typed, each with a key of its own; what is open comes first', async () => {
  const { home, svc, service } = shop();
  const add = `profiles add shop --base-url ${ADDRESS} --references labels --insecure-loopback --insecure-storage --key-stdin`;
  const added = await home.svc(add, { stdin: await liveKey(service) });
  expect(added.json(), added.stderr).toMatchObject({ references: 'labels' });
  expect((await home.svc('profiles show shop')).json()).toMatchObject({ references: 'labels' });
  const env = { SVC_API_KEY: undefined, SVC_BASE_URL: undefined } as unknown as Record<string, string>;
  const live = (): Promise<Result> => svc([...LINE, '--live', '--profile', 'shop'], { env });
  for (let at = 0; at < 3; at += 1) {
    const paid = await live();
    expect(paid.exitCode, paid.stderr).toBe(0);
    expect(paid.stderr).not.toMatch(NOTE);
  }
  expect(new Set(service.posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(3);
  service.next(...LOST);
  await live();
  expect((await live()).failure()).toBe('13 reference_open');
});
