/** docs/tables.md and the tables are one: every column is told of, and what is printed to be typed runs in each database. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { EVENT_COLUMNS, OPERATION_COLUMNS } from '../../src/events/into/rows.js';
import { eventJson } from '../events/feed.js';
import { ROOT } from '../house/source.js';
import { FEED_ENV, feedLine, ok } from '../support/feed-line.js';
import { type IntoTables, postgresTables, sqliteTables } from '../support/into-tables.js';
import { startPostgres } from '../support/postgres.js';
import { blocksOf, linesOf } from '../support/readme.js';
import { world, type World } from '../support/svc.js';

const [TABLES = '', BOOKS = ''] = ['docs/tables.md', 'docs/books.md'].map((path) =>
  readFileSync(join(ROOT, path), 'utf8'),
);
const STATEMENTS = [TABLES, BOOKS]
  .flatMap((page) => blocksOf('sql', page))
  .flatMap((block) => block.trim().split('\n'));

const server = await startPostgres();
afterAll(() => server?.stop());

describe('the page of the tables', () => {
  it('tells of every column, what it is in each database, and of no other', () => {
    const columns = (name: string): string[] => {
      const [, section = ''] = new RegExp(`^## .${name}.:[^]*?\\n(\\|[^]*?)\\n\\n`, 'm').exec(TABLES) ?? [];
      return section
        .split('\n')
        .slice(2)
        .flatMap((row) => {
          const [, names = '', type = ''] = row.split('|');
          return [...names.matchAll(/`(\w+)`/g)].map(
            ([, column = '']) => `${column} ${type.trim().replaceAll('`', '')}`,
          );
        });
    };
    const wanted = (all: Readonly<Record<string, string>>): string[] =>
      Object.entries(all).map((pair) => pair.join(' '));
    expect(columns('svc_events')).toEqual(wanted(EVENT_COLUMNS));
    expect(columns('svc_operations')).toEqual(wanted(OPERATION_COLUMNS));
  });

  it('has lines that are typed', () => {
    const lines = [...linesOf(blocksOf('sh', TABLES)[0]!), ...blocksOf('sh', BOOKS).flatMap(linesOf)];
    expect(lines.filter((line) => line.includes(' --into ')).length).toBe(3);
    expect(STATEMENTS.length).toBeGreaterThan(5);
  });
});

describe.each<[string, (home: World) => IntoTables]>([
  ['sqlite', ({ home }) => sqliteTables(home)],
  ...(server === null ? [] : [['postgres', () => postgresTables(server)] as [string, () => IntoTables]]),
])('what is printed, in %s', (_kind, tablesOf) => {
  let home: World;
  beforeEach(() => (home = world()));

  it('answers', async () => {
    const tables = tablesOf(home);
    const data = { id: 'o1', status: 'confirmed', currency: 'VES', reference: 'rent-0001' };
    const transport = feedLine((cursor) =>
      ok(`{"events":[${cursor === null ? eventJson('e1', data) : ''}],"next_cursor":"c"}`),
    );
    const line = blocksOf('sh', BOOKS)
      .flatMap(linesOf)
      .find((text) => text.includes('--into'))!;
    const words = line
      .split(' ')
      .slice(1)
      .map((word) => (word.startsWith('sqlite:') ? tables.into : word));
    const { exitCode, stderr } = await home.svc(words, { env: { ...FEED_ENV, ...tables.env }, transport });
    expect(exitCode, stderr).toBe(0);
    for (const statement of STATEMENTS) {
      if (statement.startsWith('CREATE')) await tables.change(statement);
      else expect(await tables.query(statement), statement).toHaveLength(1);
    }
  });
});
