import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { csv, people } from '../support/payroll.js';
import { LOST, NOT_ARRIVED, refusal, UNAVAILABLE, type Fate } from '../support/shaky-sandbox.js';
import { batchHome } from '../support/batch-home.js';

const here = batchHome();
const { svc, begin: run } = here;

const ONCE = { 'emp-0000': 1, 'emp-0001': 1, 'emp-0002': 1, 'emp-0003': 1 };
const INVALID = refusal(400, 'field_invalid');
const OTHER: Fate = { status: 201, body: { id: 'x', status: 'confirmed', amount: '1.00' } };

describe('a row that is', () => {
  it.each<[string, readonly Fate[], number, Record<string, number>]>([
    ['lost once on the way back', ['lost-after'], 0, { confirmed: 4 }],
    ['not answered at all', LOST, 12, { confirmed: 3, unknown: 1 }],
    ['refused for the moment', UNAVAILABLE, 10, { confirmed: 3, not_sent: 1 }],
    ['rejected', [INVALID], 3, { confirmed: 3, rejected: 1 }],
    ['lost, then rejected', ['lost-before', INVALID], 12, { confirmed: 3, unknown: 1, rejected: 0 }],
    ['answered with another amount', [OTHER, OTHER], 12, { confirmed: 3, unknown: 1 }],
  ])('%s', async (_name, fates, exitCode, counts) => {
    const result = await run(...fates);
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.json()).toMatchObject({ rows: 4, ...counts });
    const sums = result.json()['totals'] as { VES: Record<string, string> };
    expect(sums.VES['total']).toBe('408.00');
    if (exitCode !== 0) expect(result.error()).toMatchObject({ exit_code: exitCode });
    expect(Math.max(...Object.values(await here.shaky.ledger()))).toBe(1);
  });

  it('not known and not in the events is sent again by the command that is named, with the same key and bytes', async () => {
    const result = await run(...NOT_ARRIVED);
    expect(result.error()).toMatchObject({ outcome: 'unknown', next_command: 'svc batches resume pay' });
    expect(result.json()).toMatchObject({ resume_command: 'svc batches resume pay' });
    const [first] = here.shaky.posts;
    const before = here.shaky.posts.length;
    const resumed = await svc('batches resume pay --json');
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(resumed.json()).toMatchObject({ confirmed: 4, resume_command: null });
    expect(here.shaky.posts.slice(before)).toEqual([first]);
    expect(await here.shaky.ledger()).toEqual(ONCE);
  });

  it('not known and in the events is settled from them, and not sent', async () => {
    await run(...LOST);
    const before = here.shaky.posts.length;
    expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 4, unknown: 0 });
    expect(here.shaky.posts).toHaveLength(before);
    const operation_id = expect.stringMatching(/^[0-9a-f-]{36}$/) as string;
    const found = { state: 'confirmed', detail: 'Found in the events.', operation_id };
    expect((await here.rows())['emp-0000']).toMatchObject(found);
    expect(await here.shaky.ledger()).toEqual(ONCE);
  });

  it('older than 23 hours is not sent again: the events settle it, or a person decides', async () => {
    await run(...LOST, 'answered', ...NOT_ARRIVED);
    here.home.clock.advance(23.5 * 3_600_000);
    const posts = here.shaky.posts.length;
    const result = await svc('batches resume pay --json');
    expect(result).toMatchObject({ exitCode: 12 });
    const next = 'svc batches export --state needs_review pay';
    expect(result.error()).toMatchObject({ code: 'needs_review', next_command: next });
    expect(here.shaky.posts).toHaveLength(posts);
    expect(await here.rows()).toMatchObject({
      'emp-0000': { state: 'confirmed' },
      'emp-0002': { state: 'needs_review', code: 'too_old', operation_id: '' },
    });
    expect((await here.paste(result.error()['next_command'])).stdout).toContain('emp-0002');
    expect((await svc('batches resume pay --json')).exitCode).toBe(12);
    expect(here.shaky.posts).toHaveLength(posts);
  });
});

describe('a run stops', () => {
  it('at a key that is revoked in the middle: 4, and goes on with a new one', async () => {
    const result = await run('answered', refusal(401, 'unauthorized'));
    expect(result).toMatchObject({ exitCode: 4 });
    expect(result.json()).toMatchObject({ confirmed: 1, not_sent: 3 });
    expect(here.shaky.posts).toHaveLength(2);
    const again = await run();
    expect(again.json()).toMatchObject({ confirmed: 4 });
    expect(again.stderr).toContain('exists: svc continues it');
    expect(await here.shaky.ledger()).toEqual(ONCE);
  });

  it('after five equal refusals in a row, and not after five of different kinds', async () => {
    writeFileSync(here.file, csv(people(9)));
    const rejected = (field: string): Fate => refusal(400, 'field_invalid', [{ field, code: 'invalid' }]);
    const mixed = ['a', 'b', 'a', 'b', 'a', 'b'].map(rejected);
    expect((await run(...mixed)).json()).toMatchObject({ rejected: 6, confirmed: 3 });
    writeFileSync(here.file, csv(people(9, (at) => ({ reference: `again-${at}` }))));
    here.shaky.next(...Array<Fate>(9).fill(rejected('beneficiary.name')));
    const second = await svc(`payouts batch ${here.file} --batch second --concurrency 1 --json`);
    expect(second).toMatchObject({ exitCode: 3 });
    const next = 'svc batches resume second';
    expect(second.json()).toMatchObject({ rejected: 5, not_sent: 4, resume_command: next });
    expect(String(second.error()['message'])).toContain('five equal answers in a row');
  });
});

describe('a store that is gone', () => {
  it('in the middle of a run costs nobody a second payment', async () => {
    here.shaky.onPost = () => here.shaky.posts.length === 2 && rmSync(here.state, { recursive: true });
    await run();
    here.shaky.onPost = () => undefined;
    const refused = await run();
    expect(refused.error()).toMatchObject({ code: 'references_paid' });
    await here.paste(refused.error()['next_command']);
    expect(await here.shaky.ledger()).toEqual(ONCE);
  });

  it.each(['no database', ''])('or damaged (%j) is named, or knows from the events', async (content) => {
    await run();
    const store = join(here.state, 'batches.db');
    for (const suffix of ['-wal', '-shm']) rmSync(store + suffix, { force: true });
    writeFileSync(store, content.repeat(500));
    const result = await run();
    expect(result.failure()).toMatch(content === '' ? /^13 references_paid$/ : /^16 store_/);
    expect(result.error()['outcome']).toBe('not_sent');
    expect(await here.shaky.ledger()).toEqual(ONCE);
  });
});
