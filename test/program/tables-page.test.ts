import { describe, expect, it } from 'vitest';
import { EVENT_COLUMNS, OPERATION_COLUMNS } from '../../src/events/into/rows.js';
import { eventJson } from '../feed/feed.js';
import { FEED_ENV, feedLine, ok } from '../support/feed-line.js';
import { type IntoTables, postgresTables, sqliteTables } from '../support/into-tables.js';
import { startPostgres } from '../support/postgres.js';
import { blocksOf, linesOf, pageOf } from '../support/readme.js';
import { eachWorld, type World } from '../support/svc.js';

const [TABLES, BOOKS] = [pageOf('docs/tables.md'), pageOf('docs/books.md')];
const SQL = [TABLES, BOOKS].flatMap((page) => blocksOf('sql', page));
const STATEMENTS = SQL.flatMap((block) => block.trim().split('\n'));

const server = await startPostgres();

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
  const home = eachWorld();

  it('answers', async () => {
    const tables = tablesOf(home);
    const data = { id: 'o1', status: 'confirmed', currency: 'VES', reference: 'rent-0001' };
    const transport = feedLine((cursor) =>
      ok(`{"events":[${cursor === null ? eventJson('e1', data) : ''}],"next_cursor":"c"}`),
    );
    const lines = blocksOf('sh', BOOKS).flatMap(linesOf);
    const typed = lines.find((text) => text.includes('--into'))!.split(' ');
    const words = typed.slice(1).map((word) => (word.startsWith('sqlite:') ? tables.into : word));
    const { exitCode, stderr } = await home.svc(words, { env: { ...FEED_ENV, ...tables.env }, transport });
    expect(exitCode, stderr).toBe(0);
    for (const statement of STATEMENTS) {
      if (statement.startsWith('CREATE')) await tables.change(statement);
      else expect(await tables.query(statement), statement).toHaveLength(1);
    }
  });
});
