import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../../src/storage/journal/journal.js';
import { referenceMark } from '../../../src/contract/marks.js';
import type { JournalRequest, UnsentRequest } from '../../../src/storage/journal/request.js';
import { body, cleared, DAY_MS, GivenProcesses, HOUR_MS, leaving, moment, NOW_MS } from './given.js';
import { opened, openedBy, other, sent, settled, tried } from './given.js';
import { journalKinds, journalServer } from './journals.js';
import { testFolder } from '../../support/test-folder.js';

const keys = async (journal: Journal): Promise<string[]> =>
  (await journal.open()).map(({ idempotencyKey }) => idempotencyKey);
const SETTLED = settled({ status: 'pending' });
const SENDER = { keyMask: 'svc_test_...zzzz', keyPrint: 'print-2', address: 'embedded', origin: 'embedded' };

const server = await journalServer();

describe('a journal in a file', () => {
  it('keeps everything about a request, exact bytes included, and gives it to the next process', async () => {
    const { journal, file } = opened();
    const bytes = Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x0d, 0x0a, 0x7d]);
    const create = {
      body: bytes,
      environment: 'live',
      address: 'https://a.example',
      isOwnKey: false,
    } as const;
    const { request } = await sent(journal, create, NOW_MS + 0.4);
    const another = openedBy(file, new GivenProcesses().seenBy(2));
    const [read] = await another.open();
    expect(plain(read!)).toEqual(plain(request));
    expect(read).toMatchObject({ firstLeftMs: NOW_MS, left: moment(NOW_MS), accountTail: null });
    expect(Buffer.from(read!.body)).toEqual(bytes);
    await another.close();
  });

  it('is private, with its companions', async () => {
    const { journal, file } = opened();
    await sent(journal);
    const files = readdirSync(join(file, '..'));
    expect(files).toContain('requests.db-wal');
    for (const name of files) expect(statSync(join(file, '..', name)).mode & 0o777).toBe(0o600);
  });

  it.each([
    ['settled', (journal: Journal, row: number) => journal.settle({ row }, SETTLED)],
    ['forgotten', (journal: Journal) => journal.forget()],
    ['not carried out', (journal: Journal, row: number) => journal.withdraw({ row })],
    ['cleared', (journal: Journal) => journal.sweep(NOW_MS + 31 * DAY_MS)],
  ])('leaves nothing of a body on the disk once it is %s', async (_name, end) => {
    const file = join(testFolder(), 'requests.db');
    const journal = openedBy(file, new GivenProcesses().seenBy(1));
    const secret = '01020123456789012345';
    const bytes = Buffer.from(`{"account_number":"${secret}"}`.padEnd(9000));
    const { request } = await sent(journal, { body: bytes });
    const onDisk = (): boolean =>
      readdirSync(join(file, '..')).some((name) => readFileSync(join(file, '..', name)).includes(secret));
    expect(onDisk()).toBe(true);
    await end(journal, request.row);
    await journal.close();
    expect(onDisk()).toBe(false);
  });
});

function plain(request: JournalRequest): object {
  const bytes = (value: unknown): unknown =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  return Object.fromEntries(Object.entries(request).map(([name, value]) => [name, bytes(value)]));
}

