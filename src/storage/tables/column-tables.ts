const TYPES = {
  text: ['text', 'TEXT'],
  integer: ['integer', 'INTEGER'],
  bigint: ['bigint', 'INTEGER'],
  float: ['double precision', 'REAL'],
  boolean: ['boolean', 'INTEGER'],
  bytes: ['bytea', 'BLOB'],
  json: ['jsonb', 'TEXT'],
  moment: ['timestamptz', 'TEXT'],
  mark: ['bytea', 'INTEGER'],
  hidden: ['bytea', 'TEXT'],
} as const;

type ColumnType = keyof typeof TYPES;

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

type FileValues = Omit<SharedValues, 'boolean' | 'json' | 'mark' | 'hidden'> &
  Record<'boolean' | 'mark', number> &
  Record<'json' | 'hidden', string>;

type Engine = 'shared' | 'file';

interface ColumnOptions {
  readonly only?: Engine;
  readonly isHidden?: boolean;
  readonly shared?: string;
  readonly file?: string;
}

type Column<Content extends string = string, Rest extends ColumnOptions = ColumnOptions> = Rest & {
  readonly holds: Content;
  readonly isMutable: boolean;
};

type Columns = Readonly<Record<string, Column>>;

const columnThat =
  (isMutable: boolean) =>
  <const Content extends ColumnType | `${ColumnType}?`, const Rest extends ColumnOptions = ColumnOptions>(
    holds: Content,
    rest?: Rest,
  ): Column<Content, Rest> =>
    ({ ...rest, holds, isMutable }) as Column<Content, Rest>;

export const fixed = columnThat(false);
export const mutable = columnThat(true);

export interface Table {
  readonly columns: Columns;
  readonly key?: string;
  readonly rows: readonly ('INSERT' | 'DELETE')[];
  readonly storage?: string;
  readonly indexes?: readonly string[];
}

export type Tables = Readonly<Record<string, Table>>;

type ColumnValue<Content, Values> = Content extends `${infer T extends keyof Values & string}?`
  ? Values[T] | null
  : Content extends keyof Values
    ? Values[Content]
    : never;

export type SharedRecord<C extends Columns> = {
  readonly [Name in keyof C as C[Name]['only'] extends 'file' ? never : Name]: ColumnValue<
    C[Name]['holds'],
    SharedValues
  >;
};

export type FileRecord<C extends Columns> = {
  readonly [Name in keyof C as C[Name]['only'] extends 'shared' ? never : Name]: ColumnValue<
    C[Name]['holds'],
    FileValues
  >;
};

export function columnsIn(engine: Engine, columns: Columns): string[] {
  return Object.entries(columns).flatMap(([name, { only = engine }]) => (only === engine ? [name] : []));
}

export function unnestParameters(columns: Columns, names: readonly string[], first: number): string {
  return names.map((name, at) => `$${String(first + at)}::${typeIn('shared', columns, name)}[]`).join(', ');
}

export function insertSql(table: string, names: readonly string[]): string {
  return `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
}

export function fileTable(name: string, { columns, key }: Table, tail = ' STRICT'): string {
  return `CREATE TABLE ${name} (\n${columnLines('file', columns, key)}\n)${tail};\n`;
}

export function sharedTables(tables: Tables): string {
  return Object.entries(tables)
    .map(([name, { columns, key, storage = '', indexes = [] }]) => {
      const indexSql = indexes.map((index) => `CREATE INDEX ${index};\n`).join('');
      return `CREATE TABLE svc.${name} (\n${columnLines('shared', columns, key)}\n)${storage};\n${indexSql}`;
    })
    .join('');
}

function columnLines(engine: Engine, columns: Columns, key: string | undefined): string {
  const lines = columnsIn(engine, columns).map((name) => {
    const { holds = '', [engine]: suffix = '' } = columns[name] ?? {};
    const isNull = holds.endsWith('?') || suffix.includes('PRIMARY KEY');
    return `  ${name} ${typeIn(engine, columns, name)}${isNull ? '' : ' NOT NULL'}${suffix}`;
  });
  return [...lines, ...(key === undefined ? [] : [`  PRIMARY KEY (${key})`])].join(',\n');
}

function typeIn(engine: Engine, columns: Columns, name: string): string {
  const type = columns[name]?.holds.replace('?', '') as ColumnType;
  return TYPES[type][engine === 'shared' ? 0 : 1];
}

export function columnList(names: readonly string[], row = ''): string {
  return names.map((name) => (row === '' ? name : `${row}.${name}`)).join(', ');
}

export function wholeMs(ms: number | null | undefined): number | null {
  return ms === undefined || ms === null ? null : Math.round(ms);
}
