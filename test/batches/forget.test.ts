import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FAILING, csv, fileIn, people } from '../support/payroll.js';
import { LOST, refusal, UNAVAILABLE, type Fate } from '../support/shaky-sandbox.js';
import { meddle } from '../support/database-dump.js';
import { batchHome } from '../support/batch-home.js';

const NAME = 'Zenaida Canaria';
const DAY_MS = 24 * 3_600_000;
const failing = (at: number) => (at === 2 ? FAILING : {});
const here = batchHome(people(4, (at) => ({ 'beneficiary.name': `${NAME} ${at}`, ...failing(at) })));
const { svc, begin } = here;

const namesKept = (): number[] => {
  const store = join(here.home.home, '.local/state/svc/batches.db');
  const files = ['', '-wal', '-shm'].map((end) => store + end).filter((file) => existsSync(file));
  const bytes = files.map((file) => readFileSync(file, 'latin1'));
  return [0, 1, 2, 3].filter((at) => bytes.some((text) => text.includes(`${NAME} ${at}`)));
};

it('removes every body of a finished batch, and keeps its books', async () => {
  expect((await begin()).json()).toMatchObject({ confirmed: 3, failed: 1 });
  expect(namesKept()).toEqual([0, 1, 2, 3]);
  const before = (await svc('batches export pay')).stdout;
  const result = await svc('batches forget pay --json');
  expect(result.json()).toEqual({ batch: 'pay', bodies_removed: 4, batch_removed: false });
  expect(namesKept()).toEqual([]);
  expect((await svc('batches export pay')).stdout).toBe(before);
  expect((await svc('batches status pay --json')).json()).toMatchObject({ confirmed: 3, failed: 1 });
  expect((await svc('batches forget pay --json')).json()).toMatchObject({ bodies_removed: 0 });
});

it('still keeps its rows from being paid twice, and says why it can retry none', async () => {
  await begin();
  await svc('batches forget pay');
  const posts = here.shaky.posts.length;
  expect((await begin()).failure()).toBe('13 batch_finished');
  expect((await svc(`payouts batch ${here.file} --batch other --json`)).failure()).toBe('13 references_paid');
  expect((await svc('batches retry pay --failed --json')).failure()).toBe('13 bodies_forgotten');
  expect((await svc('batches resume pay --json')).exitCode).toBe(3);
  expect(here.shaky.posts).toHaveLength(posts);
});

it.each<[string, readonly Fate[]]>([
  ['refused for the moment', UNAVAILABLE],
  ['unknown', LOST],
])('does not touch a batch with a row that is %s', async (_name, fates) => {
  await begin(...fates);
  const result = await svc('batches forget pay --json');
  expect(result.failure()).toBe('13 not_finished');
  expect(result.error()['next_command']).toBe('svc batches resume pay');
  expect(namesKept()).toEqual([0, 1, 2, 3]);
  expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 3, failed: 1 });
});

it('keeps the books of a batch whose rows failed, although a retry has put them all back to planned', async () => {
  fileIn(here.home.home, 'pay.csv', csv(people(1, () => FAILING)));
  expect((await begin()).json()).toMatchObject({ failed: 1 });
  here.shaky.next(refusal(401, 'unauthorized'));
  expect((await svc('batches retry pay --failed --json')).json()).toMatchObject({ states: { planned: 1 } });
  expect((await svc('batches forget pay --json')).error()).toMatchObject({ code: 'not_finished' });
  expect((await svc('batches status pay --json')).json()).toMatchObject({ not_sent: 1 });
});

it('removes a batch of which nothing ever left', async () => {
  await begin(refusal(401, 'unauthorized'));
  const result = await svc('batches forget pay --json');
  expect(result.json()).toEqual({ batch: 'pay', bodies_removed: 4, batch_removed: true });
  expect(namesKept()).toEqual([]);
  expect((await svc('batches forget pay --json')).exitCode).toBe(5);
  expect((await begin()).json()).toMatchObject({ confirmed: 3, failed: 1 });
});

it('keeps for 30 days what nothing needs any more, and what a retry needs for as long as it may need it', async () => {
  await begin(...UNAVAILABLE);
  here.home.clock.advance(30 * DAY_MS - 60_000);
  await svc('batches list');
  expect(namesKept()).toEqual([0, 1, 2, 3]);
  here.home.clock.advance(120_000);
  await svc('batches list');
  expect(namesKept()).toEqual([0, 2]);
  expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 3, failed: 1 });
  await svc('batches list');
  expect(namesKept()).toEqual([0, 2]);
  here.home.clock.advance(DAY_MS);
  await svc('batches list');
  expect(namesKept()).toEqual([2]);
  expect((await svc('batches retry pay --failed --json')).json()).toMatchObject({ confirmed: 3, failed: 1 });
});

it('keeps nothing of a file that is only looked at', async () => {
  await svc(`payouts batch ${here.file} --dry-run`);
  expect(namesKept()).toEqual([]);
});

it('is not kept from anything by a look at a file that was killed', async () => {
  await svc('batches list');
  const onStore = (sql: string): void => meddle(join(here.state, 'batches.db'), sql);
  onStore("CREATE TRIGGER killed BEFORE DELETE ON batches BEGIN SELECT RAISE(ABORT, 'killed'); END");
  expect((await svc(`payouts batch ${here.file} --dry-run`)).exitCode).toBe(16);
  onStore('DROP TRIGGER killed');
  expect((await svc('batches list --json')).json()).toEqual({ batches: [] });
  const looked = await svc(`payouts batch ${here.file} --dry-run --json`);
  expect(looked.json()).toMatchObject({ rows: 4, dry_run: true });
  expect((await begin()).json()).toMatchObject({ confirmed: 3, failed: 1 });
});
