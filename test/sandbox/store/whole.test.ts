import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../../support/test-folder.js';
import { ask, opened, PAYOUT } from './request.js';

it('leaves rows in the tables of companies, keys, settings and makers alone', () => {
  const file = join(testFolder(), 'sandbox.db');
  const sandbox = opened(file);
  ask(sandbox, 'POST', '/v2/payouts', PAYOUT, 'key-number-1');
  const db = new DatabaseSync(file);
  db.exec("CREATE TABLE of_a_later_day (id TEXT); INSERT INTO of_a_later_day VALUES ('s1')");
  const names = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*'")
    .all()
    .map(({ name }) => String(name));
  const filled = (): string[] =>
    names.filter((name) => db.prepare(`SELECT 1 FROM ${name}`).get() !== undefined);
  expect(filled()).toEqual(expect.arrayContaining(['operations', 'balances', 'events', 'of_a_later_day']));

  ask(sandbox, 'POST', '/_control/reset');
  expect(filled().toSorted()).toEqual(['companies', 'keys', 'made_by', 'meta']);
  db.close();
  sandbox.close();
});
