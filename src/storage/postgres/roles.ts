import { Failure } from '../../runtime/failure.js';
import { grantsOf, STATE_TABLES } from './schema.js';
import { doBlock, NAME_MAX_BYTES, quotedLiteral, quotedName } from './sql.js';

export interface RoleNames {
  readonly owner: string;
  readonly worker: string;
  readonly reader: string;
}

export const ROLES: RoleNames = { owner: 'svc_owner', worker: 'svc_worker', reader: 'svc_reader' };

const RESERVED_NAME = /^(pg_.*|public|none)$/;

export function requireRoles(names: RoleNames): RoleNames {
  const nameList = Object.values(names) as string[];
  for (const name of nameList)
    if (
      name === '' ||
      Buffer.byteLength(name) > NAME_MAX_BYTES ||
      /\p{Cc}/u.test(name) ||
      RESERVED_NAME.test(name)
    )
      throw new Failure(
        'usage',
        'The name of a role has 1 to 63 bytes and is not reserved by PostgreSQL. Nothing was made.',
      );
  if (new Set(nameList).size === nameList.length) return names;
  throw new Failure('usage', 'Owner, worker and reader must be three different roles. Nothing was made.');
}

function noticeIfForbidden(body: string, notice: string): string {
  const text = `BEGIN\n${body}\nEXCEPTION WHEN insufficient_privilege THEN\n  RAISE NOTICE '%', ${quotedLiteral(notice)};\nEND`;
  return doBlock(text);
}

const roleExists = (role: string): string =>
  `EXISTS (SELECT FROM pg_roles WHERE rolname = ${quotedLiteral(role)})`;

function rolesSql({ owner, worker, reader }: RoleNames): string {
  const statements = [owner, worker, reader].map((role) =>
    noticeIfForbidden(
      `  IF NOT ${roleExists(role)} THEN\n    CREATE ROLE ${quotedName(role)} LOGIN;\n  END IF;`,
      `The role ${role} does not exist, and you may not create it.`,
    ),
  );
  const name = quotedName(worker);
  const settings = noticeIfForbidden(
    `  IF ${roleExists(worker)} THEN
    ALTER ROLE ${name} SET synchronous_commit = on;
    ALTER ROLE ${name} SET idle_in_transaction_session_timeout = '10s';
    ALTER ROLE ${name} SET lock_timeout = '5s';
  END IF;`,
    `You may not change the role ${worker}. It needs synchronous_commit = on.`,
  );
  return statements.join('') + settings;
}

export function grantsSql(schema: string, { worker, reader }: Omit<RoleNames, 'owner'>): string {
  const quotedSchema = quotedName(schema);
  const quotedRoles = { worker: quotedName(worker), reader: quotedName(reader) };
  const grants = Object.keys(STATE_TABLES).map((name) =>
    grantsOf(name, { ...quotedRoles, table: `${quotedSchema}.${name}` }),
  );
  return [
    [worker, grants.map((grant) => grant.worker)] as const,
    [reader, grants.map((grant) => grant.reader)] as const,
  ]
    .map(([role, lines]) =>
      noticeIfForbidden(
        `  IF ${roleExists(role)} AND NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = ${quotedLiteral(schema)} AND tableowner = ${quotedLiteral(role)}) THEN
    REVOKE ALL ON ALL TABLES IN SCHEMA ${quotedSchema} FROM ${quotedName(role)};
    GRANT USAGE ON SCHEMA ${quotedSchema} TO ${quotedName(role)};
${lines.map((line) => `    ${line}`).join('\n')}
  END IF;`,
        `You may not grant rights to the role ${role} here. Run this as the owner of the tables.`,
      ),
    )
    .join('');
}

function ownershipSql(schema: string, { owner }: RoleNames): string {
  const quotedSchema = quotedName(schema);
  const ownerClause = `OWNER TO ${quotedName(owner)};`;
  const tables = Object.keys(STATE_TABLES).map(
    (table) => `    ALTER TABLE ${quotedSchema}.${table} ${ownerClause}`,
  );
  return noticeIfForbidden(
    `  IF ${roleExists(owner)} THEN\n    ALTER SCHEMA ${quotedSchema} ${ownerClause}\n${tables.join('\n')}\n  END IF;`,
    `The tables remain yours: you may not give them to ${owner}.`,
  );
}

export function scriptOf(initial: string, schema: string, names: RoleNames): string {
  const script = initial + rolesSql(names) + grantsSql(schema, names) + ownershipSql(schema, names);
  const passwordLines = [names.owner, names.worker, names.reader]
    .map((role) => `--   \\password ${role}\n`)
    .join('');
  return `BEGIN;\n${script}COMMIT;\n-- Each role needs a password, or another way to log in, before anybody uses it:\n${passwordLines}`;
}
