import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { requestJson } from '../../../src/payments/requests/list.js';
import type { Journal, RecordOutcome } from '../../../src/storage/journal/journal.js';
import type { PostgresJournalOptions } from '../../../src/storage/journal/postgres/journal.js';
import type { UnsentRequest } from '../../../src/storage/journal/request.js';
import { systemRandom } from '../../../src/runtime/clock.js';
import { stateKeyOf } from '../../../src/storage/postgres/key.js';
import type { StatePlace } from '../../../src/storage/postgres/place.js';
import { lineTo } from '../../support/line.js';
import { body, cleared, HOUR_MS, leaving, NOW_MS, recorded, sent, settled, tried } from './given.js';
import { journalServer, openShared } from './journals.js';

const server = await journalServer();
const SETTLED = settled();
const SENDER = { keyMask: 'svc_test_...1a2b', keyPrint: 'print-1', address: 'a', origin: 'a' };
const numbered = (number: number, reference = `Emp ${String(number)}`): Partial<UnsentRequest> => ({
  idempotencyKey: `key-${String(number).padStart(8, '0')}`,
  body: body({ amount: '10.00', reference }),
});

describe.skipIf(server === null)('a book that machines share', () => {
  let place: StatePlace;
  beforeEach(async () => void (place = await server!.place(null, 'worker')));
  const open = async (options: Partial<PostgresJournalOptions> = {}): Promise<Journal> => {
    const journal = await openShared(place, options);
    onTestFinished(() => journal.close());
    return journal;
  };
  const sql = (text: string): Promise<Record<string, unknown>[]> => server!.queryIn(place, text);
  const kinds = (all: readonly RecordOutcome[]): string[] =>
    all.map((one) => ('kind' in one ? one.kind : 'recorded')).sort();

  it('lists what is open for whoever may not read bodies, without them', async () => {
    const { journal } = await sent(await open({ name: 'a/1' }), numbered(1));
    expect(await journal.openForDisplay()).toMatchObject([{ body: leaving(numbered(1)).body }]);
    await sql("ALTER ROLE svc_reader PASSWORD 'of-the-reader'");
    const user = { user: 'svc_reader', password: 'of-the-reader' };
    const reader = await open({ place: { ...place, ...user } });
    const listed = await reader.openForDisplay();
    expect(listed).toMatchObject([{ state: 'open', body: null, lastSending: { by: 'a/1' } }]);
    expect(JSON.parse(requestJson(listed[0]!, NOW_MS))).toMatchObject({
      ...{ idempotency_key: 'key-00000001', sent_by: 'a/1', amount: '10.00', currency: null },
      ...{ method: null, reference: null },
    });
    await expect(reader.open()).rejects.toMatchObject({ exitCode: 16 });
  });

  it('takes the one that was committed while the other one stood between its look and its writing', async () => {
    const first = await open();
    const holder = sql(`BEGIN; UPDATE svc.changes SET requests = requests; SELECT pg_sleep(1); COMMIT`);
    await new Promise((done) => setTimeout(done, 300));
    const machines = await Promise.all([1, 2, 3].map(() => open()));
    const outcomes = machines.map((journal, at) => tried(journal, numbered(at, 'the same')));
    await holder;
    expect(kinds(await Promise.all(outcomes))).toEqual(['recorded', 'under_way', 'under_way']);
    expect(await first.afterRow(0)).toHaveLength(1);
  });

  it('numbers requests in the order of their commits, so that nothing is put in behind who has looked', async () => {
    const machines = await Promise.all([1, 2, 3].map(() => open()));
    const reader = await open();
    const seen: number[] = [];
    let last = 0;
    const over = new AbortController();
    const reading = (async () => {
      while (!over.signal.aborted) {
        const upTo = await reader.lastRow();
        seen.push(...(await reader.afterRow(last)).flatMap(({ row }) => (row <= upTo ? [row] : [])));
        last = upTo;
      }
    })();
    const writing = machines.map(async (journal, machine) => {
      for (let count = 0; count < 20; count += 1) await recorded(journal, numbered(machine * 100 + count));
    });
    await Promise.all(writing);
    over.abort();
    await reading;
    seen.push(...(await reader.afterRow(last)).map(({ row }) => row));
    const all_ = (await reader.afterRow(0)).map(({ row }) => row);
    expect(new Set(all_).size).toBe(60);
    expect(seen).toEqual(all_);
  });

  it('knows what it has written where the answer was lost', async () => {
    const line = await lineTo(place.port);
    const journal = await open({ place: { ...place, port: line.port } });
    for (let after = 0; after < 6; after += 1) {
      line.cut(1, after);
      const { request } = await recorded(journal, numbered(after));
      expect(await journal.afterRow(0)).toMatchObject([{ row: request.row, state: 'recorded' }]);
      line.cut(1, after);
      const open_ = await cleared(journal, request);
      expect(await journal.open()).toMatchObject([{ row: request.row, sendings: 1 }]);
      line.cut(1);
      await journal.withdraw(open_!);
      expect(await journal.afterRow(0)).toEqual([]);
    }
    const { request: held } = await recorded(journal, numbered(9));
    line.cut(1, 1);
    await journal.release(held);
    expect(await journal.afterRow(0)).toEqual([]);
    const { request } = await sent(journal);
    for (let after = 0; after < 6; after += 1) {
      const [was] = await journal.open();
      line.cut(1, after);
      const again = await cleared(journal, was!, { sender: SENDER });
      expect(await journal.open()).toMatchObject([{ row: request.row, sendings: 2 }]);
      await journal.withdraw(again!);
    }
    const [over] = await journal.open();
    const { request: next } = await recorded(journal, numbered(8));
    line.cut(1, 1);
    expect(await cleared(journal, next, { predecessor: over! })).toMatchObject({ sendings: 1 });
    expect(await journal.withKey(over!.idempotencyKey)).toMatchObject([{ mayNotRepeat: true }]);
    await sent(journal, numbered(7));
    line.cut(1);
    expect(await journal.forget('key-00000007')).toBe(1);
    expect(await journal.forget('key-00000007')).toBe(0);
    expect(line.count()).toBeGreaterThan(5);
    await line.stop();
  });

  it('puts back what was forgotten once where the answer to that is lost', async () => {
    const line = await lineTo(place.port);
    const [journal, other] = [await open({ place: { ...place, port: line.port } }), await open()];
    const { request } = await sent(journal, numbered(1));
    for (const after of [1, 2, 3]) {
      await sql('DELETE FROM svc.requests');
      line.cut(1, after);
      await journal.keepOpen(request);
      const { idempotencyKey } = request;
      expect(await other.open()).toMatchObject([{ idempotencyKey, firstLeftMs: NOW_MS }]);
    }
    await line.stop();
  });

  it('lets nothing leave that the server has forgotten meanwhile', async () => {
    const [a, b] = [await open(), await open()];
    const { request } = await recorded(a, numbered(1));
    await sql('DELETE FROM svc.requests');
    await sent(b, numbered(2));
    await sql(`UPDATE svc.requests SET request = ${String(request.row)}`);
    expect(await cleared(a, request)).toBeNull();
    await a.release(request);
    expect(await b.open()).toMatchObject([{ idempotencyKey: 'key-00000002', sendings: 1 }]);
  });

  it('puts back what a server that took over has forgotten, and leaves alone what has its number', async () => {
    const [a, b] = [await open(), await open()];
    const { request } = await sent(a, numbered(1));
    const { request: paid } = await sent(a, numbered(2));
    await sql('DELETE FROM svc.requests');
    const { request: other } = await sent(b, numbered(3));
    for (const { row } of [request, paid])
      await sql(`UPDATE svc.requests SET request = ${String(row)} WHERE idempotency_key = 'key-00000003'`);
    await a.settle(paid, SETTLED);
    await a.withdraw(paid);
    expect(await b.open()).toMatchObject([{ idempotencyKey: other.idempotencyKey }]);
    await a.keepOpen(request);
    expect(await b.open('key-00000001')).toMatchObject([{ amount: '10.00', firstLeftMs: NOW_MS }]);
  });

  it('says who may still get an answer, until the sending is over', async () => {
    const [a, b] = [await open({ name: 'a/1', answerMs: 60_000 }), await open({ name: 'b/2' })];
    const { request } = await sent(a);
    const [seen] = await b.open();
    expect(seen!.lastSending!.by).toBe('a/1');
    const [time] = await sql('SELECT (extract(epoch FROM now()) * 1000)::float8 AS now');
    const leftMs = seen!.lastSending!.underWayUntilMs! - Number(time?.['now']);
    expect(leftMs > 50_000 && leftMs <= 60_000).toBe(true);
    await a.keepOpen(request);
    expect((await b.open())[0]!.lastSending).toEqual({ by: 'a/1', underWayUntilMs: null });
    await cleared(b, (await b.open())[0]!, { sender: SENDER });
    const [again] = await a.open();
    expect(again!.lastSending).toEqual({ by: 'b/2', underWayUntilMs: expect.any(Number) as number });
    const dead = await open({ name: 'c/3', answerMs: -1 });
    await sent(dead, numbered(7));
    expect((await b.open('key-00000007'))[0]!.lastSending).toEqual({ by: 'c/3', underWayUntilMs: null });
  });

  it('counts an age by its own clock too: a machine whose clock was wrong makes nothing young', async () => {
    const { journal } = await sent(await open(), {}, NOW_MS + 3 * HOUR_MS);
    await sql(`UPDATE svc.requests SET left_at = left_at - ${String(24 * HOUR_MS)}`);
    const outcome = await tried(journal, {}, NOW_MS + 3 * HOUR_MS);
    expect(outcome).toMatchObject({ kind: 'too_old' });
  });

  it('holds no body that can be read, nor one that was withdrawn, and knows one that was changed or put elsewhere', async () => {
    const key = stateKeyOf(Buffer.alloc(32, 7), systemRandom);
    await sql(`UPDATE svc.meta SET key_check = '\\x${Buffer.from(key.check).toString('hex')}'`);
    const { journal, request } = await sent(await open({ key }), numbered(1));
    const [kept] = await sql(`SELECT encode(body, 'escape') AS text FROM svc.requests`);
    expect(String(kept!['text'])).not.toContain('Emp 1');
    expect(Buffer.from((await journal.open())[0]!.body)).toEqual(leaving(numbered(1)).body);
    const { request: withdrawn } = await sent(journal, numbered(2));
    await journal.withdraw(withdrawn);
    expect(await sql('SELECT body IS NULL AS gone FROM svc.requests ORDER BY request')).toEqual([
      { gone: false },
      { gone: true },
    ]);
    await journal.forget();
    await journal.keepOpen(request);
    expect(Buffer.from((await journal.open())[0]!.body)).toEqual(leaving(numbered(1)).body);
    const damaged = { kind: 'local_state', facts: { code: 'store_damaged' } };
    await sql(`UPDATE svc.requests SET idempotency_key = 'key-99999999'`);
    await expect(journal.open()).rejects.toMatchObject(damaged);
    await sql('UPDATE svc.meta SET key_check = NULL');
    const plain = await open();
    await sql(`UPDATE svc.requests SET body = '{"amount":"99.00"}'`);
    await expect(plain.open()).rejects.toMatchObject(damaged);
  });

  it('is refused where the database does not know a word of it', async () => {
    const journal = await open();
    await sql('ALTER TABLE svc.requests RENAME TO other');
    const refused = { kind: 'local_state', facts: { outcome: 'not_sent' } };
    await expect(tried(journal)).rejects.toMatchObject(refused);
  });
});
