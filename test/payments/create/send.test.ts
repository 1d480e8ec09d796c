import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../../src/runtime/failure.js';
import { Stopped } from '../../../src/runtime/ports.js';
import { KEY, LOST, NOT_ARRIVED, shop, type Shop } from '../../support/open-request.js';
import { payout, PAYOUT_BODY } from '../../support/requests.js';
import { refusal, type Fate } from '../../support/shaky-sandbox.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const SENT = { outcome: 'sent', idempotency_key: KEY, next_command: `svc requests repeat -- ${KEY}` };
const journalOf = ({ home }: Shop): string => join(home.ports.paths.state, 'requests.db');

describe('before a create leaves', () => {
  it('its key is on standard error and its bytes are in the file, where another process reads them', async () => {
    const world = shop();
    const said: string[] = [];
    const seen: unknown[] = [];
    world.service.onPost = ({ body, headers }) => {
      const database = new DatabaseSync(journalOf(world), { readOnly: true });
      const rows = database.prepare('SELECT idempotency_key, body, address FROM requests').all();
      database.close();
      seen.push({ rows, body, key: headers['idempotency-key'], said: said.join('') });
    };
    await world.pay(KEY, [], { onNote: (text) => said.push(text) });
    const [{ rows, body, said: text }] = seen as [{ rows: unknown; body: Uint8Array; said: string }];
    expect(text.endsWith(`Idempotency-Key: ${KEY}\n`)).toBe(true);
    expect(rows).toEqual([
      { idempotency_key: KEY, body: new Uint8Array(body), address: 'http://localhost:4010/sandbox' },
    ]);
  });

  it('a key of its own is 32 hexadecimal characters, another each time', async () => {
    const { svc } = shop();
    const made = [await svc(payout()), await svc(payout())];
    const keys = made.map(({ stderr }) => /^Idempotency-Key: ([0-9a-f]{32})$/m.exec(stderr)?.[1]);
    expect(new Set(keys).size).toBe(2);
    expect(keys).not.toContain(undefined);
  });

  it.each([
    ['is damaged', (file: string) => writeFileSync(file, 'no database at all'.repeat(100))],
    ['is of a newer version', (file: string) => changed(file, 'PRAGMA user_version = 9')],
    ['stands in no folder', (file: string) => writeFileSync(join(file, '..'), '')],
  ])('a journal that %s is 16, and nothing is sent', async (_name, spoil) => {
    const world = shop();
    rmSync(world.home.ports.paths.state, { recursive: true, force: true });
    const isFolder = _name !== 'stands in no folder';
    mkdirSync(join(journalOf(world), isFolder ? '..' : '../..'), { recursive: true });
    spoil(journalOf(world));
    const paid = await world.pay(KEY);
    expect([paid.exitCode, paid.stdout]).toEqual([16, '']);
    expect(paid.error()).toMatchObject({ outcome: 'not_sent' });
    expect(world.service.posts).toEqual([]);
    for (const words of ['list', `repeat ${KEY}`, `show ${KEY}`, 'forget --all --yes'])
      expect((await world.svc(`requests ${words}`)).exitCode).toBe(16);
  });

  it('others lose their rights to a journal that they could read', async () => {
    const world = shop();
    await world.pay(KEY);
    chmodSync(journalOf(world), 0o644);
    expect((await world.pay('invoice-2049')).exitCode).toBe(0);
    const folder = join(journalOf(world), '..');
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name)).includes('12345678')).toBe(false);
  });
});

function changed(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}

describe('what is definite is not open', () => {
  it.each<readonly [name: string, fates: readonly Fate[], exitCode: number]>([
    ['an operation', [], 0],
    ['an operation after a lost answer', ['lost-after', 'answered'], 0],
    ['a rejection', [refusal(400, 'amount_out_of_range')], 6],
    ['nobody there', ['refused', 'refused', 'refused'], 11],
    ['not now', Array<Fate>(3).fill(refusal(503, 'temporarily_unavailable')), 10],
    ['too many', Array<Fate>(3).fill(refusal(429, 'rate_limited')), 10],
  ])('%s', async (_name, fates, exitCode) => {
    const { pay, open } = shop();
    const ended = await pay(KEY, fates);
    expect(ended.exitCode).toBe(exitCode);
    if (exitCode === 10) expect(ended.error()).toMatchObject({ outcome: 'sent', retryable: true });
    expect(await open()).toEqual([]);
  });

  it('the same create with the same key settles what was open; one that ends definitely without an operation does not', async () => {
    const { pay, open, service } = shop();
    await pay(KEY, LOST);
    expect((await pay(KEY, [refusal(401, 'unauthorized')])).exitCode).toBe(4);
    expect(await open()).toHaveLength(1);
    expect((await pay(KEY, ['refused', 'refused', 'refused'])).exitCode).toBe(11);
    expect(await open()).toHaveLength(1);
    expect((await pay(KEY)).exitCode).toBe(0);
    expect(await open()).toEqual([]);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
  });

  it('an unknown outcome stays, whatever another process settles or forgets meanwhile', async () => {
    const { service, svc, open } = shop();
    service.next(...LOST);
    service.onPost = () => svc('requests forget --all --yes');
    expect((await svc([...payout(), '--idempotency-key', KEY])).exitCode).toBe(12);
    expect(await open()).toMatchObject([{ idempotency_key: KEY }]);
  });
});

