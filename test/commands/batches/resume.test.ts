/** `svc batches resume`, `retry`, `list`, `status`, `export`: going on with what was begun, and the books about it. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stopped } from '../../../src/runtime/ports.js';
import { csv, feesCsv, fileIn, people, person } from '../../support/payroll.js';
import { ADDRESS, refusal, shakySandbox, type Fate, type ShakySandbox } from '../../support/shaky-sandbox.js';
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
  home.svc(line, { transport: shaky.transport, ...options, env: { ...shaky.env, ...options.env } });
const UNAVAILABLE = refusal(503, 'temporarily_unavailable');
const begin = (...fates: readonly Fate[]): Promise<Result> => {
  shaky.next(...fates);
  return svc(`payouts batch ${file} --concurrency 1 --json`);
};
const half = (): Promise<Result> => begin('answered', ...Array<Fate>(3).fill(UNAVAILABLE));

describe('resume', () => {
  it('needs no file, and stops at one that was changed', async () => {
    await half();
    writeFileSync(file, csv(people(5)));
    const changed = await svc('batches resume pay --json');
    expect(changed.error()).toMatchObject({ code: 'file_changed', exit_code: 13 });
    rmSync(file);
    expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 4 });
  });

  it('stops at another address or profile', async () => {
    await half();
    const elsewhere = await svc('batches resume pay --json', {
      env: { SVC_BASE_URL: 'http://localhost:4011' },
    });
    expect(elsewhere.error()).toMatchObject({ code: 'batch_differs', exit_code: 13 });
    await svc(`profiles add acme --base-url ${ADDRESS}`, { env: { SVC_API_KEY: '', SVC_BASE_URL: '' } });
    const profile = await svc('batches resume pay --profile acme --json');
    expect(profile.exitCode).not.toBe(0);
    expect(shaky.posts).toHaveLength(6);
  });

  it('says where there is no such batch', async () => {
    const result = await svc('batches resume nobody --json');
    expect(result.error()).toMatchObject({ exit_code: 5 });
  });

  it('keeps to the flags of a run', async () => {
    await half();
    const startMs = home.clock.monotonic();
    await begin(...Array<Fate>(3).fill(UNAVAILABLE));
    const result = await svc('batches resume pay --rate 1/s --concurrency 2 --wait-timeout 5s --json');
    expect(result.json()).toMatchObject({ confirmed: 4 });
    expect(home.clock.monotonic()).toBeGreaterThan(startMs);
    expect((await svc('batches resume pay --rate x')).exitCode).toBe(2);
    expect((await svc('batches resume pay --confirm-total VES:1 --json')).error()).toMatchObject({
      code: 'total_differs',
    });
  });

  it('follows what is pending with --wait, and ends with 8 where time runs out', async () => {
    writeFileSync(file, csv([person(1, { 'beneficiary.document.number': '00000002' })]));
    expect((await begin()).json()).toMatchObject({ pending: 1 });
    expect((await svc('batches resume pay --wait --json')).json()).toMatchObject({
      confirmed: 1,
      pending: 0,
    });
    const fees = fileIn(home.home, 'fees.csv', feesCsv('incoming_transfer'));
    const waiting = await svc(`payins batch ${fees} --wait-timeout 2s --json`);
    expect(waiting).toMatchObject({ exitCode: 8 });
    expect(waiting.error()).toMatchObject({
      code: 'still_pending',
      next_command: 'svc batches resume fees --wait',
    });
  });

  it('is locked out by another run: 15', async () => {
    await half();
    let inner: Result | null = null;
    shaky.onPost = async () => {
      inner ??= await svc('batches resume pay --json');
    };
    expect((await svc('batches resume pay --json')).exitCode).toBe(0);
    expect(inner!.error()).toMatchObject({ code: 'locked', exit_code: 15 });
  });
});

describe('a signal', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    '%s lets what is under way end, saves, and names the command that goes on',
    async (name, exitCode) => {
      const controller = new AbortController();
      shaky.onPost = () => shaky.posts.length === 2 && controller.abort(new Stopped(name, exitCode));
      const result = await svc(`payouts batch ${file} --concurrency 1 --json`, { signal: controller.signal });
      expect(result).toMatchObject({ exitCode });
      expect(result.json()).toMatchObject({ confirmed: 2, not_sent: 2, unknown: 0 });
      expect(result.stderr).toContain('Once more ends it at once, safely. Then: svc batches resume pay');
      expect(result.error()).toMatchObject({ code: 'stopped', next_command: 'svc batches resume pay' });
      shaky.onPost = () => undefined;
      expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 4 });
      expect(shaky.posts).toHaveLength(4);
    },
  );
});

describe('retry', () => {
  it('starts failed rows anew with another key, and rejected ones with their own', async () => {
    writeFileSync(
      file,
      csv([person(0), person(1, { 'beneficiary.document.number': '00000001' }), person(2)]),
    );
    await begin('answered', 'answered', refusal(400, 'method_unavailable'));
    const [, failed, rejected] = shaky.posts.map(({ headers }) => headers['idempotency-key']);
    expect((await svc('batches retry pay')).exitCode).toBe(2);
    const result = await svc('batches retry pay --failed --concurrency 1 --json');
    expect(result.json()).toMatchObject({ confirmed: 2, failed: 1 });
    const keys = shaky.posts.slice(3).map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(keys[0]).not.toBe(failed);
    expect(keys[1]).toBe(rejected);
  });

  it('has nothing to do where nothing failed', async () => {
    await begin();
    expect((await svc('batches retry pay --failed')).exitCode).toBe(2);
    expect(shaky.posts).toHaveLength(4);
  });
});

describe('the books', () => {
  it('list and show every batch', async () => {
    await half();
    const { batches } = (await svc('batches list --json')).json() as { batches: object[] };
    expect(batches).toMatchObject([{ batch: 'pay', type: 'payout', rows: 4, confirmed: 3, not_sent: 1 }]);
    const status = (await svc('batches status pay --json')).json();
    expect(status).toMatchObject({
      rows: 4,
      confirmed: 3,
      not_sent: 1,
      resume_command: 'svc batches resume pay',
      file,
    });
    expect((await svc('batches status nobody')).exitCode).toBe(5);
  });

  it('are exported as CSV, every row with what became of it', async () => {
    await begin('answered', refusal(400, 'field_invalid', [{ field: 'amount', code: 'invalid' }]));
    const { stdout } = await svc('batches export pay');
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toBe(
      'line,reference,amount,currency,state,operation_id,code,detail,sent_at,idempotency_key',
    );
    expect(lines).toHaveLength(5);
    expect(lines[2]).toMatch(
      /^3,emp-0001,101\.50,VES,rejected,,field_invalid,amount invalid,2026-.*,svcb1-[\w-]{43}$/,
    );
    const filtered = await svc('batches export pay --state rejected --state failed -o ndjson');
    expect(filtered.stdout.trimEnd().split('\n')).toHaveLength(1);
    expect((await svc('batches export pay --state planned')).stdout).toBe(`${lines[0]}\n`);
    expect((await svc('batches export pay --state planned -o ndjson')).stdout).toBe('');
  });

  it('disarm what a spreadsheet would take for a formula', async () => {
    writeFileSync(file, csv([person(1, { reference: '=1+1' })]));
    await begin();
    expect((await svc('batches export pay')).stdout).toContain("'=1+1");
  });

  it('that do not add up stop everything', async () => {
    await half();
    const db = new DatabaseSync(join(home.home, '.local/state/svc/batches.db'));
    db.exec('DELETE FROM rows WHERE number = 3');
    db.close();
    const posts = shaky.posts.length;
    expect((await svc('batches status pay --json')).error()).toMatchObject({
      code: 'unbalanced',
      exit_code: 16,
    });
    expect((await svc('batches resume pay --json')).error()).toMatchObject({
      code: 'unbalanced',
      exit_code: 16,
    });
    expect(shaky.posts).toHaveLength(posts);
  });
});
