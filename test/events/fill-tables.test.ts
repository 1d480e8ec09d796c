import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { eventJson, ids, pageBody } from '../feed/feed.js';
import { FEED_ENV, feedLine, listFeed, ok, refused, type FeedAnswer } from '../support/feed-line.js';
import { type IntoTables, postgresTables, sqliteTables } from '../support/into-tables.js';
import { openDatabaseHere } from '../support/postgres.js';
import { eachWorld, type Result, type RunOptions } from '../support/svc.js';

const server = await openDatabaseHere();
afterAll(() => server?.stop());

const home = eachWorld();

let files = 0;
const KINDS: Readonly<Record<string, () => IntoTables>> = {
  sqlite: () => sqliteTables(home.home, `events ${String((files += 1))}.db`),
  ...(server === null ? {} : { postgres: () => postgresTables(server) }),
};
const OPERATION = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';

const PLACE = { currency: 'VES', country: 'VE', method: 'mobile_payment' };
type Said = Readonly<Record<string, unknown>> & { readonly status?: string };
const payout = (id: string, more: Said = {}, second = 0): string =>
  eventJson(id, { status: 'confirmed', ...PLACE, ...more })
    .replace('15:00:00Z', `15:00:0${String(second)}Z`)
    .replace('payout.confirmed', `payout.${more.status ?? 'confirmed'}`);
const one =
  (...events: readonly (string | Buffer)[]): FeedAnswer =>
  (cursor) => {
    const list = cursor === null ? events.flatMap((event) => [Buffer.from(','), Buffer.from(event)]) : [];
    const end = Buffer.from('],"next_cursor":"end"}');
    return ok(Buffer.concat([Buffer.from('{"events":['), ...list.slice(1), end]));
  };
const parsed = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value);

