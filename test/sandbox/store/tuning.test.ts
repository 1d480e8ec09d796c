import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testFolder } from '../../support/test-folder.js';
import { ask, opened, PAYOUT } from './request.js';

function pageBytes(file: string): unknown {
  const db = new DatabaseSync(file);
  const { page_size: bytes } = db.prepare('PRAGMA page_size').get() as { page_size: unknown };
  db.close();
  return bytes;
}

function payIn(file: string): number {
  const sandbox = opened(file);
  const { status } = ask(sandbox, 'POST', '/v2/payouts', PAYOUT, 'key-of-the-test');
  sandbox.close();
  return status;
}

it('is 2 KiB a page for a new file', () => {
  const file = join(testFolder(), 'sandbox.db');
  expect(payIn(file)).toBe(201);
  expect(pageBytes(file)).toBe(2048);
});

it('is what it was for a file that is there', () => {
  const file = join(testFolder(), 'sandbox.db');
  const db = new DatabaseSync(file);
  db.exec('PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; VACUUM');
  db.close();
  expect(payIn(file)).toBe(201);
  expect(pageBytes(file)).toBe(8192);
});
