/** Batches whose service fails: every row is counted as what it is, and `resume` pays each once. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COLUMNS, csv, fileIn, people } from '../../support/payroll.js';
import { refusal, shakySandbox, type Fate, type ShakySandbox } from '../../support/shaky-sandbox.js';
import { world, type Result, type RunOptions, type World } from '../../support/svc.js';

let home: World;
let shaky: ShakySandbox;
let file: string;
beforeEach(() => {
  home = world();
  shaky = shakySandbox(home.clock);
  file = fileIn(home.home, 'pay.csv', csv(people(4)));
});
afterEach(() => {
  shaky.sandbox.close();
  home.remove();
});

const svc = (line: string, options: RunOptions = {}): Promise<Result> =>
  home.svc(line, { ...options, transport: shaky.transport, env: { ...shaky.env, ...options.env } });
/** One row after the other, so that it is known which one meets which fate. */
const run = (...fates: readonly Fate[]): Promise<Result> => {
  shaky.next(...fates);
  return svc(`payouts batch ${file} --concurrency 1 --json`);
};
const thrice = (fate: Fate): Fate[] => [fate, fate, fate];
const ONCE = { 'emp-0000': 1, 'emp-0001': 1, 'emp-0002': 1, 'emp-0003': 1 };
const UNAVAILABLE = refusal(503, 'temporarily_unavailable');

