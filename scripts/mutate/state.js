import { heldBy } from './mutant.js';

const place = heldBy('storage/postgres/place');
const address = heldBy('storage/postgres/place');
const source = heldBy('storage/postgres/place');
const key = heldBy('storage/postgres/key');
const grants = heldBy('storage/postgres/grants');
const versions = heldBy('storage/postgres/versions');
const tables = heldBy('storage/postgres/versions');
const client = heldBy('setup/state/encrypted');
const connection = heldBy('storage/postgres/connection');
const failures = heldBy('storage/postgres/connection');
const proof = heldBy('storage/postgres/false-server');
const checks = heldBy('storage/postgres/checks');
const moving = heldBy('storage/postgres/moving');

export const state = [
  connection('connect', 'a connection whose answer did not come is used again', [
    'isBroken = isLost(error);',
    'isBroken = false;',
  ]),
  failures('CONFLICT_STATES', 'a lock that was waited for too long ends the command', [
    "'40P01', '55P03', '53300'",
    "'40P01', '53300'",
  ]),
  proof('requireProof', 'a password is sent to a server that asks for it in clear', [
    "connection.password = () => refuse('it asks for the password in clear text or as MD5');",
    '',
  ]),
  proof('requireProof', 'a server that proves nothing is believed', [
    'if (hasPassword && !isProved)',
    'if (false)',
  ]),
  address('mustEncrypt', 'the password of a database crosses the network in the clear', [
    'if (isEncrypted) return true;',
    'if (isEncrypted || name !== mode) return isEncrypted;',
  ]),
  source('sourceOf', 'a variable that a script left empty means the files of this machine', [
    "if (text === '') throw settingFailure(name, 'is set but empty');",
    "if (text === '') continue;",
  ]),
  place('readPlace', 'a password is shown with the address', [
    'address: `postgres://${url.username}@',
    'address: `postgres://${url.username}:${url.password}@',
  ]),
  place('readPlace', 'a password that was rotated is the old one for as long as the program runs', [
    "const urlNow = kind === 'path' ? stateUrl(parts.readSecret(source.text, name), name) : url;",
    'const urlNow = url;',
  ]),
  grants('BATCH_TABLES', 'a worker may change a body that was planned', [
    "body: fixed('hidden', { isHidden: true })",
    "body: mutable('hidden', { isHidden: true })",
  ]),
  grants('grantsOf', 'a reader sees what is hidden', [
    'const visibleColumns = all.filter((column) => !hidden.includes(column));',
    'const visibleColumns = all;',
  ]),
  versions('allowedUse', 'an older program writes what a newer one has changed', [
    "return programVersion < tables.least_writer ? 'read' : 'write';",
    "return 'write';",
  ]),
  versions('allowedUse', 'older tables are taken for those of today', [
    'if (programVersion > tables.version)',
    'if (programVersion < 0)',
  ]),
  versions('allowedUse', 'an older program reads what it does not know', [
    'if (programVersion < tables.least_reader)',
    'if (programVersion < 0)',
  ]),
  versions('connect', 'a role that may only read writes all the same', [
    "if (!mayWrite && WRITE_STATEMENT.test(text.replaceAll(/'[^']*'/g, ''))) throw schemaNewerFailure();",
    '',
  ]),
  tables('requireTables', 'live money is kept beside play money', [
    'if (connection.environment !== null && connection.environment !== meta.environment)',
    "if (connection.environment === null && meta.environment === 'live')",
  ]),
  client('poolOf', 'any server that answers is taken for the database', [
    'rejectUnauthorized: true',
    'rejectUnauthorized: false',
  ]),
  checks('durabilityCheck', 'a live state may lose what it acknowledges', [
    "return (isLive ? fail : warn)('durable'",
    "return warn('durable'",
  ]),
  key('keyProblem', 'another key than that of the state is taken', [
    'if (isSame) return null;',
    'if (isSame || check !== null) return null;',
  ]),
  key('keyProblem', 'a live state needs no key', [
    "return environment === 'live' ? noKeyFailure('Live state is sealed') : null;",
    'return null;',
  ]),
  key('keyProblem', 'a state that was made without a key is taken for one of this key', [
    '  if (check === null)\n    return wrongKeyFailure(',
    "  if (check === null && environment === 'live')\n    return wrongKeyFailure(",
  ]),
  key('stateKeyOf', 'a seal does not cover the body', [
    '.update(head).update(content).digest()',
    '.update(head).digest()',
  ]),
  key('stateKeyOf', 'a body can be opened wherever it is put', [
    'cipher.setAAD(Buffer.from(context)).setAuthTag(tag);',
    'cipher.setAAD(Buffer.from(context)).setAuthTag(tag);\n      if (tag.length > 0) return cipher.update(hidden.subarray(NONCE_BYTES, -TAG_BYTES));',
  ]),
  key('stateKeyOf', 'what is hidden twice is hidden the same way', [
    "const nonce = Buffer.from(random.hex(NONCE_BYTES), 'hex');",
    'const nonce = Buffer.alloc(NONCE_BYTES);',
  ]),
  key('readStateKey', 'a key that is printed in hexadecimal is not hidden', [
    ", bytes.toString('hex')]",
    ']',
  ]),
  failures('isRotated', 'a password that was never right is waited for', [
    'wasLetIn && (hasSqlState',
    '(hasSqlState',
  ]),
  connection('connect', 'a database that is away is asked once more behind the end of patience', [
    'clock.monotonic() >= untilMs',
    'clock.monotonic() > untilMs',
  ]),
  connection('connect', 'a question about the pooler keeps its connection', [
    '} finally {\n        client.release();\n      }',
    '} finally {\n        void 0;\n      }',
  ]),
  connection('openState', 'tables that are refused leave a connection open', [
    'await connection.close();\n    throw error;',
    'throw error;',
  ]),
  connection('healthOf', 'a slow database is one whose clock is ahead', [
    'now - (startNowMs + referenceClock.now()) / 2',
    'now - startNowMs',
  ]),
  connection('makeTables', 'who may make nothing is told that the tables are there', [
    '(await hasTables(connection))',
    '(hasTables(connection) as unknown)',
  ]),
  connection('ACTIVE_WORKERS', 'a worker that died works on', [' AND w.lease_until > clock_timestamp()', '']),
  checks('clockCheck', '30 seconds to the millisecond are a warning', [
    'Math.abs(aheadMs) <= SKEW_WARNING_MS',
    'Math.abs(aheadMs) < SKEW_WARNING_MS',
  ]),
  checks('databaseCheck', 'the oldest tested version is doubtful', [
    'majorVersion < MAJOR_VERSION_MIN',
    'majorVersion <= MAJOR_VERSION_MIN',
  ]),
  source('sourceOf', 'the file of the address wins over the variable', [
    "['variable', env['SVC_STATE'], 'SVC_STATE'],\n    ['path', env['SVC_STATE_FILE'], 'SVC_STATE_FILE'],",
    "['path', env['SVC_STATE_FILE'], 'SVC_STATE_FILE'],\n    ['variable', env['SVC_STATE'], 'SVC_STATE'],",
  ]),
  place('passwordFromEnv', 'the file of a password wins over its variable', [
    'env[variable] ?? (path === undefined ? null : readSecret(path, `${variable}_FILE`))',
    '(path === undefined ? null : readSecret(path, `${variable}_FILE`)) ?? env[variable] ?? null',
  ]),
  moving('movingSchemaLine', 'a name of 63 bytes is cut short', [
    'Buffer.byteLength(longerName) > NAME_MAX_BYTES',
    'Buffer.byteLength(longerName) >= NAME_MAX_BYTES',
  ]),
];
