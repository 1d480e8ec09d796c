/** The journal as a hostile reader sees it: what is in it, for how long, who may take it out, and what is left of it on the disk. */
import { mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Journal } from '../../src/journal/journal.js';
import { referenceMark } from '../../src/contract/marks.js';
import type { KeptRequest } from '../../src/journal/request.js';
import { openJournal } from '../../src/journal/sqlite-journal.js';
import { at, body, folder, HOUR_MS, leaving, NOW_MS, opened, recorded } from './given.js';
import { journalKinds, journalServer } from './journals.js';

const keys = async (journal: Journal): Promise<string[]> =>
  (await journal.open()).map(({ idempotencyKey }) => idempotencyKey);
/** Another amount for each key: equal bodies stand in each other's way. */
const other = (key: string) => ({ idempotencyKey: key, body: body({ amount: '10.00', key }) });
const SETTLED = { operation: 'operation-1', status: 'pending' };
const SENDER = {
  keyMask: 'svc_test_...zzzz',
  keyPrint: 'print-2',
  address: 'embedded',
  origin: 'embedded',
};

const server = await journalServer();

describe('a journal in a file', () => {
  it('keeps everything about a request, exact bytes included, and gives it to the next process', async () => {
    const { journal, file } = opened();
    const bytes = Buffer.from([0x7b, 0x00, 0xff, 0xfe, 0x0d, 0x0a, 0x7d]);
    const { request } = await recorded(journal, {
      body: bytes,
      environment: 'live',
      address: 'https://a.example',
      isOwnKey: false,
      firstLeftMs: NOW_MS + 0.4,
    });
    const another = openJournal(file);
    const [read] = await another.open();
    expect(plain(read!)).toEqual({ ...plain(request), firstLeftMs: NOW_MS });
    expect(Buffer.from(read!.body)).toEqual(bytes);
    await journal.close();
    await another.close();
  });

  it('is private, with its companions', async () => {
    const { journal, file } = opened();
    await recorded(journal);
    const files = readdirSync(join(file, '..'));
    expect(files).toContain('requests.db-wal');
    for (const name of files) expect(statSync(join(file, '..', name)).mode & 0o777).toBe(0o600);
    await journal.close();
  });

  it.each([
    ['settled', (journal: Journal, row: number) => journal.settle({ row }, SETTLED)],
    ['forgotten', (journal: Journal) => journal.forget()],
    ['not carried out', (journal: Journal, row: number) => journal.withdraw({ row })],
    ['cleared', (journal: Journal) => journal.clear(NOW_MS + 31 * 24 * HOUR_MS)],
  ])('leaves nothing of a body on the disk once it is %s', async (_name, end) => {
    const { journal, file } = opened();
    const secret = '01020123456789012345';
    const bytes = Buffer.from(`{"account_number":"${secret}"}`.padEnd(9000));
    const { request } = await recorded(journal, { body: bytes });
    const onDisk = (): boolean =>
      readdirSync(join(file, '..')).some((name) => readFileSync(join(file, '..', name)).includes(secret));
    expect(onDisk()).toBe(true);
    await end(journal, request.row);
    await journal.close();
    expect(onDisk()).toBe(false);
  });
});

/** Bytes as text, so that a Buffer is what a Uint8Array is. */
function plain(request: KeptRequest): object {
  const bytes = (value: unknown): unknown =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value;
  return Object.fromEntries(Object.entries(request).map(([name, value]) => [name, bytes(value)]));
}

