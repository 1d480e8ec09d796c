/** Every line that a batch prints to be typed, typed into a shell as it was printed: names with spaces, files with quotes and a dash in front. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { csv, people, person, type Cells } from '../support/payroll.js';
import { shell, type Ended } from '../support/program.js';

const NAME = "july's pay $HOME.csv";
const BATCH = "'a: july 1 pay'";
const FAILING = { 'beneficiary.document.number': '00000001' };

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "svc it's-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const run = (line: string): Promise<Ended> => shell(`cd "$HOME"; ${line}`, home);
/** A file whose name no shell reads as it stands, and the words that name it. */
const fileOf = (rows: readonly Cells[], name = `-${NAME}`): string => {
  writeFileSync(join(home, name), csv(rows));
  return `-- '${name.replaceAll("'", `'\\''`)}'`;
};
const send = (rows: readonly Cells[], words = `--batch ${BATCH}`): Promise<Ended> =>
  run(`svc payouts batch --json --concurrency 1 ${words} ${fileOf(rows)}`);
const fault = (words: string): Promise<Ended> => run(`svc sandbox fault --route payouts.create ${words}`);

interface Printed {
  readonly code: string;
  readonly next_command: string | null;
  readonly message: string;
}
const errorOf = ({ stderr }: Ended): Printed =>
  (JSON.parse(stderr.trimEnd().split('\n').at(-1)!) as { error: Printed }).error;
/** Types what was printed. */
const follow = (ended: Ended): Promise<Ended> => {
  const { next_command: next } = errorOf(ended);
  expect(next, ended.stderr).not.toBeNull();
  return run(next!);
};
const answer = ({ stdout }: Ended): unknown => JSON.parse(stdout);

it('what was refused for the moment is resumed, and what is finished is shown', async () => {
  await fault('--status 503 --count 3');
  const stopped = await send(people(2));
  expect(stopped.code, stopped.stderr).toBe(10);
  expect((answer(stopped) as { resume_command: string }).resume_command).toBe(errorOf(stopped).next_command);
  expect(answer(await follow(stopped))).toMatchObject({ confirmed: 2 });
  const finished = await send(people(2));
  expect(errorOf(finished)).toMatchObject({ code: 'batch_finished' });
  expect(answer(await follow(finished))).toMatchObject({ rows: 2, confirmed: 2 });
}, 180_000);

it('what is open is resumed; a file that was changed since does not stop that', async () => {
  await fault('--kind drop-before --count 3');
  expect((await send(people(2))).code).toBe(12);
  const changed = await send(
    people(2, () => ({ amount: '7.00' })),
    `--batch ${BATCH} --allow-duplicates`,
  );
  expect(errorOf(changed)).toMatchObject({ code: 'file_changed' });
  expect(answer(await follow(changed))).toMatchObject({
    confirmed: 2,
    totals: { VES: { confirmed: '202.00' } },
  });
}, 180_000);

it('rows that failed are exported', async () => {
  const failed = await send([person(0, FAILING), person(1)]);
  expect(failed.code).toBe(3);
  const exported = await follow(failed);
  expect(exported.stdout).toContain('emp-0000,100.50,VES,failed');
}, 180_000);

it('what was paid under another name is left out; another payment is meant by a line that is the typed one with more words', async () => {
  expect((await send(people(2))).code).toBe(0);
  const young = await send(people(3), "--batch 'another one'");
  expect(errorOf(young).next_command).toMatch(/--batch 'another one' --skip-paid -- '-july'/);
  expect(answer(await follow(young))).toMatchObject({ earlier: 2, confirmed: 1 });
  expect((await run(/empty the sandbox: (.*)$/m.exec(errorOf(young).message)![1]!)).code).toBe(0);
  expect((await send(people(2), '--batch first')).code).toBe(0);
  await run('svc sandbox clock advance 31d');
  const old = await send(people(2), "--batch 'next month'");
  expect(errorOf(old).next_command).toMatch(/ --skip-paid -- '-july'/);
  const [, another = ''] = errorOf(old).message.split('you mean another payment: ');
  expect(another).toMatch(/ --new-since 20\S+Z -- '-july'/);
  expect(answer(await run(another))).toMatchObject({ confirmed: 2 });
}, 180_000);

it('what is under way in another batch, or in a single create, comes first', async () => {
  await fault('--kind drop-before --count 3');
  expect((await send(people(1))).code).toBe(12);
  const other = await send(people(1), '--batch other');
  expect(errorOf(other)).toMatchObject({ next_command: `svc batches resume ${BATCH}` });
  expect(answer(await follow(other))).toMatchObject({ confirmed: 1 });
  await fault('--kind drop-before --count 3');
  const single = await run(
    `svc payouts create --json --idempotency-key "--it's a key" --reference emp-0005 --amount 105.50 --country VE ` +
      '--currency VES --method mobile_payment --purpose payroll --beneficiary name=Ana --beneficiary document.type=V ' +
      '--beneficiary document.number=20000005 --beneficiary bank_code=0102 --beneficiary account_number=04121000005',
  );
  expect(single.code, single.stderr).toBe(12);
  const batch = await send([person(5)], '--batch third');
  expect(errorOf(batch).next_command).toBe(`svc requests repeat -- '--it'\\''s a key'`);
  expect((await follow(batch)).code).toBe(0);
}, 180_000);

it('a row that needs a person is exported', async () => {
  await fault('--kind drop-before --count 3');
  expect((await send(people(2))).code).toBe(12);
  await run('svc sandbox clock advance 24h');
  const review = await run(`svc batches resume --json ${BATCH}`);
  expect(errorOf(review)).toMatchObject({ code: 'needs_review' });
  const exported = await follow(review);
  expect(exported.stdout).toContain('emp-0000,100.50,VES,needs_review');
  const forget = await run(`svc batches forget --json ${BATCH}`);
  expect(errorOf(forget)).toMatchObject({ code: 'not_finished' });
  expect(answer(await follow(forget))).toMatchObject({ unknown: 1 });
}, 180_000);

it('a batch with another time is dropped where that is printed, and its rows are paid under the time that was meant', async () => {
  expect((await send(people(1), '--batch before')).code).toBe(0);
  await run('svc sandbox clock advance 31d');
  const { stdout } = await run('svc sandbox clock --jq .now');
  await run('svc sandbox clock advance 1h');
  await fault('--status 503 --count 3');
  expect((await send(people(1), `--batch ${BATCH} --new-since ${stdout.trim()}`)).code).toBe(10);
  const other = await send(people(1), `--batch ${BATCH} --new-since 2026-01-01`);
  expect(errorOf(other)).toMatchObject({ code: 'batch_differs' });
  expect(answer(await follow(other))).toMatchObject({ rows_dropped: 1, batch_removed: true });
  const again = await send(people(1), `--batch ${BATCH} --new-since ${stdout.trim()}`);
  expect(answer(again)).toMatchObject({ confirmed: 1 });
}, 180_000);
