/** Mistakes in where the shared state is, and in what a statement that failed means. */
import { inFile } from './mutant.js';

const place = inFile('state/place.ts', 'state/place');
const address = inFile('state/address.ts', 'state/place');
const source = inFile('state/source.ts', 'state/place');
const key = inFile('state/key.ts', 'state/key');
const grants = inFile('state/grants.ts', 'state/grants');
const versions = inFile('state/versions.ts', 'state/migrating');
const migrating = inFile('state/migrating.ts', 'state/migrating');
const tables = inFile('state/tables.ts', 'state/migrating');
const client = inFile('state/client.ts', 'commands/state/encrypted');
const connection = inFile('state/connection.ts', 'state/connection');
const failures = inFile('state/failures.ts', 'state/connection');
const proof = inFile('state/client.ts', 'state/false-server');
const checks = inFile('state/checks.ts', 'state/checks');

export const state = [
  connection('a connection whose answer did not come is used again', [
    'isBroken = isLost(error);',
    'isBroken = false;',
  ]),
  failures('a lock that was waited for too long ends the command', [
    "'40P01', '55P03', '53300'",
    "'40P01', '53300'",
  ]),
  proof('a password is told to whoever asks for it in clear', [
    "connection.password = () => refuse('it asks for the password in clear text or as MD5');",
    '',
  ]),
  proof('a server that proves nothing is believed', ['if (hasPassword && !isProved)', 'if (false)']),
  address('the password of a database crosses the network in the clear', [
    'if (isEncrypted) return true;\n  throw',
    'if (isEncrypted) return true;\n  if (name !== mode) return false;\n  throw',
  ]),
  source('a variable that a script left empty means the files of this machine', [
    "if (text === '') throw wrongPlace(name, 'is set but empty');",
    "if (text === '') continue;",
  ]),
  place('a password is shown with the address', [
    'shown: `postgres://${url.username}@',
    'shown: `postgres://${url.username}:${url.password}@',
  ]),
  place('a password that was rotated is the old one for as long as the program runs', [
    "const now = kind === 'path' ? stateUrl(parts.secret(source.text, name), name) : url;",
    'const now = url;',
  ]),
  grants('a worker may change a body that was planned', [
    "changes: [],\n    fixed: words('batch number body'),",
    "changes: words('body'),\n    fixed: words('batch number'),",
  ]),
  grants('a reader sees what is hidden', [
    'const seen = [...fixed, ...changes].filter((column) => !hidden.includes(column));',
    'const seen = [...fixed, ...changes];',
  ]),
  versions('an older program writes what a newer one has changed', [
    "return known < tables.least_writer ? 'read' : 'write';",
    "return 'write';",
  ]),
  versions('an older program reads what it does not know', [
    'if (known < tables.least_reader)',
    'if (known < 0)',
  ]),
  versions('whoever may only read writes all the same', [
    "if (WRITES.test(text.replaceAll(/'[^']*'/g, ''))) throw schemaNewer();",
    '',
  ]),
  versions('tables that no step begins with are called migrated', [
    'if (version >= known || left[0]?.to === version + 1) return left;',
    'return left;',
  ]),
  migrating('tables are changed under those who are at work', ['  IF ${busy} THEN', '  IF false THEN']),
  migrating('a step is done a second time', ['<> ${String(from)} THEN', '< 0 THEN']),
  tables('live money is kept beside play money', [
    'if (connection.environment !== null && connection.environment !== meta.environment)',
    "if (connection.environment === null && meta.environment === 'live')",
  ]),
  client('whoever answers is taken for the database', [
    'rejectUnauthorized: true',
    'rejectUnauthorized: false',
  ]),
  checks('a live state may lose what it acknowledges', [
    "return (isLive ? unwell : doubtful)('durable'",
    "return doubtful('durable'",
  ]),
  key('another key than that of the state is taken', [
    'if (isSame) return null;',
    'if (isSame || check !== null) return null;',
  ]),
  key('a live state needs no key', [
    "return environment === 'live' ? missing('Live state is sealed') : null;",
    'return null;',
  ]),
  key('a state that was made without a key is taken for one of this key', [
    '  if (check === null)\n    return differs(',
    "  if (check === null && environment === 'live')\n    return differs(",
  ]),
  key('a seal does not cover the body', ['.update(head).update(sealed).digest()', '.update(head).digest()']),
  key('a body can be opened wherever it is put', [
    'cipher.setAAD(Buffer.from(place)).setAuthTag(tag);',
    'cipher.setAAD(Buffer.from(place)).setAuthTag(tag);\n      if (tag.length > 0) return cipher.update(hidden.subarray(NONCE_BYTES, -TAG_BYTES));',
  ]),
  key('what is hidden twice is hidden the same way', [
    "const nonce = Buffer.from(random.hex(NONCE_BYTES), 'hex');",
    'const nonce = Buffer.alloc(NONCE_BYTES);',
  ]),
  key('a key that is printed in hexadecimal is not hidden', [", bytes.toString('hex')]", ']']),
];
