import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/runtime/failure.js';
import { Stopped } from '../../../src/runtime/ports.js';
import { KEY, LOST, shop, type Shop } from '../../support/open-request.js';
import { PAYOUT_BODY, payout } from '../../support/requests.js';

const WHY = 'Standard output could not be written to the disk. The disk reports an error.';
const lost = new Failure('local_state', WHY);
const fails = { sync: () => Promise.reject(lost) };

function watched({ open }: Shop) {
  const seen: number[] = [];
  return { seen, sync: async () => void seen.push((await open()).length) };
}

const LINES: readonly (readonly [name: string, line: readonly string[]])[] = [
  ['payouts create', [...payout(), '--idempotency-key', KEY]],
  ['payouts create --wait', [...payout(), '--idempotency-key', KEY, '--wait']],
  ['payouts create that fails', [...payout('00000001'), '--idempotency-key', KEY]],
  ['api', ['api', 'POST', '/v2/payouts', '--data', PAYOUT_BODY, '--idempotency-key', KEY]],
];

describe.each(LINES)('%s', (_name, line) => {
  it('is synced once, before its request is settled', async () => {
    const at = shop();
    const { seen, sync } = watched(at);
    const { stdout } = await at.svc(line, { sync });
    expect(stdout).toContain('"status":');
    expect(seen).toEqual([1]);
    expect(await at.open()).toEqual([]);
  });

  it('ends with 16 where it can not be synced, and what was paid is seen again with its key', async () => {
    const { svc, open, service } = shop();
    const paid = await svc(line, fails);
    const next = `svc requests repeat -- ${KEY}`;
    const said = { outcome: 'sent', idempotency_key: KEY, next_command: next };
    expect(paid.error()).toMatchObject({ exit_code: 16, ...said });
    expect(paid.stderr).toContain(WHY.slice('Standard output '.length));
    expect(await open()).toMatchObject([{ idempotency_key: KEY }]);
    expect((await svc(`requests repeat ${KEY}`)).stdout).toContain('"status":');
    expect(await open()).toEqual([]);
    expect(service.posts).toHaveLength(2);
    expect(Object.values(await service.ledger())).toEqual([1]);
  });
});

it('what is answered with no operation needs no sync', async () => {
  const at = shop();
  const { seen, sync } = watched(at);
  expect((await at.pay(KEY, [], { sync }, '--country', 'XX')).stdout).toBe('');
  expect((await at.svc(`payouts get 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f`, { sync })).exitCode).toBe(5);
  expect((await at.svc('balances', { sync })).exitCode).toBe(0);
  expect(seen).toEqual([]);
});

it('a signal is what the command ends with all the same, and the request stays open', async () => {
  const { svc, open } = shop();
  const controller = new AbortController();
  const onData = (): void => controller.abort(new Stopped('SIGTERM', 143));
  const end = await svc(LINES[0]![1], { ...fails, onData, signal: controller.signal });
  expect([end.exitCode, end.error()['outcome']]).toEqual([143, 'sent']);
  expect(await open()).toHaveLength(1);
});

describe('requests repeat', () => {
  it('is synced before its request is settled, and with --all before each', async () => {
    const at = shop();
    for (const key of ['key-0001', 'key-0002', 'key-0003']) await at.pay(key, LOST);
    const { seen, sync } = watched(at);
    expect((await at.svc('requests repeat key-0001', { sync })).exitCode).toBe(0);
    expect((await at.svc('requests repeat --all', { sync })).exitCode).toBe(0);
    expect(seen).toEqual([3, 2, 1]);
    expect(await at.open()).toEqual([]);
  });

  it.each(['key-0001', '--all'])('%s is 16 where the first is not synced, and leaves all', async (which) => {
    const { svc, open, pay, service } = shop();
    for (const key of ['key-0001', 'key-0002']) await pay(key, LOST);
    const again = await svc(`requests repeat ${which}`, fails);
    const next = 'svc requests repeat -- key-0001';
    expect(again.error()).toMatchObject({ exit_code: 16, next_command: next });
    expect(await open()).toHaveLength(2);
    expect((await svc('requests repeat --all')).exitCode).toBe(0);
    expect(await open()).toEqual([]);
    expect(await service.ledger()).toEqual({ 'key-0001': 1, 'key-0002': 1 });
  });
});
