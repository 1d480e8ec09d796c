import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openBatchStore } from '../../src/storage/batches/sqlite-store.js';
import { BATCHES_KIND } from '../../src/storage/batches/schema.js';
import { batchHome } from '../support/batch-home.js';
import { people } from '../support/payroll.js';
import { meddle } from '../support/database-dump.js';

const ROWS = 60;
const here = batchHome(people(ROWS));
const store = (): string => join(here.home.ports.paths.state, 'batches.db');
const asVersion = (version: number) =>
  meddle(store(), `PRAGMA user_version = ${version}; UPDATE made_by SET last = '9.8.7'`);

const LINES = ['payouts batch FILE', 'batches resume pay', 'batches status pay', 'batches list'];
it.each(LINES)('%s ends with 16, names the version, and sends nothing', async (line) => {
  await here.svc(`payouts batch ${here.file} --dry-run`);
  await openBatchStore(store()).close();
  asVersion(BATCHES_KIND.version + 1);
  const result = await here.svc(line.replace('FILE', here.file));
  expect(result).toMatchObject({ exitCode: 16, stdout: '' });
  expect(result.error()).toMatchObject({ code: 'store_newer', outcome: 'not_sent' });
  expect(result.stderr).toContain('was written by svc 9.8.7');
  expect(here.shaky.posts).toEqual([]);
});

it('a run that is under way takes no more rows, and the same batch goes on with the right version', async () => {
  here.shaky.onPost = () => here.shaky.posts.length === 2 && asVersion(BATCHES_KIND.version + 1);
  const stopped = await here.begin();
  expect(stopped).toMatchObject({ exitCode: 16 });
  expect(stopped.error()).toMatchObject({ code: 'store_newer', outcome: 'unknown' });
  expect(stopped.error()['next_command']).toContain('svc batches resume pay');
  expect(here.shaky.posts.length).toBeLessThan(ROWS);
  here.shaky.onPost = () => undefined;
  asVersion(BATCHES_KIND.version);
  expect(await here.svc('batches resume pay --json')).toMatchObject({ exitCode: 0 });
  expect(Object.values(await here.shaky.ledger())).toEqual(Array(ROWS).fill(1));
});