describe.each(journalKinds(server))('a journal in $name', ({ open }) => {
  it('lists what is open once, as it first left, the oldest first, or what has one key', async () => {
    const journal = await open();
    await recorded(journal, { ...other('second-key'), firstLeftMs: NOW_MS });
    await recorded(journal, { ...other('first-key'), firstLeftMs: NOW_MS - 1 });
    await recorded(journal, { ...other('second-key'), firstLeftMs: NOW_MS + HOUR_MS }, at(NOW_MS + HOUR_MS));
    expect(await keys(journal)).toEqual(['first-key', 'second-key']);
    expect(await journal.open('second-key')).toMatchObject([{ firstLeftMs: NOW_MS }]);
    expect(await journal.open('no-such-key')).toEqual([]);
    await journal.close();
  });

  it('counts sendings: each that was not carried out takes its own away, an operation in hand takes all', async () => {
    const journal = await open();
    const { request } = await recorded(journal);
    await recorded(journal);
    await journal.again((await journal.open())[0]!, SENDER);
    await journal.withdraw(request);
    await journal.withdraw(request);
    expect(await journal.open()).toMatchObject([{ row: request.row, ...SENDER }]);
    await journal.again((await journal.open())[0]!, SENDER);
    await journal.settle(request, SETTLED);
    expect(await journal.open()).toEqual([]);
    // What comes late about one of its sendings changes nothing.
    await journal.withdraw(request);
    await journal.keep(request);
    expect(await journal.open()).toEqual([]);
    expect(await journal.record(leaving(), at(NOW_MS))).toMatchObject({ known: SETTLED });
    await journal.close();
  });

  it('knows nothing more of a request none of whose sendings was carried out', async () => {
    const journal = await open();
    const { request } = await recorded(journal);
    await journal.withdraw(request);
    expect(await journal.knows(leaving())).toBe(false);
    expect(await journal.record(leaving(), at(NOW_MS))).toMatchObject({ isNew: true });
    await journal.close();
  });

  it('one more sending of a settled request that was not carried out leaves what it is known to have become', async () => {
    const journal = await open();
    await journal.settle((await recorded(journal)).request, SETTLED);
    const again = await recorded(journal);
    expect(again.known).toEqual(SETTLED);
    expect(await journal.open()).toHaveLength(1);
    await journal.withdraw(again.request);
    expect(await journal.open()).toEqual([]);
    expect((await recorded(journal)).known).toEqual(SETTLED);
    await journal.close();
  });

  it('gives the bytes back to a request of unknown outcome that was forgotten while it was under way', async () => {
    const journal = await open();
    const { request } = await recorded(journal);
    expect(await journal.forget()).toBe(1);
    expect(await journal.open()).toEqual([]);
    await journal.keep(request);
    expect((await journal.open()).map(({ body: kept }) => Buffer.from(kept))).toEqual([leaving().body]);
    await journal.close();
  });

  it('a request that somebody settled and cleared is sent again as a new row, which its end settles', async () => {
    const journal = await open();
    const { request } = await recorded(journal, { isOwnKey: false });
    const [read] = await journal.open();
    await journal.settle(request, { ...SETTLED, status: 'confirmed' });
    const sent = await journal.again(read!, SENDER);
    expect(sent.row).not.toBe(request.row);
    expect(await journal.open()).toMatchObject([{ row: sent.row, firstLeftMs: NOW_MS }]);
    await journal.settle(sent, SETTLED);
    expect(await journal.open()).toEqual([]);
    await journal.close();
  });

  it('never gives the number of a row to another: a late word about the first takes nothing of the second', async () => {
    const journal = await open();
    const first = (await recorded(journal, other('first-key'))).request;
    await journal.withdraw(first);
    const second = (await recorded(journal, other('second-key'))).request;
    expect(second.row).not.toBe(first.row);
    await journal.withdraw(first);
    await journal.settle(first, SETTLED);
    await journal.keep(first);
    expect(await keys(journal)).toEqual(['second-key']);
    await journal.close();
  });

  it.each<readonly [name: string, learn: (journal: Journal, row: KeptRequest) => Promise<void>]>([
    ['an operation', (journal, request) => journal.settle(request, SETTLED, NOW_MS - HOUR_MS + 0.6)],
    ['an unknown outcome', (journal, request) => journal.keep(request, NOW_MS - HOUR_MS + 0.6)],
  ])('learns from %s when it really left', async (_name, learn) => {
    const journal = await open();
    await learn(journal, (await recorded(journal, { body: body({ reference: 'Emp 5' }) })).request);
    const [kept] = await journal.behind(0);
    expect(kept?.firstLeftMs).toBe(NOW_MS - HOUR_MS + 1);
    await journal.close();
  });

  it('clears bytes after 30 days and the rest after 35', async () => {
    const journal = await open();
    const days = (count: number): number => NOW_MS - count * 24 * HOUR_MS;
    await recorded(journal, { ...other('gone-at-35'), firstLeftMs: days(35) - 1 });
    await recorded(journal, { ...other('marks-only'), firstLeftMs: days(30) - 1 });
    await recorded(journal, { ...other('just-kept'), firstLeftMs: days(30) });
    await recorded(journal, { ...other('in-future'), firstLeftMs: NOW_MS + HOUR_MS });
    await journal.clear(NOW_MS);
    expect(await keys(journal)).toEqual(['just-kept', 'in-future']);
    expect(
      await Promise.all(
        ['gone-at-35', 'marks-only', 'just-kept'].map((key) => journal.knows(leaving(other(key)))),
      ),
    ).toEqual([false, true, true]);
    await journal.close();
  });

  it('forgets the bytes of one key or of everything, and says how many requests that were', async () => {
    const journal = await open();
    for (const key of ['first-key', 'second-key', 'third-key']) await recorded(journal, other(key));
    await recorded(journal, other('second-key'));
    expect(await journal.forget('second-key')).toBe(1);
    expect(await journal.forget('second-key')).toBe(0);
    expect(await keys(journal)).toEqual(['first-key', 'third-key']);
    expect(await journal.forget()).toBe(2);
    await journal.close();
  });

  it('drops everything of one place, and nothing of another', async () => {
    const journal = await open();
    await recorded(journal, { ...other('first-key'), origin: 'embedded' });
    await recorded(journal, { ...other('second-key'), environment: 'live', origin: 'embedded' });
    await recorded(journal, other('third-key'));
    expect(await journal.drop('sandbox', 'embedded')).toBe(1);
    expect(await keys(journal)).toEqual(['second-key', 'third-key']);
    await journal.close();
  });
});

