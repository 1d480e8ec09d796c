/** Mistakes in the book of single creates: what stands in the way of another payment, and for how long. */
import { inFile } from './mutant.js';

const precedence = inFile('journal/precedence.ts', 'journal/precedence');
const request = inFile('journal/request.ts', 'journal/request', 'journal/precedence');
const shared = inFile('journal/postgres/statements.ts', 'journal/shared');
const recording = inFile('journal/postgres/recording.ts', 'journal/shared');
const book = inFile('journal/sqlite-journal.ts', 'journal/journal');

export const journal = [
  precedence('a key that the service may have forgotten is sent again', [
    "if (isOld) return { kind: 'too_old', request };",
    '',
  ]),
  precedence("another API key repeats somebody's request", [
    'request.keyPrint === leaving.keyPrint && request.origin === leaving.origin',
    'request.origin === leaving.origin',
  ]),
  precedence('a request that was forgotten by hand stands in no way', [
    "other.state !== 'settled' &&",
    "other.state === 'open' &&",
  ]),
  precedence('a pay-in stands in the way of a payout', ['other.direction === about.direction &&', '']),
  precedence('an equal body of last week is the same payment', [
    'ageMs(other.firstLeftMs) <= KEY_SAFE_MS',
    'ageMs(other.firstLeftMs) >= 0',
  ]),
  request('23 hours to the moment are too long', ['ageMs <= KEY_SAFE_MS', 'ageMs < KEY_SAFE_MS']),
  request('a clock that was set makes an old request repeatable', [' && ageMs >= -SERVICE_CLOCKS_MS', '']),
  book('marks go with the bodies', ['nowMs - MARKS_KEPT_MS', 'nowMs - BODY_KEPT_MS']),
  book('open requests come in another order than they left', [
    'ORDER BY first_left_at, row',
    'ORDER BY first_left_at DESC, row',
  ]),
  shared('of two machines that look at once both write', ['OR requests = $1)', 'OR requests >= $1)']),
  recording('a request whose commit was not answered is taken for another one', [
    'record.token === token || token in record.sendings',
    'record.token === record.idempotency_key',
  ]),
];
