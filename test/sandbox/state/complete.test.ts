import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { testFolder } from '../../support/test-folder.js';
import { exported, imported, live, opened, steps } from './life.js';
import { rounds } from '../../support/rounds.js';

const OTHER_TABLES = ['requests', 'made_by'];
const UNNAMED = ['faults', 'ledger', 'webhook_endpoints', 'deliveries'];

function rowsOf(file: string): Record<string, string[]> {
  const db = new DatabaseSync(file, { readOnly: true });
  const tables = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'")
    .all();
  const names = tables.map(({ name }) => String(name)).filter((name) => !OTHER_TABLES.includes(name));
  const rows = names.map((name): [string, string[]] => {
    const all = db
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .filter(({ value }) => value !== '0');
    // A clock that was never moved is stored as 0 or not at all.
    const shown = all.map(({ row, ...columns }) =>
      JSON.stringify(UNNAMED.includes(name) ? columns : { row, ...columns }),
    );
    return [name, UNNAMED.includes(name) ? shown.sort() : shown];
  });
  db.close();
  return Object.fromEntries(rows);
}

it('leaves the same rows in another file', () => {
  const folder = testFolder();
  const filled = new Set<string>();
  let count = 0;
  const open = (name: string, startMs?: number) => {
    const file = join(folder, `${name}-${String(count)}.db`);
    return { file, ...opened(name, startMs, file) };
  };
  fc.assert(
    fc.property(steps, (all) => {
      count += 1;
      const one = open('one');
      live(
        one,
        all.filter((step) => step.do !== 'control' || step.path !== 'reset'),
      );
      const document = exported(one.sandbox);
      const other = open('other', one.clock.now());
      expect(imported(other.sandbox, document).status).toBe(200);
      one.sandbox.close();
      other.sandbox.close();
      const [before, after] = [rowsOf(one.file), rowsOf(other.file)];
      expect(after).toEqual(before);
      for (const [name, rows] of Object.entries(before)) if (rows.length > 0) filled.add(name);
    }),
    { numRuns: rounds(40) },
  );
  expect(filled).toContain('idempotency');
  expect([...filled].sort()).toEqual(Object.keys(rowsOf(join(folder, 'one-1.db'))).sort());
}, 120_000);
