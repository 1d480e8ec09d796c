/** Mistakes in what this machine knows of the feed. */
import { inFile } from './mutant.js';

const reading = inFile('mirror/reading.ts', 'mirror/reading');
const operations = inFile('mirror/operations.ts', 'mirror/operations');
const company = inFile('mirror/company.ts', 'mirror/company');
const proved = inFile('mirror/proved.ts', 'mirror/proved');
const search = inFile('mirror/store/search.ts', 'mirror/store/lookups');
const tail = inFile('mirror/store/tail.ts', 'mirror/store/lookups');
const blocks = inFile('mirror/blocks.ts', 'mirror/store/lookups');
const sync = inFile('mirror/sync.ts', 'mirror/sync');
const shared = inFile(
  'mirror/store/postgres/statements.ts',
  'state/cluster',
  'mirror/sync',
  'mirror/company',
);

export const mirror = [
  search('the last one that was looked at keeps what was said of it first', [
    'if (row > marks(',
    'if (row >= marks(',
  ]),
  reading('an event may be a day late and no more', ['LATE_MS = 48 *', 'LATE_MS = 24 *']),
  reading('an event that is dated ahead moves the reading past what is late', [
    'Math.min(newestMs, begunAtMs ?? Infinity)',
    'newestMs',
  ]),
  reading('a reading that went on in the middle counts as a whole one', [
    'isLoose: !isOld',
    'isLoose: false',
  ]),
  reading('what is just old enough is read again', ['upToMs <= oldMs', 'upToMs < oldMs']),
  operations('an event that contradicts its operation is believed', [
    'if (isKnownStatus && claims.status !== status) {',
    'if (!isKnownStatus && claims.status !== status) {',
  ]),
  proved('what the service does not have counts', [
    'const why = claims === null ?',
    'if (claims === null) return operation;\n    const why = claims === null ?',
  ]),
  proved('what the service says of another reference counts', [
    'return said === folded ? null :',
    "return said !== '' ? null :",
  ]),
  proved('a pay-in of that reference counts as a payout', [
    'direction !== operation.direction',
    'direction === undefined',
  ]),
  proved('the word of the mirror stays, whatever the service says', [
    'return { ...claims, id };',
    'return operation;',
  ]),
  proved('what the books hold as another payment needs no proof', [
    'held.operation !== id || held.status !== status || !isFinal(status)',
    'held.operation !== id',
  ]),
  proved('what the books hold of another amount needs no proof', [
    'held.operationAtMs === createdAtMs && agrees',
    'held.operationAtMs === createdAtMs || agrees',
  ]),
  proved('a payment that was pending once is pending for ever', [
    'if (claims === null || !isFinal(claims.status)) this.#said.delete(id);',
    'if (claims === null) this.#said.delete(id);',
  ]),
  proved('what cannot be asked about does not stand in the way', [
    'if (!isUuid(id)) return { ...operation, ...UNPROVED };',
    'if (!isUuid(id)) return null;',
  ]),
  company('a sandbox and the live service are one company', [
    "if (company.environment !== place.environment) return 'other';",
    '',
  ]),
  company('an operation that is not seen proves another company', [
    "=== 'there' ? 'same' : 'unknown';\n}\n\nasync function newestOf",
    "=== 'there' ? 'same' : 'other';\n}\n\nasync function newestOf",
  ]),
  shared('what was read before another server took over is gone on with', [
    "|| '-' || ${cluster} || '-' || coalesce(${timeline}, 0)",
    '',
  ]),
  shared('what is still read for a mirror that was begun anew gets into the new one', [
    ' AND ${epoch(sql)} = $2',
    '',
  ]),
  search('a beginning finds what does not begin so', [
    ' AND substr(o.id, 1, ?) = ?',
    ' AND (? < 0 OR ? IS NOT NULL)',
  ]),
  search('the operations of another company are found by their bank reference', [
    'WHERE i.company = ?`;',
    'WHERE ? IS NOT NULL`;',
  ]),
  search('a bank reference that is said since finds nothing', [
    'if (now.bank_reference !== null)',
    'if (now.bank_reference === null)',
  ]),
  search('what is told again stands where it stood', ['now.occurred_at, row', 'before.occurred_at, row']),
  search('a long bank reference finds what begins like it', [
    ' AND lower(o.bank_reference) = ?',
    ' AND ? IS NOT NULL',
  ]),
  tail('what takes the numbers of rows that went is never indexed', [
    'searchable = min(searchable, ?)',
    'searchable = max(searchable, ? - ?1)',
  ]),
  tail('what was dropped is found', ['  forgetSearch(db, company);\n', '']),
  blocks('two halves of two mirrors pass for one', [
    'if (block?.epoch !== epoch) throw begunAnew();',
    'if (block === null) return;',
  ]),
  sync('what shows late is never read, once somebody has looked', [
    'advance(reading, pass, next, null)',
    'advance(reading, { ...pass, isLoose: false }, next, Infinity)',
  ]),
  sync('half a feed passes for all of it', ['!reading.isUnfinished && pass.from', 'pass.from']),
];