describe.each(journalKinds(server))('the book in $name', ({ open }) => {
  const REFERENCE = body({ amount: '10.00', reference: 'Emp 5' });
  const query = {
    environment: 'sandbox',
    direction: 'payout',
    referenceMarks: [referenceMark('EMP 5')],
  } as const;

  it('finds requests by reference, open and settled, in one environment and direction', async () => {
    const journal = await open();
    const first = (await recorded(journal, { body: REFERENCE })).request;
    await journal.settle(first, SETTLED);
    await recorded(journal, { body: REFERENCE, idempotencyKey: 'key-00000002', environment: 'live' });
    await recorded(journal, other('key-00000003'));
    expect(await journal.ofReferences(query)).toMatchObject([{ row: first.row, settled: SETTLED }]);
    expect(await journal.ofReferences({ ...query, direction: 'payin' })).toEqual([]);
    expect(await journal.ofReferences({ ...query, referenceMarks: [] })).toEqual([]);
    await journal.close();
  });

  it('tells what came behind a row, with a reference', async () => {
    const journal = await open();
    expect(await journal.lastRow()).toBe(0);
    const first = (await recorded(journal, other('first-key'))).request;
    const second = (await recorded(journal, { body: REFERENCE })).request;
    expect(await journal.lastRow()).toBe(second.row);
    expect((await journal.behind(first.row)).map(({ row }) => row)).toEqual([second.row]);
    expect(await journal.behind(second.row)).toEqual([]);
    await journal.close();
  });

  it('knows what became an operation, by the beginning of its id, and what became of it since', async () => {
    const journal = await open();
    const { request } = await recorded(journal);
    expect(await journal.ofOperations('sandbox', '', 0, 9)).toEqual([]);
    await journal.settle(request, SETTLED);
    const [row, settled] = [request.row, SETTLED];
    for (const beginning of ['', SETTLED.operation.slice(0, 6), SETTLED.operation])
      expect(await journal.ofOperations('sandbox', beginning, 0, 9)).toMatchObject([{ row, settled }]);
    for (const other of [`${SETTLED.operation}0`, '%', "'"])
      expect(await journal.ofOperations('sandbox', other, 0, 9)).toEqual([]);
    expect(await journal.ofOperations('live', '', 0, 9)).toEqual([]);
    expect(await journal.ofOperations('sandbox', '', request.row, 9)).toEqual([]);
    const second = (await recorded(journal, other('another-key-1'))).request;
    await journal.settle(second, SETTLED);
    expect(await journal.ofOperations('sandbox', '', 0, 1)).toMatchObject([{ row }]);
    expect(await journal.ofOperations('sandbox', '', row, 9)).toMatchObject([{ row: second.row }]);
    await journal.update(request, 'failed');
    expect(await journal.ofOperations('sandbox', '', 0, 1)).toMatchObject([
      { settled: { status: 'failed' } },
    ]);
    await journal.close();
  });

  it('knows the newest operation of an API key in an environment', async () => {
    const journal = await open();
    const { request: first } = await recorded(journal, other('first-key'));
    const { request: second } = await recorded(journal, other('second-key'));
    expect(await journal.newestOf('print-1', 'sandbox')).toBeNull();
    await journal.settle(second, { operation: 'operation-2', status: 'confirmed' });
    await journal.settle(first, SETTLED);
    expect(await journal.newestOf('print-1', 'sandbox')).toBe('operation-2');
    expect(await journal.newestOf('print-1', 'live')).toBeNull();
    expect(await journal.newestOf('print-2', 'sandbox')).toBeNull();
    await journal.close();
  });

  it('has no use for a settled request whose key was generated and that names no payment, once it is final', async () => {
    const journal = await open();
    const final = { ...SETTLED, status: 'confirmed' };
    await journal.settle((await recorded(journal, { isOwnKey: false })).request, final);
    expect(await journal.knows(leaving())).toBe(false);
    expect(await journal.ofOperations('sandbox', '', 0, 9)).toEqual([]);
    await journal.settle((await recorded(journal, { isOwnKey: false, body: REFERENCE })).request, final);
    expect(await journal.ofReferences(query)).toHaveLength(1);
    // Nothing else tells of it before it is final.
    await journal.settle((await recorded(journal, { isOwnKey: false })).request, SETTLED);
    expect(await journal.ofOperations('sandbox', SETTLED.operation, 0, 9)).toHaveLength(2);
    await journal.close();
  });
});

