import { heldBy } from './mutant.js';

const precedence = heldBy('storage/journal/precedence', 'storage/journal/states');
const request = heldBy('storage/journal/request', 'storage/journal/precedence', 'storage/journal/states');
const shared = heldBy('storage/journal/shared');
const owners = heldBy('storage/journal/owners');
const ways = heldBy('storage/journal/states', 'storage/journal/precedence');
const rows = heldBy('storage/journal/states');
const leaving = heldBy('storage/journal/leaving');
const syncs = heldBy('payments/create/syncs.alone');
const book = heldBy('storage/journal/journal');

export const journal = [
  precedence('precedenceOfRepeat', 'a key that the service may have forgotten is sent again', [
    "if (!maySendAgain(age)) return { kind: 'too_old', request, age };",
    '',
  ]),
  precedence('precedenceOfRepeat', "another API key repeats somebody's request", [
    "kind: companyOf(request) === 'same' ? 'repeats' : 'other_sender'",
    "kind: companyOf(request) !== 'other' ? 'repeats' : 'other_sender'",
  ]),
  precedence('precedenceOf', 'what another process has recorded stands in no way', [
    "if (rival !== undefined) return { kind: 'under_way', request: rival };",
    '',
  ]),
  precedence('precedenceOf', 'one that joins a request is not checked against the others', [
    'const rival = requests.findLast(',
    'const rival = (match === undefined ? requests : []).findLast(',
  ]),
  precedence('isSamePayment', 'a pay-in stands in the way of a payout', [
    'if (other.direction !== unsent.direction) return false;',
    '',
  ]),
  precedence('isSamePayment', 'without a reference other metadata is the same payment', [
    ' && isEqual(other.metadataMark, unsent.metadataMark)',
    '',
  ]),
  precedence('isSamePayment', 'two keys of callers are one payment', [
    'if (hasOwnKey && other.idempotencyKey !== unsent.idempotencyKey) return false;',
    '',
  ]),
  request('isRepeatable', '23 hours to the moment are too long', [
    'ageMs <= KEY_SAFE_MS',
    'ageMs < KEY_SAFE_MS',
  ]),
  request('isRepeatable', 'a clock that was set makes an old request repeatable', [
    ' && ageMs >= -SERVICE_CLOCKS_MS',
    '',
  ]),
  book('sweep', 'marks go with the bodies', ['nowMs - MARKS_KEPT_MS', 'nowMs - BODY_KEPT_MS']),
  book('selectOpen', 'open requests come in another order than they left', [
    'ORDER BY coalesce(left_service_at, left_wall_at), row',
    'ORDER BY coalesce(left_service_at, left_wall_at) DESC, row',
  ]),
  shared('RECORD_REQUEST', 'of two machines that look at once both write', [
    'OR requests = $1)',
    'OR requests >= $1)',
  ]),
  owners('isOwned', 'a process that died is alive', ['return isAlive ?? ', 'return (isAlive ?? true) || ']),
  owners('isOwned', 'another machine is never heard of again', ['<= DEAD_AFTER_MS', '<= Infinity']),
  ways('clear', 'what was taken away leaves', [
    'if (request.body === null || findUnchanged(db, request) === null) return null;',
    '',
  ]),
  ways('clear', 'a request is sent in the place of one that is under way', [
    'if (findUnchanged(db, predecessor)?.sendings !== predecessor.sendings) return null;',
    '',
  ]),
  ways('record', 'what was recorded outlives its process', [
    'removeDead(db, world);\n  const precedence',
    'const precedence',
  ]),
  leaving('recordAndClear', "what is leaving stands in nobody's way", [
    "(other.state !== 'settled' && isSamePayment(unsent, other))",
    'false',
  ]),
  leaving('recordAndClear', 'a key that has left leaves as if it never had', [
    'other.idempotencyKey === unsent.idempotencyKey ||',
    '',
  ]),
  leaving('recordAndClear', 'what died before it left stands in the way', ['removeDead(db, world);', '']),
  rows('addSending', 'a repetition makes a request young', [
    "const notSentSql = 'left_wall_at IS NULL';",
    "const notSentSql = 'TRUE';",
  ]),
  request('mergeSettled', 'what is final is pending again', ['isFinal(earlier.status)', 'false']),
  syncs('openJournal', 'what is recorded waits for the disk', [
    'inUnsyncedTransaction(() => record(',
    'inTransaction(() => record(',
  ]),
  syncs('openJournal', 'what leaves is not on the disk', [
    'inTransaction(() => clear(',
    'inUnsyncedTransaction(() => clear(',
  ]),
  owners('isSameProcess', 'another process with the number of a dead one is that one', [
    ' && a.started === b.started',
    '',
  ]),
  book('keepRow', 'bytes of what is settled come back', [
    " +\n      'WHERE row = ? AND open_sendings > 0'",
    " +\n      'WHERE row = ?'",
  ]),
  shared('WITHDRAW_REQUEST', 'bytes stay where nothing is open any more', [
    "CASE WHEN r.sendings - $2::text = '{}' THEN NULL ELSE r.body END",
    'r.body',
  ]),
  book('requestOf', 'a request is dated by this machine where the service dated it', [
    'left.serviceMs ?? left.wallMs',
    'left.wallMs',
  ]),
  rows('selectTime', 'the time of another boot counts before that of this one', [
    'ORDER BY boot = ? DESC, service_at DESC',
    'ORDER BY (boot = ?) * 0, service_at DESC',
  ]),
];
