import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { feesCsv, fileIn, people } from '../support/payroll.js';
import { batchHome, type BatchHome } from '../support/batch-home.js';
import { LOST, NOT_ARRIVED } from '../support/shaky-sandbox.js';
import type { Result, RunOptions } from '../support/svc.js';

const HOUR_MS = 3_600_000;
const PENDING = 'fee-1';
const NEVER = 'fee-2';

async function twoOldRows(here: BatchHome, words = ''): Promise<void> {
  const fees = [PENDING, NEVER].map((name) => `${name},20.00`);
  const [head, ...lines] = feesCsv('incoming_transfer', fees).trimEnd().split('\n');
  const text = [`${head},expires_in_hours`, ...lines.map((line) => `${line},72`)].join('\n');
  const file = fileIn(here.home.home, 'fees.csv', text);
  here.shaky.next(...LOST, ...NOT_ARRIVED);
  await here.svc(`payins batch ${file} --batch fees --allow-duplicates --concurrency 1 ${words}`);
  here.home.clock.advance(23.5 * HOUR_MS);
  const resumed = await here.svc('batches resume fees --json');
  expect(resumed.json(), resumed.stderr).toMatchObject({ states: { needs_review: 2 } });
  here.shaky.posts.length = 0;
}

describe('in the sandbox, beside another batch', () => {
  const here = batchHome(people(1));
  const { svc } = here;
  const notPaid = (reference: string, options?: RunOptions): Promise<Result> =>
    svc(`batches resolve fees --reference ${reference} --not-paid --json`, options);
  const row = async (reference: string) => (await here.rows('fees'))[reference]!;

  beforeEach(async () => {
    await here.begin();
    await twoOldRows(here);
  });

  it('nothing is sent with the word, and a retry pays once, with the same key', async () => {
    const { idempotency_key: before } = await row(NEVER);
    expect((await notPaid(NEVER)).json()).toMatchObject({ failed: 1, unknown: 1 });
    expect(here.shaky.posts).toEqual([]);
    expect(await row(NEVER)).toMatchObject({ state: 'failed', code: 'not_paid' });
    expect((await svc('batches retry fees --json')).json()).toMatchObject({ pending: 1 });
    expect(here.shaky.posts.map(({ headers }) => headers['idempotency-key'])).toEqual([before]);
    expect((await row(NEVER))['idempotency_key']).toBe(before);
  });

  it('a false word is met by the payment that was made', async () => {
    await notPaid(PENDING);
    expect((await svc('batches retry fees --json')).json()).toMatchObject({ failed: 0 });
    expect(await row(PENDING)).toMatchObject({ state: 'earlier' });
    expect(here.shaky.posts).toHaveLength(1);
  });

  it('stays in the books as decided, when and what', async () => {
    await notPaid(NEVER);
    await svc('batches retry fees --failed');
    const db = new DatabaseSync(join(here.state, 'batches.db'), { readOnly: true });
    const ask = 'SELECT number, generation, decision, state, decided_at FROM decisions';
    const decisions = db.prepare(ask).all();
    db.close();
    const said = { number: 1, generation: 1, decision: 'not_paid', state: 'failed' };
    expect(decisions).toEqual([{ ...said, decided_at: expect.any(Number) as number }]);
    const { decided_at: atMs } = decisions[0] as { decided_at: number };
    expect(new Date(atMs).toISOString()).toMatch(/^2026-09-24T14:30:/);
  });
});

describe('live', () => {
  const PERSON = { stdin: true, stderr: true } as const;
  const here = batchHome(people(1), 'live');
  const { svc } = here;
  const notPaid = (words = '', options: RunOptions = {}): Promise<Result> =>
    svc(`batches resolve fees --reference ${NEVER} --not-paid --json ${words}`, options);
  beforeEach(() => twoOldRows(here, '--confirm-total VES:40.00 --first-here'));

  it('nobody says so without saying it twice, and the retry is confirmed by its total', async () => {
    expect((await notPaid()).failure()).toBe('13 not_confirmed');
    for (const stdin of ['no\n', 'y\n', '\n', ''])
      expect((await notPaid('', { tty: PERSON, stdin })).exitCode, stdin).toBe(13);
    const yes = await notPaid('', { tty: PERSON, stdin: 'yes\n' });
    expect(yes.exitCode, yes.stderr).toBe(0);
    expect(yes.stderr).toContain(`${NEVER}, VES 20.00`);
    for (const [options, told] of [
      [{}, '"code":"not_confirmed"'],
      [{ tty: PERSON, stdin: 'yes\n' }, 'Nothing was sent.'],
    ] as const)
      expect(await svc('batches retry fees --failed --json', options)).toMatchObject({
        exitCode: 13,
        stderr: expect.stringContaining(told) as string,
      });
    const retried = await svc('batches retry fees --failed --json', { tty: PERSON, stdin: '20.00\n' });
    expect(retried.json(), retried.stderr).toMatchObject({ pending: 1, unknown: 1 });
  });

  it('a signal ends the question, and what is typed after it decides nothing', async () => {
    const stop = new AbortController();
    const onNote = (text: string): void => {
      if (text.includes('type yes')) stop.abort(new Stopped('SIGINT', 130));
    };
    const result = await notPaid('', { tty: PERSON, stdin: 'yes\n', signal: stop.signal, onNote });
    expect(result.exitCode).toBe(130);
    expect(result.stderr).toContain('Nothing was changed.');
    expect((await here.rows('fees'))[NEVER]).toMatchObject({ state: 'needs_review' });
  });

  it('a script says --yes', async () => expect((await notPaid('--yes')).json()).toMatchObject({ failed: 1 }));
});