describe('a journal that cannot be used', () => {
  const reasons: readonly (readonly [name: string, spoil: (file: string) => void, problem: string])[] = [
    ['holds something else', (file) => writeFileSync(file, 'no database at all '.repeat(99)), 'damaged'],
    ['lost its end', (file) => truncateSync(file, 5000), 'damaged'],
    ['was written by a newer version', (file) => change(file, 'PRAGMA user_version = 3'), 'newer'],
    ["is another program's", (file) => change(file, 'PRAGMA application_id = 7'), 'foreign'],
  ];

  it.each(reasons)('%s: says so, and says that nothing was sent', async (_name, spoil, problem) => {
    const { journal, file } = opened();
    for (let size = 0; size < 20; size += 1) await recorded(journal, other(`key-${size}-00000001`));
    await journal.close();
    spoil(file);
    const use = async (): Promise<void> => {
      const again = openJournal(file);
      try {
        await again.open();
        await again.record(leaving(), at(NOW_MS));
      } finally {
        await again.close();
      }
    };
    await expect(use()).rejects.toThrow(
      expect.objectContaining({
        kind: 'local_state',
        problem,
        facts: expect.objectContaining({ outcome: 'not_sent' }) as object,
      }) as Error,
    );
  });

  it('is a folder: says so', () => {
    const file = join(folder(), 'requests.db');
    mkdirSync(file);
    expect(() => openJournal(file)).toThrow(expect.objectContaining({ kind: 'local_state' }) as Error);
  });
});

function change(file: string, statement: string): void {
  const database = new DatabaseSync(file);
  database.exec(statement);
  database.close();
}