describe.each(journalKinds(server))('a journal in $name', ({ open }) => {
  it('lists what is open once, as it first left, the oldest first, or what has one key', async () => {
    const { journal } = await sent(await open(), other('second-key'), NOW_MS);
    await sent(journal, other('first-key'), NOW_MS - 1);
    await sent(journal, other('second-key'), NOW_MS + HOUR_MS);
    expect(await keys(journal)).toEqual(['first-key', 'second-key']);
    expect(await journal.open('second-key')).toMatchObject([{ firstLeftMs: NOW_MS }]);
    expect(await journal.open('no-such-key')).toEqual([]);
  });

  it('counts sendings: each that was not carried out takes its own away, an operation in hand takes all', async () => {
    const { journal, request } = await sent(await open());
    await sent(journal);
    await cleared(journal, (await journal.open())[0]!, { sender: SENDER });
    await journal.withdraw(request);
    await journal.withdraw(request);
    expect(await journal.open()).toMatchObject([{ row: request.row, ...SENDER }]);
    await cleared(journal, (await journal.open())[0]!, { sender: SENDER });
    await journal.settle(request, SETTLED);
    expect(await journal.open()).toEqual([]);
    await journal.withdraw(request);
    await journal.keepOpen(request);
    expect(await journal.open()).toEqual([]);
    expect(await journal.withKey(request.idempotencyKey)).toMatchObject([{ state: 'settled', body: null }]);
    expect(await tried(journal)).toMatchObject({ settlement: SETTLED });
  });

  it('takes out what a person says was never carried out, unless it is another by now', async () => {
    const { journal, request } = await sent(await open());
    await sent(journal);
    expect(await journal.remove({ row: request.row, sendings: 1 })).toBe(false);
    const [kept] = await journal.withKey('key-00000001');
    expect(await journal.remove(kept!)).toBe(true);
    expect(await journal.open()).toEqual([]);
    expect(await journal.hasLeft('key-00000001')).toBe(false);
    expect(await journal.remove(kept!)).toBe(false);
    const { request: another } = await sent(journal);
    await journal.settle(another, SETTLED);
    expect(await journal.remove({ row: another.row, sendings: 0 })).toBe(false);
    expect(await journal.withKey('key-00000001')).toMatchObject([{ state: 'settled' }]);
  });

  it.each([
    ['failed', true],
    ['pending', false],
  ])('takes out what left again after one that is %s: %s, and that stays', async (status, isOut) => {
    const journal = await open();
    await journal.settle((await sent(journal)).request, { ...SETTLED, status });
    await sent(journal);
    const [kept] = await journal.withKey('key-00000001');
    expect(kept).toMatchObject({ state: 'open', sendings: 1 });
    expect(await journal.remove(kept!)).toBe(isOut);
    expect(await journal.open()).toHaveLength(isOut ? 0 : 1);
    expect(await journal.withKey('key-00000001')).toMatchObject([{ settled: { ...SETTLED, status } }]);
  });

  it('gives the bytes back to a request of unknown outcome that was forgotten while it was under way', async () => {
    const { journal, request } = await sent(await open());
    expect(await journal.forget()).toBe(1);
    expect(await journal.open()).toEqual([]);
    await journal.keepOpen(request);
    expect((await journal.open()).map(({ body: kept }) => Buffer.from(kept))).toEqual([leaving().body]);
  });

  it('a request that somebody settled or withdrew meanwhile is not sent again', async () => {
    const { journal, request } = await sent(await open());
    const [read] = await journal.open();
    await journal.settle(request, SETTLED);
    expect(await cleared(journal, read!, { sender: SENDER })).toBeNull();
    const { request: withdrawn } = await sent(journal, other('second-key'));
    await journal.withdraw(withdrawn);
    expect(await cleared(journal, withdrawn, { sender: SENDER })).toBeNull();
    expect(await journal.open()).toEqual([]);
  });

  const LEFT = { leftServiceMs: NOW_MS - HOUR_MS + 0.6 };
  it.each<readonly [name: string, learn: (journal: Journal, row: JournalRequest) => Promise<void>]>([
    ['an operation', (journal, request) => journal.settle(request, SETTLED, LEFT)],
    ['an unknown outcome', (journal, request) => journal.keepOpen(request, LEFT)],
  ])('learns from %s when it really left', async (_name, learn) => {
    const journal = await open();
    await learn(journal, (await sent(journal, { body: body({ reference: 'Emp 5' }) })).request);
    const [kept] = await journal.afterRow(0);
    expect(kept?.firstLeftMs).toBe(NOW_MS - HOUR_MS + 1);
  });

  it('removes bytes after 30 days, and what was settled after 400; what is open stays', async () => {
    const journal = await open();
    const days = (count: number): number => NOW_MS - count * DAY_MS;
    const pay = async (key: string, leftMs: number, createdAtMs: number | null = null): Promise<void> =>
      journal.settle((await sent(journal, other(key), leftMs)).request, settled({ createdAtMs }));
    await pay('settled-gone', days(400) - 1);
    await pay('made-gone', days(399), days(400) - 1);
    await pay('settled-kept', days(400));
    await pay('made-kept', days(401), days(400));
    await sent(journal, other('open-kept'), days(1000));
    await sent(journal, other('marks-only'), days(30) - 1);
    await sent(journal, other('just-kept'), days(30));
    await sent(journal, other('in-future'), NOW_MS + HOUR_MS);
    await journal.sweep(NOW_MS);
    expect(await keys(journal)).toEqual(['just-kept', 'in-future']);
    const gone = ['settled-gone', 'made-gone'];
    for (const key of [...gone, 'settled-kept', 'made-kept', 'open-kept', 'marks-only', 'just-kept'])
      expect(await journal.hasLeft(key), key).toBe(!gone.includes(key));
    expect(await journal.withKey('open-kept')).toMatchObject([{ state: 'forgotten', body: null }]);
  });

  it('forgets the bytes of one key or of everything, and says how many requests that were', async () => {
    const journal = await open();
    for (const key of ['first-key', 'second-key', 'third-key']) await sent(journal, other(key));
    await sent(journal, other('second-key'));
    expect(await journal.forget('second-key')).toBe(1);
    expect(await journal.forget('second-key')).toBe(0);
    expect(await keys(journal)).toEqual(['first-key', 'third-key']);
    expect(await journal.forget()).toBe(2);
  });

  it('drops everything of one place, and nothing of another', async () => {
    const { journal } = await sent(await open(), { ...other('first-key'), origin: 'embedded' });
    await sent(journal, { ...other('second-key'), environment: 'live', origin: 'embedded' });
    await sent(journal, other('third-key'));
    expect(await journal.drop('sandbox', 'embedded')).toBe(1);
    expect(await keys(journal)).toEqual(['second-key', 'third-key']);
  });
});

