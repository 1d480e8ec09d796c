/**
 * A table of a store, said once for both engines: the type of each column, whether a worker may change it, whether a reader sees it. The tables
 * of PostgreSQL and SQLite, the grants, the lists of columns and the types of records follow from it.
 */

/** What a column holds, as PostgreSQL and as SQLite call it. */
const TYPES = {
  text: ['text', 'TEXT'],
  integer: ['integer', 'INTEGER'],
  bigint: ['bigint', 'INTEGER'],
  float: ['double precision', 'REAL'],
  boolean: ['boolean', 'INTEGER'],
  bytes: ['bytea', 'BLOB'],
  json: ['jsonb', 'TEXT'],
  moment: ['timestamptz', 'TEXT'],
  /** A digest; in a file a number. */
  mark: ['bytea', 'INTEGER'],
  /** Text in a file; what is hidden of it in a database that machines share. */
  hidden: ['bytea', 'TEXT'],
} as const;

type Type = keyof typeof TYPES;

interface SharedValues {
  text: string;
  integer: number;
  bigint: number;
  float: number;
  boolean: boolean;
  bytes: Uint8Array;
  json: Readonly<Record<string, unknown>>;
  moment: Date;
  mark: Buffer;
  hidden: Buffer;
}

interface FileValues extends Omit<SharedValues, 'boolean' | 'json' | 'mark' | 'hidden'> {
  boolean: number;
  json: string;
  mark: number;
  hidden: string;
}

/** A database that machines share, or a file. */
type Engine = 'shared' | 'file';

interface ColumnRest {
  /** Where it is; in both unless given. */
  readonly only?: Engine;
  /** A reader does not see it: bodies hold what people are called and where they have an account. */
  readonly isHidden?: boolean;
  /** What follows its type in PostgreSQL, */
  readonly shared?: string;
  /** and in SQLite. */
  readonly file?: string;
}

/** @typeParam Held with `?` behind it where it may be null */
type Column<Held extends string = string, Rest extends ColumnRest = ColumnRest> = Rest & {
  readonly holds: Held;
  /** A worker may change it; else it stays as it was written. */
  readonly isChanged: boolean;
};

type Columns = Readonly<Record<string, Column>>;

const columnThat =
  (isChanged: boolean) =>
  <const Held extends Type | `${Type}?`, const Rest extends ColumnRest = ColumnRest>(
    holds: Held,
    rest?: Rest,
  ): Column<Held, Rest> =>
    ({ ...rest, holds, isChanged }) as Column<Held, Rest>;

/** A column that stays as it was written: what was planned, who is paid and how much. */
export const fixed = columnThat(false);
/** A column that a worker may change. */
export const changed = columnThat(true);

export interface Table {
  readonly columns: Columns;
  /** The columns of the primary key, where no column says so itself. */
  readonly key?: string;
  /** What a worker does with whole rows. */
  readonly rows: readonly ('INSERT' | 'DELETE')[];
  /** How PostgreSQL keeps it. */
  readonly storage?: string;
  /** Each as it stands behind `CREATE INDEX`, with `ON` its table; in PostgreSQL alone. */
  readonly indexes?: readonly string[];
}

export type Tables = Readonly<Record<string, Table>>;

type ValueOf<Held, Values> = Held extends `${infer T extends keyof Values & string}?`
  ? Values[T] | null
  : Held extends keyof Values
    ? Values[Held]
    : never;

/** A row as PostgreSQL answers it. */
export type SharedRecord<C extends Columns> = {
  readonly [Name in keyof C as C[Name]['only'] extends 'file' ? never : Name]: ValueOf<
    C[Name]['holds'],
    SharedValues
  >;
};

/** A row as SQLite answers it. */
export type FileRecord<C extends Columns> = {
  readonly [Name in keyof C as C[Name]['only'] extends 'shared' ? never : Name]: ValueOf<
    C[Name]['holds'],
    FileValues
  >;
};

/** The names of its columns in one engine, in their order. */
export function columnsIn(engine: Engine, columns: Columns): string[] {
  return Object.entries(columns).flatMap(([name, { only = engine }]) => (only === engine ? [name] : []));
}

/** The columns as `unnest` takes them, an array each, from that parameter on. */
export function unnested(columns: Columns, names: readonly string[], first: number): string {
  return names.map((name, at) => `$${String(first + at)}::${typeIn('shared', columns, name)}[]`).join(', ');
}

/** An INSERT of one row into a table of a file. */
export function insertSql(table: string, names: readonly string[]): string {
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
}

/** Tables as SQLite makes them. @param tail behind each of them */
export function fileTable(name: string, { columns, key }: Table, tail = ' STRICT'): string {
  return `CREATE TABLE ${name} (\n${linesOf('file', columns, key)}\n)${tail};\n`;
}

/** Tables as PostgreSQL makes them; `svc.` stands for the schema. */
export function sharedTables(tables: Tables): string {
  return Object.entries(tables)
    .map(([name, { columns, key, storage = '', indexes = [] }]) => {
      const made = indexes.map((index) => `CREATE INDEX ${index};\n`).join('');
      return `CREATE TABLE svc.${name} (\n${linesOf('shared', columns, key)}\n)${storage};\n${made}`;
    })
    .join('');
}

function linesOf(engine: Engine, columns: Columns, key: string | undefined): string {
  const lines = columnsIn(engine, columns).map((name) => {
    const { holds = '', [engine]: more = '' } = columns[name] ?? {};
    const isNull = holds.endsWith('?') || more.includes('PRIMARY KEY');
    return `  ${name} ${typeIn(engine, columns, name)}${isNull ? '' : ' NOT NULL'}${more}`;
  });
  return [...lines, ...(key === undefined ? [] : [`  PRIMARY KEY (${key})`])].join(',\n');
}

function typeIn(engine: Engine, columns: Columns, name: string): string {
  const type = columns[name]?.holds.replace('?', '') as Type;
  return TYPES[type][engine === 'shared' ? 0 : 1];
}

/** Columns as they stand in a statement. @param row the name of their table there */
export function listed(names: readonly string[], row = ''): string {
  return names.map((name) => (row === '' ? name : `${row}.${name}`)).join(', ');
}

/** Times are measured with fractions of a millisecond; a column holds whole ones. */
export function wholeMs(ms: number | null | undefined): number | null {
  return ms === undefined || ms === null ? null : Math.round(ms);
}
