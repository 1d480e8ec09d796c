import { heldBy } from './mutant.js';

const reading = heldBy('storage/mirror/reading');
const eventOf = heldBy('feed/operations');
const company = heldBy('feed/company');
const repetition = heldBy('payments/requests/forged-mirror');
const proved = heldBy('feed/proved');
const search = heldBy('storage/mirror/lookups');
const tail = heldBy('storage/mirror/lookups');
const blocks = heldBy('storage/mirror/lookups');
const sync = heldBy('feed/sync');
const shared = heldBy('storage/postgres/cluster', 'feed/sync', 'feed/company');

export const mirror = [
  search('reindexRow', 'the last one that was looked at keeps what was said of it first', [
    'if (row > tailState(',
    'if (row >= tailState(',
  ]),
  reading('LATE_MS', 'an event may be a day late and no more', ['LATE_MS = 48 *', 'LATE_MS = 24 *']),
  reading('moveFrom', 'an event that is dated ahead moves the reading past what is late', [
    'Math.min(newestMs, begunAtMs ?? Infinity)',
    'newestMs',
  ]),
  reading('nextPass', 'a reading that went on in the middle counts as a whole one', [
    'isLoose: !isOld',
    'isLoose: false',
  ]),
  reading('moveFrom', 'what is just old enough is read again', ['upToMs <= oldMs', 'upToMs < oldMs']),
  eventOf('readEventOperation', 'an event that contradicts its operation is believed', [
    'if (isKnownStatus && operation.status !== status)',
    'if (!isKnownStatus && operation.status !== status)',
  ]),
  proved('#proofOf', 'what the service does not have counts', [
    'const why = serviceFacts === null ?',
    'if (serviceFacts === null) return operation;\n    const why = serviceFacts === null ?',
  ]),
  proved('differenceOf', 'what the service says of another reference counts', [
    'return serviceReference === folded ? null :',
    "return serviceReference !== '' ? null :",
  ]),
  proved('differenceOf', 'a pay-in of that reference counts as a payout', [
    'direction !== operation.direction',
    'direction === undefined',
  ]),
  proved('#proofOf', 'the word of the mirror stays, whatever the service says', [
    'return { ...serviceFacts, id, ends };',
    'return operation;',
  ]),
  proved('equalsStored', 'what the books hold as another payment needs no proof', [
    'payment.operation !== id || payment.status !== status || !isFinal(status)',
    'payment.operation !== id',
  ]),
  proved('equalsStored', 'what the books hold of another amount needs no proof', [
    'payment.operationAtMs === createdAtMs && matchesPayment',
    'payment.operationAtMs === createdAtMs || matchesPayment',
  ]),
  proved('forgetPending', 'a payment that was pending once is pending for ever', [
    'if (serviceFacts === null || !isFinal(serviceFacts.status)) this.#answers.delete(id);',
    'if (serviceFacts === null) this.#answers.delete(id);',
  ]),
  proved('#proofOf', 'what cannot be asked about does not stand in the way', [
    'if (!isUuid(id)) return { ...operation, ...UNPROVED_FACTS };',
    'if (!isUuid(id)) return null;',
  ]),
  company('ownerOf', 'a sandbox and the live service are one company', [
    "company.environment !== place.environment && 'other_environment'",
    'false',
  ]),
  company('ownerOf', 'an operation that is not seen proves another company', [
    "(await presenceOf(operation, read)) === 'there' && 'there'",
    'await presenceOf(operation, read)',
  ]),
  repetition('provedCompanyAt', 'an operation that somebody wrote into a shared mirror proves a company', [
    'mirrors === null || mirrors.isShared ? null',
    'mirrors === null ? null',
  ]),
  shared('epoch', 'what was read before another server took over is gone on with', [
    "|| '-' || ${cluster} || '-' || coalesce(${timeline}, 0)",
    '',
  ]),
  shared('commitSql', 'what is still read for a mirror that was started again gets into the new one', [
    ' AND ${epoch(sql)} = $2',
    '',
  ]),
  search('BY_BEGINNING', 'a beginning finds what does not begin so', [
    ' AND substr(o.id, 1, ?) = ?',
    ' AND (? < 0 OR ? IS NOT NULL)',
  ]),
  search('selectVia', 'the operations of another company are found by their bank reference', [
    'WHERE i.company = ?`;',
    'WHERE ? IS NOT NULL`;',
  ]),
  search('reindexRow', 'a bank reference that is said since finds nothing', [
    'if (newRecord.bank_reference !== null)',
    'if (newRecord.bank_reference === null)',
  ]),
  search('reindexRow', 'what is told again stands where it stood', [
    'newRecord.occurred_at, row',
    'oldRecord.occurred_at, row',
  ]),
  search('BY_BANK', 'a long bank reference finds what begins like it', [
    ' AND lower(o.bank_reference) = ?',
    ' AND ? IS NOT NULL',
  ]),
  tail('markIndexed', 'what takes the numbers of rows that went is never indexed', [
    'searchable = min(searchable, ?)',
    'searchable = max(searchable, ? - ?1)',
  ]),
  tail('deleteRows', 'what was dropped is found', ['  forgetSearch(db, company);\n', '']),
  blocks('inBlocks', 'two halves of two mirrors pass for one', [
    'if (block?.epoch !== epoch) throw restartedFailure();',
    'if (block === null) return;',
  ]),
  sync('readNews', 'what shows late is never read, once somebody has looked', [
    'advance(reading, pass, visit, null)',
    'advance(reading, { ...pass, isLoose: false }, visit, Infinity)',
  ]),
  sync('catchUp', 'half a feed passes for all of it', ['!reading.isUnfinished && pass.from', 'pass.from']),
  reading('advance', 'an old event at the end makes the feed old', [
    'Math.max(latestMs, reading.newestMs ?? 0)',
    'latestMs',
  ]),
  reading('beginReading', 'a new pass forgets how far the last one was', [
    'newestMs: pass.from?.upToMs ?? null',
    'newestMs: null',
  ]),
  company('learnPlace', 'the third name of a company is lost', [
    "'UPDATE companies SET same_as = ? WHERE company = ? OR same_as = ?',\n      ...[survivor.company, merged.company, merged.company],",
    "'UPDATE companies SET same_as = ? WHERE company = ?',\n      ...[survivor.company, merged.company],",
  ]),
  proved('#prove', 'reads go on behind one that failed', ['queue.length = 0;', '']),
  search('LATEST', 'an operation without a method is in no list', [
    'o.method IS coalesce(?, o.method)',
    'o.method = coalesce(?, o.method)',
  ]),
  search('readBlock', 'a mirror of exactly a block is all there is', [
    'rows.length < BLOCK_ROWS',
    'rows.length <= BLOCK_ROWS',
  ]),
  search('withoutRepeats', 'of two events of a page the last one counts', [
    'earlier === undefined || replaces ? operation : earlier',
    'operation',
  ]),
  search('append', 'a page of old events makes an old one the newest', [
    ' AND (newest_at IS NULL OR newest_at < ?)',
    ' AND (newest_at IS NULL OR ? IS NOT NULL)',
  ]),
];