describe('a row that is', () => {
  it.each<[string, Fate[], number, Record<string, number>]>([
    ['lost once on the way back', ['lost-after'], 0, { confirmed: 4 }],
    ['lost once on the way there', ['lost-before'], 0, { confirmed: 4 }],
    ['not answered at all', thrice('lost-after'), 12, { confirmed: 3, unknown: 1 }],
    ['unreachable', thrice('refused'), 10, { confirmed: 3, not_sent: 1 }],
    ['refused for the moment', thrice(UNAVAILABLE), 10, { confirmed: 3, not_sent: 1 }],
    ['refused once for the moment', [UNAVAILABLE], 0, { confirmed: 4 }],
    [
      'rejected',
      [refusal(400, 'field_invalid', [{ field: 'amount', code: 'invalid' }])],
      3,
      { confirmed: 3, rejected: 1 },
    ],
    [
      'refused as another request',
      [refusal(409, 'idempotency_key_reused')],
      3,
      { confirmed: 3, rejected: 1 },
    ],
    [
      'lost, then refused for the moment',
      ['lost-after', UNAVAILABLE, UNAVAILABLE],
      12,
      { confirmed: 3, unknown: 1 },
    ],
    ['answered with HTML', thrice({ status: 201, body: '<html>' }), 12, { confirmed: 3, unknown: 1 }],
    [
      'answered without an id',
      thrice({ status: 201, body: { status: 'confirmed' } }),
      12,
      { confirmed: 3, unknown: 1 },
    ],
    [
      'answered by a broken gateway',
      thrice({ status: 502, body: '<html>' }),
      12,
      { confirmed: 3, unknown: 1 },
    ],
    [
      'answered with another amount',
      [{ status: 201, body: { id: 'x', status: 'confirmed', amount: '1.00' } }],
      12,
      { confirmed: 3, unknown: 1 },
    ],
    [
      'answered with another reference',
      [{ status: 201, body: { id: 'x', status: 'confirmed', reference: 'y' } }],
      12,
      { confirmed: 3, unknown: 1 },
    ],
    ['sent somewhere else', [{ status: 302, body: '' }], 10, { confirmed: 3, not_sent: 1 }],
  ])('%s', async (_name, fates, exitCode, counts) => {
    const result = await run(...fates);
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.json()).toMatchObject({ rows: 4, ...counts });
    const sums = result.json()['totals'] as { VES: Record<string, string> };
    expect(sums.VES['total']).toBe('408.00');
    if (exitCode !== 0) expect(result.error()).toMatchObject({ exit_code: exitCode });
    expect(Math.max(...Object.values(await shaky.ledger()))).toBe(1);
  });

  it('not known is sent again by the command that is named, with the same key and bytes', async () => {
    const result = await run(...thrice('lost-after'));
    expect(result.error()).toMatchObject({ outcome: 'unknown', next_command: 'svc batches resume pay' });
    expect(result.json()).toMatchObject({ resume_command: 'svc batches resume pay' });
    const [first] = shaky.posts;
    const before = shaky.posts.length;
    const resumed = await svc('batches resume pay --json');
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(resumed.json()).toMatchObject({ confirmed: 4, resume_command: null });
    expect(shaky.posts.slice(before)).toEqual([first]);
    expect(await shaky.ledger()).toEqual(ONCE);
  });

  it('unavailable is sent again by the same command line too', async () => {
    await run(...thrice(UNAVAILABLE));
    const result = await run();
    expect(result.json()).toMatchObject({ confirmed: 4 });
    expect(result.stderr).toContain('goes on where it stands');
    expect(await shaky.ledger()).toEqual(ONCE);
  });

  it('older than 23 hours is not sent again: it is looked for in the events, and a person decides', async () => {
    await run(...thrice('lost-after'), 'answered', ...thrice('lost-before'));
    home.clock.advance(23.5 * 3_600_000);
    const posts = shaky.posts.length;
    const result = await svc('batches resume pay --json');
    expect(result).toMatchObject({ exitCode: 12 });
    expect(result.error()).toMatchObject({ code: 'needs_review' });
    expect(shaky.posts).toHaveLength(posts);
    const { rows } = (await svc('batches export pay --state needs_review --json')).json() as {
      rows: Record<string, string>[];
    };
    expect(rows).toMatchObject([
      {
        reference: 'emp-0000',
        code: 'too_old',
        detail: expect.stringContaining('confirmed, 100.50 VES') as string,
      },
      { reference: 'emp-0002', operation_id: '', detail: expect.stringContaining('No event') as string },
    ]);
    expect((await svc('batches resume pay --json')).exitCode).toBe(12);
    expect(shaky.posts).toHaveLength(posts);
  });

  it('under way while the clock jumps a day ahead is not sent once more', async () => {
    shaky.onPost = () => shaky.posts.length === 1 && home.clock.advance(24 * 3_600_000);
    const result = await run('lost-after');
    expect(result).toMatchObject({ exitCode: 12 });
    expect(result.json()).toMatchObject({ confirmed: 3, unknown: 1, states: { needs_review: 1 } });
    expect(await shaky.ledger()).toEqual(ONCE);
    expect(shaky.posts).toHaveLength(4);
  });

  it('not judged by a clock that went back', async () => {
    await run(...thrice('lost-after'));
    home.clock.advance(-3_600_000);
    const posts = shaky.posts.length;
    expect((await svc('batches resume pay --json')).exitCode).toBe(12);
    expect(shaky.posts).toHaveLength(posts);
  });
});