describe.each(journalKinds(server))('the book in $name', ({ open }) => {
  const REFERENCE = body({ amount: '10.00', reference: 'Emp 5' });
  const referenceMarks = [referenceMark('EMP 5')];
  const query = { environment: 'sandbox', direction: 'payout', referenceMarks } as const;

  it('finds requests by reference, open and settled, in one environment and direction', async () => {
    const journal = await open();
    const first = (await sent(journal, { body: REFERENCE })).request;
    await journal.settle(first, SETTLED);
    await sent(journal, { body: REFERENCE, idempotencyKey: 'key-00000002', environment: 'live' });
    await sent(journal, other('key-00000003'));
    expect(await journal.ofReferences(query)).toMatchObject([{ row: first.row, settled: SETTLED }]);
    expect(await journal.ofReferences({ ...query, direction: 'payin' })).toEqual([]);
    expect(await journal.ofReferences({ ...query, referenceMarks: [] })).toEqual([]);
  });

  it('tells what came behind a row, with a reference', async () => {
    const journal = await open();
    expect(await journal.lastRow()).toBe(0);
    const first = (await sent(journal, other('first-key'))).request;
    const second = (await sent(journal, { body: REFERENCE })).request;
    expect(await journal.lastRow()).toBe(second.row);
    expect((await journal.afterRow(first.row)).map(({ row }) => row)).toEqual([second.row]);
    expect(await journal.afterRow(second.row)).toEqual([]);
  });

  it('knows what became an operation, by the beginning of its id, and what became of it since', async () => {
    const { journal, request } = await sent(await open());
    expect(await journal.ofOperations('sandbox', '', 0, 9)).toEqual([]);
    await journal.settle(request, SETTLED);
    const [row, settled] = [request.row, SETTLED];
    for (const beginning of ['', SETTLED.operation.slice(0, 6), SETTLED.operation])
      expect(await journal.ofOperations('sandbox', beginning, 0, 9)).toMatchObject([{ row, settled }]);
    for (const other of [`${SETTLED.operation}0`, '%', "'"])
      expect(await journal.ofOperations('sandbox', other, 0, 9)).toEqual([]);
    expect(await journal.ofOperations('live', '', 0, 9)).toEqual([]);
    expect(await journal.ofOperations('sandbox', '', request.row, 9)).toEqual([]);
    const second = (await sent(journal, other('another-key-1'))).request;
    await journal.settle(second, SETTLED);
    expect(await journal.ofOperations('sandbox', '', 0, 1)).toMatchObject([{ row }]);
    expect(await journal.ofOperations('sandbox', '', row, 9)).toMatchObject([{ row: second.row }]);
    const asked = [SETTLED.operation.toUpperCase(), 'op-9', SETTLED.operation];
    expect((await journal.withOperations(asked)).map((one) => one.row)).toEqual([row, second.row]);
    expect(await journal.withOperations(['op-9'])).toEqual([]);
    await journal.noteStatus(SETTLED.operation.toUpperCase(), 'failed');
    const [failed] = await journal.ofOperations('sandbox', '', 0, 1);
    expect(failed).toMatchObject({ settled: { status: 'failed' } });
  });

  it('keeps what is noted of a key for the company that noted it, and refused bytes for thirty days', async () => {
    const journal = await open();
    const { idempotencyKey, environment, origin, keyPrint } = leaving();
    const key = { idempotencyKey, environment, origin, keyPrint };
    const notes = async (of = key) => {
      const all = await journal.keyNotes(of);
      return all.map(({ kind, body: bytes, notedAtMs }) => [kind, Buffer.from(bytes).toString(), notedAtMs]);
    };
    await journal.noteKey(key, { kind: 'refused', body: body({ amount: '1,00' }), notedAtMs: NOW_MS });
    await journal.noteKey(key, { kind: 'used', body: Buffer.from('payout\nr-1'), notedAtMs: NOW_MS + 1 });
    await journal.noteKey(key, { kind: 'used', body: Buffer.from('payout\nr-1'), notedAtMs: NOW_MS + 2 });
    const used = ['used', 'payout\nr-1', NOW_MS + 2];
    expect(await notes()).toEqual([['refused', '{"amount":"1,00"}', NOW_MS], used]);
    expect(await notes({ ...key, keyPrint: 'print-2' })).toEqual([]);
    expect(await notes({ ...key, environment: 'live' })).toEqual([]);
    await journal.sweep(NOW_MS + 30 * DAY_MS + 1);
    expect(await notes()).toEqual([used]);
    await journal.noteKey(key, { kind: 'refused', body: body({ amount: '1,00' }), notedAtMs: NOW_MS });
    await journal.forget('another-key');
    expect(await notes()).toHaveLength(2);
    await journal.forget(idempotencyKey);
    expect(await notes()).toHaveLength(1);
    await journal.drop(environment, 'https://elsewhere.example');
    expect(await notes()).toHaveLength(1);
    await journal.drop(environment, origin);
    expect(await notes()).toEqual([]);
  });

  it('knows the newest operation of an API key in an environment', async () => {
    const { journal, request: first } = await sent(await open(), other('first-key'));
    const { request: second } = await sent(journal, other('second-key'));
    expect(await journal.newestOf('print-1', 'sandbox')).toBeNull();
    await journal.settle(second, settled({ operation: 'operation-2' }));
    await journal.settle(first, SETTLED);
    expect((await journal.newestOf('print-1', 'sandbox'))?.settled?.operation).toBe('operation-2');
    expect(await journal.newestOf('print-1', 'live')).toBeNull();
    expect(await journal.newestOf('print-2', 'sandbox')).toBeNull();
  });

  it('keeps a settled request whose key was generated and that names no payment for ten minutes, or until it is final', async () => {
    const journal = await open();
    const nameless = (amount: string): Partial<UnsentRequest> => ({
      ...{ isOwnKey: false, idempotencyKey: `generated-${amount}`, body: body({ amount }) },
    });
    const pay = async (create: Partial<UnsentRequest>, status: string, ageMs: number): Promise<void> =>
      journal.settle((await sent(journal, create)).request, settled({ status, createdAtMs: NOW_MS - ageMs }));
    const minutes = (count: number): number => count * 60_000;
    await pay(nameless('1'), 'confirmed', minutes(10) + 1);
    await pay(nameless('2'), 'failed', minutes(11));
    await pay(nameless('3'), 'confirmed', minutes(10));
    await pay(nameless('4'), 'pending', minutes(60));
    await pay({ ...nameless('5'), body: REFERENCE }, 'confirmed', minutes(60));
    await pay({ ...nameless('6'), isOwnKey: true }, 'confirmed', minutes(60));
    await journal.sweep(NOW_MS);
    const left = await journal.ofOperations('sandbox', '', 0, 9);
    expect(left.map(({ idempotencyKey }) => idempotencyKey.at(-1)).join('')).toBe('3456');
  });
});

it('a journal that is no database says so, and says that nothing was sent', () => {
  const file = join(testFolder(), 'requests.db');
  writeFileSync(file, 'no database at all '.repeat(99));
  const facts: unknown = expect.objectContaining({ outcome: 'not_sent' });
  const refused = { kind: 'local_state', problem: 'damaged', facts };
  expect(() => opened(file)).toThrow(expect.objectContaining(refused) as Error);
});