describe.each(Object.entries(KINDS))('into %s', (_kind, tablesOf) => {
  let tables: IntoTables;
  beforeEach(() => (tables = tablesOf()));
  const tail = async (
    answer: FeedAnswer,
    words = '',
    options: RunOptions = {},
  ): Promise<Result & { asked: (string | null)[] }> => {
    const line = feedLine(answer);
    const argv = ['events', 'tail', '--into', tables.into, ...words.split(' ').filter(Boolean)];
    const env = { ...FEED_ENV, ...tables.env, ...options.env };
    const result = await home.svc(argv, { transport: line, ...options, env });
    return { ...result, asked: line.asked };
  };
  const fill = async (answer: FeedAnswer, words = '--create --no-follow'): Promise<void> => {
    const { exitCode, stderr } = await tail(answer, words);
    expect(exitCode, stderr).toBe(0);
  };
  const events = (what: string): Promise<Record<string, unknown>[]> =>
    tables.query(`SELECT ${what} FROM svc_events ORDER BY number`);
  const numbers = async (): Promise<unknown[]> =>
    (await events('number, id')).map(({ number, id }) => `${String(number)} ${String(id)}`);
  const operations = (): Promise<Record<string, unknown>[]> =>
    tables.query('SELECT * FROM svc_operations ORDER BY id');
  const while_ = (work: () => Promise<void>): RunOptions['transport'] => {
    const line = feedLine(listFeed(ids(5)));
    let hasWorked = false;
    return async (request, limits) => {
      if (!hasWorked) {
        hasWorked = true;
        await work();
      }
      return line(request, limits);
    };
  };

  it('has each event once, in order, with what it says, and prints nothing', async () => {
    const { exitCode, stdout, stderr } = await tail(listFeed(ids(7)), '--create --no-follow');
    expect([exitCode, stdout], stderr).toEqual([0, '']);
    expect(await numbers()).toEqual(ids(7).map((id, index) => `${String(index + 1)} ${id}`));
    const [row] = await tables.query('SELECT * FROM svc_events WHERE number = 3');
    expect(row).toMatchObject({ id: 'e3', type: 'payout.confirmed', operation: 'op-e3', raw_bytes: null });
    expect(parsed(row!['raw'])).toEqual(JSON.parse(eventJson('e3')));
  });

  it('goes on where it left off, and --from counts for tables that were never used', async () => {
    await fill(listFeed(ids(4)));
    const next = await tail(listFeed(ids(7)), '--no-follow --from now');
    expect([next.exitCode, next.asked[0]]).toEqual([0, '4']);
    expect(await numbers()).toHaveLength(7);
    expect((await tail(listFeed(ids(7)), '--no-follow')).asked).toEqual(['7']);
  });

  it.each([
    ['now', []],
    ['4', ['e5', 'e6']],
    ['start', ids(6)],
  ])('begins at --from %s, which is kept', async (from, wanted) => {
    await fill(listFeed(ids(6)), `--create --no-follow --from ${from}`);
    expect((await events('id')).map(({ id }) => id)).toEqual(wanted);
    await fill(listFeed(ids(7)), '--no-follow');
    expect((await events('id')).map(({ id }) => id)).toEqual([...wanted, 'e7']);
  });

  it('says how many came and where they are, once it is at the end', async () => {
    const said = async (count: number, words: string) => (await tail(listFeed(ids(count)), words)).stderr;
    const first = await said(3, '--create --no-follow');
    expect(first).toMatch(/^3 events were added to table .*svc_events of .+\.$/m);
    expect(await said(4, '--no-follow')).toMatch(/^1 event was added to table /m);
    expect(await said(4, '--no-follow')).toMatch(/^0 events were added to table /m);
    expect(await said(5, '--no-follow --quiet')).not.toContain('added');
  });

  it('says of an operation what its event says, in columns of their types', async () => {
    const failure = { code: 'counterparty_rejected', reason: 'invalid_account', message: 'No.' };
    const about = { amount: '1500.50', bank_reference: '0001' };
    const made = { id: OPERATION.toUpperCase(), ...about, created_at: '2026-09-23T10:59:00-04:00' };
    await fill(one(payout('e1', made), payout('e2', { id: 'o2', status: 'failed', failure, amount: 7 }, 3)));
    const [first, second] = await operations();
    const known = { id: OPERATION, direction: 'payout', status: 'confirmed', ...about, ...PLACE };
    expect(first).toMatchObject({ ...known, reference: 'ref-e1', event: 'e1', failure_code: null });
    expect(new Date(String(first!['created_at'])).toISOString()).toBe('2026-09-23T14:59:00.000Z');
    expect(second).toMatchObject({ status: 'failed', amount: '7' });
    expect(second).toMatchObject({ failure_code: failure.code, failure_reason: failure.reason });
    expect(new Date(String(second!['occurred_at'])).toISOString()).toBe('2026-09-23T15:00:03.000Z');
    const [{ operation } = {}] = await tables.query("SELECT operation FROM svc_events WHERE id = 'e1'");
    expect(operation).toBe(OPERATION);
  });

  it('of two events about an operation keeps what counts, whichever comes first, and both events', async () => {
    const told = [
      payout('e1', { id: 'a', status: 'failed' }),
      payout('e2', { id: 'a' }, 1),
      payout('e3', { id: 'b' }, 1),
      payout('e4', { id: 'b', status: 'failed' }),
      payout('e5', { id: 'c' }, 4),
      payout('e6', { id: 'c' }, 2),
      payout('e7', { id: 'd' }, 2),
      payout('e0', { id: 'd' }, 2),
    ];
    const whole = async (): Promise<unknown> =>
      (await operations()).map(({ id, status, event }) => [id, status, event].join(' '));
    const wanted = ['a confirmed e2', 'b confirmed e3', 'c confirmed e6', 'd confirmed e0'];
    await fill(one(...told));
    expect(await whole()).toEqual(wanted);
    tables = tablesOf();
    for (const count of told.keys())
      await fill((cursor) => {
        const from = Number(cursor ?? 0);
        return ok(pageBody(told.slice(from, count + 1).slice(0, 1), String(Math.min(from, count) + 1)));
      });
    expect(await whole()).toEqual(wanted);
    expect(await numbers()).toHaveLength(8);
  });

  it('has an event that the service repeats once, where it came first, as it is now', async () => {
    const again = payout('e1', { reference: 'now' });
    await fill(one(payout('e1'), payout('e2'), again));
    expect(await numbers()).toEqual(['1 e1', '2 e2']);
    expect(await operations()).toMatchObject([{ reference: 'now' }, { reference: 'ref-e2' }]);
    const [row] = await tables.query("SELECT raw FROM svc_events WHERE id = 'e1'");
    expect(parsed(row!['raw'])).toEqual(JSON.parse(again));
  });

  it('keeps whatever an event holds, and the bytes where a column cannot say all of them', async () => {
    const EXACT = '{"n": 12345678901234567890.10, "e":1e3, "t":"\\u00e9\\\\u0000"}';
    const odd: Readonly<Record<string, string | Buffer>> = {
      zero: payout('zero', { reference: 'a\0b' }),
      half: payout('half', { reference: 'x' }).replace('"x"', '"\\ud800!"'),
      huge: payout('huge', { metadata: 'N' }).replace('"N"', '1e999999'),
      twice: payout('twice', { reference: 'x' }).replace('"x"', '"x","reference":"y"'),
      latin: Buffer.from(payout('latin', { reference: 'caf\u00e9' }), 'latin1'),
      deep: payout('deep', { metadata: 'D' }).replace('"D"', '['.repeat(5000) + ']'.repeat(5000)),
      nested: payout('nested', { metadata: 'D' }).replace('"D"', '['.repeat(1500) + ']'.repeat(1500)),
    };
    const plain: Readonly<Record<string, string>> = {
      exact: payout('exact', { metadata: 'N' }).replace('"N"', EXACT),
      typed: payout('typed').replace('payout.confirmed', 'payout.reversed'),
      empty: '{"id":"empty"}',
      contrary: payout('contrary', { status: 'failed' }).replace('payout.failed', 'payout.confirmed'),
      ping: '{"id":"ping","type":"test.ping","occurred_at":"yesterday","data":null}',
      long: payout('long', { reference: 'r'.repeat(30_000), metadata: { text: 'm'.repeat(200_000) } }),
    };
    const broken = Buffer.from('{"id":"broken","type":nonsense}');
    await fill(one(...Object.values(odd), ...Object.values(plain), broken));
    const rows = new Map((await events('*')).map((row) => [String(row['id']), row]));
    for (const [id, event] of Object.entries(odd)) {
      const bytes = rows.get(id)?.['raw_bytes'];
      if (id === 'nested') expect(rows.has(id)).toBe(true);
      else expect(Buffer.from(bytes as Uint8Array).equals(Buffer.from(event)), id).toBe(true);
    }
    for (const [id, event] of Object.entries(plain)) {
      expect(rows.get(id)?.['raw_bytes'], id).toBeNull();
      expect(parsed(rows.get(id)?.['raw']), id).toEqual(JSON.parse(event));
    }
    expect(rows.get('broken')).toMatchObject({ type: null, raw: null });
    expect(parsed(rows.get('zero')?.['raw'])).toMatchObject({ data: { reference: 'a\ufffdb' } });
    expect(parsed(rows.get('huge')?.['raw'])).toMatchObject({ data: { metadata: '1e999999' } });
    expect(parsed(rows.get('twice')?.['raw'])).toMatchObject({ data: { reference: 'y' } });
    const known = (await operations()).map(({ event }) => event);
    expect(known.toSorted().join(' ')).toBe('deep exact half huge latin long nested twice zero');
  });

  it('without --create is told which line makes the tables, and nothing is made', async () => {
    const missing = await tail(listFeed(ids(3)), '--no-follow --from 1');
    expect(missing.error()).toMatchObject({ exit_code: 16, code: 'into_missing' });
    const { next_command: next } = missing.error();
    expect(missing.error()['message']).toContain(String(next));
    const again = await tail(listFeed(ids(3)), '--no-follow');
    expect(again.error()['code']).toBe('into_missing');
    const words = (String(next).match(/'[^']*'|\S+/g) ?? []).slice(1).map((word) => word.replaceAll("'", ''));
    const env = { ...FEED_ENV, ...tables.env };
    const made = await home.svc(words, { env, transport: feedLine(listFeed(ids(3))) });
    expect(made.exitCode, made.stderr).toBe(0);
    expect(await numbers()).toEqual(['1 e2', '2 e3']);
  });

  it.each<[string, Record<string, string>, number]>([
    ['', { SVC_BASE_URL: 'http://localhost:4011' }, 13],
    ['--insecure-loopback', { SVC_API_KEY: 'svc_live_feedfeedfeed', SVC_ENV: 'live' }, 13],
    ['', { SVC_BASE_URL: 'http://127.0.0.1:4010' }, 0],
  ])('belongs to its environment and origin: %s %j ends with %i', async (words, env, exitCode) => {
    await fill(listFeed(ids(2)));
    const elsewhere = await tail(listFeed(ids(3)), `--no-follow ${words}`, { env });
    expect(elsewhere.exitCode, elsewhere.stderr).toBe(exitCode);
    if (exitCode === 13) expect(elsewhere.error()).toMatchObject({ code: 'other_place' });
    expect(await numbers()).toHaveLength(exitCode === 13 ? 2 : 3);
  });

  it('belongs to a company, proved by an operation that it holds: 13 for a key that does not see it', async () => {
    const operation = (status: number): RunOptions['transport'] => {
      const line = feedLine(one(payout('e1', { id: OPERATION })));
      return (request, limits) => {
        if (!request.url.endsWith(`/v2/transactions/${OPERATION}`)) return line(request, limits);
        const body = JSON.stringify({ id: OPERATION, type: 'payout', status: 'confirmed' });
        const refusal = refused(status, status === 404 ? 'not_found' : 'unauthorized');
        return Promise.resolve(status === 200 ? ok(body) : refusal);
      };
    };
    const run = (status: number, words = '--no-follow') =>
      tail(listFeed([]), words, { transport: operation(status)! });
    expect((await run(500, '--create --no-follow')).exitCode).toBe(0);
    expect((await run(200)).exitCode).toBe(0);
    expect((await run(404)).error()).toMatchObject({ exit_code: 13, code: 'other_company' });
    expect((await run(401)).exitCode).toBe(4);
    expect(await numbers()).toHaveLength(1);
  });

  it('is written by one run at a time: 15, and the other one goes on', async () => {
    await fill(listFeed(ids(2)));
    let second: Result | null = null;
    const transport = while_(async () => {
      second = await tail(listFeed(ids(5)), '--no-follow');
    })!;
    const first = await tail(listFeed([]), '--no-follow', { transport });
    expect(second!.error()).toMatchObject({ exit_code: 15, code: 'locked', retryable: true });
    expect(first.exitCode, first.stderr).toBe(0);
    expect(await numbers()).toHaveLength(5);
  }, 30_000);

  it('is not written by a run that was away while another one wrote: 15', async () => {
    await fill(listFeed(ids(2)));
    const holder = tables.env['SVC_INTO_PASSWORD'] === undefined ? '' : ", holder = 'another'";
    const transport = while_(() => tables.change(`UPDATE svc_feed SET sequence = sequence + 1${holder}`))!;
    const first = await tail(listFeed([]), '--no-follow', { transport });
    expect(first.error()).toMatchObject({ exit_code: 15, code: 'lease_lost' });
    expect(await numbers()).toHaveLength(2);
  });

  it.each([
    ['version = 2', 'store_newer'],
    ['version = 0', 'into_unusable'],
    ["position = '{}'", 'into_damaged'],
  ])('whose %s is 16: %s', async (change, code) => {
    await fill(listFeed(ids(2)));
    await tables.change(`UPDATE svc_feed SET ${change}`);
    expect((await tail(listFeed(ids(3)), '--no-follow')).error()).toMatchObject({ exit_code: 16, code });
    expect(await numbers()).toHaveLength(2);
  });

  it('takes columns, indexes and rows beside its own', async () => {
    await fill(listFeed(ids(2)));
    await tables.change('ALTER TABLE svc_operations ADD COLUMN note text');
    await tables.change('CREATE INDEX mine ON svc_operations (reference)');
    await fill(listFeed(ids(5)), '--no-follow');
    expect(await numbers()).toHaveLength(5);
  });

  it('keeps what was read before the service refused', async () => {
    const feed = listFeed(ids(9));
    const ends: FeedAnswer = (cursor, count) =>
      count > 2 ? refused(401, 'unauthorized') : feed(cursor, count);
    expect((await tail(ends, '--create --no-follow')).exitCode).toBe(4);
    expect(await numbers()).toHaveLength(6);
    await fill(feed, '--no-follow');
    expect(await numbers()).toHaveLength(9);
  });

  it('shows at a terminal how far it is, and nothing with --quiet', async () => {
    const tty = { stdout: true, stderr: true };
    const shown = await tail(listFeed(ids(3)), '--create --no-follow', { tty });
    expect([shown.stdout, shown.stderr]).toEqual(['', expect.stringContaining('Caught up: 3 events')]);
    expect((await tail(listFeed(ids(4)), '--no-follow --quiet', { tty })).stderr).toBe('');
  });

  it.each([
    ['--checkpoint x', '--checkpoint and --into'],
    ['--exec true', '--exec and --into'],
    ['--type payin.failed', '--type and --into'],
    ['--reference x', '--reference and --into'],
    ['--id x', '--id and --into'],
    ['--jq .', '--jq and --into'],
    ['-o ndjson', '--output and --into'],
  ])('excludes %s: 2', async (words, said) => {
    const { asked, error } = await tail(listFeed(ids(1)), `--no-follow --create ${words}`);
    expect(error()).toMatchObject({ exit_code: 2 });
    expect(error()['message']).toContain(said);
    expect(asked).toEqual([]);
  });
});