describe('a run stops', () => {
  it('at a key that is revoked in the middle: 4, and goes on with a new one', async () => {
    const result = await run('answered', refusal(401, 'unauthorized'));
    expect(result).toMatchObject({ exitCode: 4 });
    expect(result.json()).toMatchObject({ confirmed: 1, not_sent: 3 });
    expect(shaky.posts).toHaveLength(2);
    expect((await run()).json()).toMatchObject({ confirmed: 4 });
    expect(await shaky.ledger()).toEqual(ONCE);
  });

  it('at a key without the scope', async () => {
    expect((await run(refusal(403, 'scope_missing'))).exitCode).toBe(4);
    expect(shaky.posts).toHaveLength(1);
  });

  it('after five equal refusals in a row, and not after five of different kinds', async () => {
    writeFileSync(file, csv(people(9)));
    const rejected = (field: string): Fate => refusal(400, 'field_invalid', [{ field, code: 'invalid' }]);
    const mixed = ['a', 'b', 'a', 'b', 'a', 'b'].map(rejected);
    const first = await run(...mixed);
    expect(first.json()).toMatchObject({ rejected: 6, confirmed: 3 });
    writeFileSync(file, csv(people(9, (at) => ({ reference: `again-${at}` }))));
    shaky.next(...Array<Fate>(9).fill(rejected('beneficiary.name')));
    const second = await svc(`payouts batch ${file} --batch second --concurrency 1 --json`);
    expect(second).toMatchObject({ exitCode: 3 });
    expect(second.json()).toMatchObject({
      rejected: 5,
      not_sent: 4,
      resume_command: 'svc batches resume second',
    });
    expect(String(second.error()['message'])).toContain('five equal refusals');
  });

  it('when nothing answers any more, before the whole file is tried', async () => {
    writeFileSync(file, csv(people(200)));
    const result = await run(...Array<Fate>(600).fill('refused'));
    expect(result).toMatchObject({ exitCode: 10 });
    expect(result.json()).toMatchObject({ not_sent: 200 });
    expect(shaky.posts).toHaveLength(150);
  });

  it('waits for everybody as long as a rate limit asks', async () => {
    const startMs = home.clock.monotonic();
    const transport = shaky.transport;
    let limited = 3;
    const result = await home.svc(`payouts batch ${file} --json`, {
      env: shaky.env,
      transport: async (request, options) => {
        if (request.method !== 'POST' || (limited -= 1) < 0) return transport(request, options);
        const body = Buffer.from(JSON.stringify({ error: { code: 'rate_limited', message: 'slow down' } }));
        return { status: 429, headers: [['retry-after', '7']], body };
      },
    });
    expect(result.json()).toMatchObject({ confirmed: 4 });
    expect(home.clock.monotonic() - startMs).toBeGreaterThanOrEqual(7000);
  });
});

describe('a store that is gone', () => {
  it('finds the same keys again: nothing is paid twice, and an edited amount is refused', async () => {
    await run();
    const first = shaky.posts.map(({ headers }) => headers['idempotency-key']);
    rmSync(join(home.home, '.local/state/svc'), { recursive: true });
    const edited = people(5, (at) => (at === 2 ? { amount: '999.00' } : {})).toReversed();
    writeFileSync(file, `\ufeff${csv(edited, [...COLUMNS].reverse(), '\r\n')}`);
    const result = await run();
    expect(result).toMatchObject({ exitCode: 3 });
    expect(result.json()).toMatchObject({ rows: 5, confirmed: 4, rejected: 1, states: { conflict: 1 } });
    const second = shaky.posts.slice(4).map(({ headers }) => headers['idempotency-key']);
    expect(second).toEqual(expect.arrayContaining(first));
    expect(await shaky.ledger()).toEqual({ ...ONCE, 'emp-0004': 1 });
  });

  it('in the middle of a run costs nobody a second payment', async () => {
    const state = join(home.home, '.local/state/svc');
    shaky.onPost = () => shaky.posts.length === 2 && rmSync(state, { recursive: true });
    await run();
    shaky.onPost = () => undefined;
    expect(await shaky.ledger()).toEqual(ONCE);
    expect((await run()).json()).toMatchObject({ confirmed: 4 });
    expect(await shaky.ledger()).toEqual(ONCE);
  });

  it.each(['no database', ''])('or damaged (%j) is named, or begins anew', async (content) => {
    await run();
    const store = join(home.home, '.local/state/svc/batches.db');
    for (const suffix of ['-wal', '-shm']) rmSync(store + suffix, { force: true });
    writeFileSync(store, content.repeat(500));
    const result = await run();
    expect([0, 16]).toContain(result.exitCode);
    expect(await shaky.ledger()).toEqual(ONCE);
  });
});