describe('what is not handed over stays open', () => {
  const full = new Failure('local_state', 'Standard output could not be written. The disk is full.');

  it.each([
    ['payouts create', [...payout(), '--reference', KEY]],
    ['api', ['api', 'POST', '/v2/payouts', '--data', PAYOUT_BODY.replace('{', `{"reference":"${KEY}",`)]],
  ])('where standard output of %s is full: 16, and the way to see the operation', async (_name, line) => {
    const { svc, open, service } = shop();
    const paid = await svc([...line, '--idempotency-key', KEY], { breakAfterWrites: 0, writeError: full });
    expect(paid.error()).toMatchObject({ exit_code: 16, ...SENT });
    expect(await open()).toHaveLength(1);
    expect((await svc(`requests repeat ${KEY}`)).json()).toMatchObject({ reference: KEY });
    expect(await open()).toEqual([]);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
  });

  it('where a filter does not apply to the operation', async () => {
    const { pay, open, service } = shop();
    expect((await pay(KEY, [], {}, '--jq', '.amount.x')).error()).toMatchObject({ exit_code: 1, ...SENT });
    expect(await open()).toHaveLength(1);
    expect(await service.ledger()).toEqual({ [KEY]: 1 });
  });

  it('where its reader went away: 0, and it can be seen again', async () => {
    const { svc, pay, open } = shop();
    expect((await pay(KEY, [], { breakAfterWrites: 0 })).exitCode).toBe(0);
    expect(await open()).toHaveLength(1);
    const again = await svc(`requests repeat ${KEY}`, { breakAfterWrites: 0 });
    expect(again.exitCode).toBe(0);
    expect(await open()).toHaveLength(1);
  });
});

describe('a signal', () => {
  const stopping = (): { controller: AbortController; stop: () => void } => {
    const controller = new AbortController();
    return { controller, stop: () => controller.abort(new Stopped('SIGINT', 130)) };
  };

  it.each([
    ['payouts create', (key: string) => [...payout(), '--idempotency-key', key]],
    ['api', (key: string) => ['api', 'POST', '/v2/payouts', '--data', PAYOUT_BODY, '--idempotency-key', key]],
  ])('in the middle of %s ends with 130, the key, and the way on', async (_name, line) => {
    const { svc, open, service } = shop();
    const { controller, stop } = stopping();
    service.onPost = stop;
    const stopped = await svc(line(KEY), { signal: controller.signal });
    expect(stopped.exitCode).toBe(130);
    expect(stopped.error()).toMatchObject({ ...SENT, code: 'stopped', outcome: 'unknown' });
    expect(service.posts).toHaveLength(1);
    expect(await open()).toHaveLength(1);
  });

  it('in the middle of a repetition leaves it as it was', async () => {
    const { svc, pay, open, service } = shop();
    await pay(KEY, LOST);
    const { controller, stop } = stopping();
    service.onPost = stop;
    const stopped = await svc(`requests repeat ${KEY}`, { signal: controller.signal });
    expect([stopped.exitCode, stopped.error()['outcome']]).toEqual([130, 'unknown']);
    expect(stopped.error()['next_command']).toBe(`svc requests repeat -- ${KEY}`);
    expect(await open()).toHaveLength(1);
  });

  it('before it leaves means that nothing was sent, and nothing is open', async () => {
    const { svc, open, service } = shop();
    const { controller, stop } = stopping();
    const onNote = (text: string): void => {
      if (text.startsWith('Idempotency-Key')) stop();
    };
    const stopped = await svc([...payout(), '--idempotency-key', KEY], { signal: controller.signal, onNote });
    expect([stopped.exitCode, stopped.error()['outcome']]).toEqual([130, 'not_sent']);
    expect(service.posts).toEqual([]);
    expect(await open()).toEqual([]);
  });
});

describe('a request that left long ago', () => {
  it('is not sent again by a create with its key either', async () => {
    const { home, svc, pay, service } = shop();
    await pay(KEY, NOT_ARRIVED);
    home.clock.advance(23 * HOUR_MS + MINUTE_MS);
    const refused = await pay(KEY);
    expect(refused.failure()).toBe('13 too_old');
    expect(refused.error()).toMatchObject({ outcome: 'unknown', idempotency_key: KEY });
    expect(service.posts).toHaveLength(3);
    expect((await pay('invoice-2049')).exitCode).toBe(0);
    await svc(`requests forget ${KEY} --yes`);
    const forgotten = await pay(KEY);
    expect(forgotten.failure()).toBe('13 too_old');
    expect(forgotten.error()['message']).toMatch(/svc requests resolve --operation ID -- invoice-2048/);
    const again = [...payout(), '--reference', KEY];
    expect((await svc(again)).failure()).toBe('13 reference_open');
    expect((await svc([...again, '--new-payment', KEY])).exitCode).toBe(0);
  });

  it('is not attempted again by a machine that slept in the middle', async () => {
    const { home, pay, service, open } = shop();
    service.onPost = () => home.clock.advance(24 * HOUR_MS);
    expect((await pay(KEY, LOST)).error()).toMatchObject({ exit_code: 12, outcome: 'unknown' });
    expect(service.posts).toHaveLength(1);
    expect(await open()).toMatchObject([{ repeatable: false }]);
  });
});
