/** Mistakes in the API's own rules: money, ids, claims, marks. */
import { inFile } from './mutant.js';

const money = inFile('contract/money.ts', 'contract/money');
const check = inFile('contract/create.ts', 'contract/check');
const ids = inFile('contract/notation.ts', 'contract/ids');
const claims = inFile('contract/claims.ts', 'bulk/run/verdict', 'bulk/check/finding', 'client/conclusion');
const signature = inFile('contract/events.ts', 'webhook/verification');
const reference = inFile('contract/reference.ts', 'contract/reference');
const canonical = inFile('contract/canonical.ts', 'contract/canonical');
const origin = inFile('contract/access.ts', 'contract/origin');
const states = inFile('contract/operation.ts', 'client/wait');
const limits = inFile('contract/limits.ts', 'journal/request', 'journal/precedence');
const marks = inFile('contract/marks.ts', 'contract/marks');
const masked = inFile('contract/on-screen.ts', 'contract/masked');

const unseen = inFile('contract/unseen.ts', 'output/escape', 'reconcile/shown');
const saying = inFile('contract/saying.ts', 'mirror/operations');
const retry = inFile('contract/retry.ts', 'contract/retry');
const paging = inFile('contract/paging.ts', 'events/walk');
const attempt = inFile('contract/attempt.ts', 'client/conclusion');

const moment = inFile('contract/moment.ts', 'contract/moment');

export const contract = [
  moment('an age needs no time of the service', [
    'if (then.serviceMs === null || now.serviceMs === null) return',
    'if (then.serviceMs === null && now.serviceMs === null) return',
  ]),
  moment('a clock that went back says nothing', ['passedMs(back) >= -SERVICE_CLOCKS_MS', 'true']),
  moment('an age is the least that a clock says', ['ms: passedMs(ahead) };', 'ms: passedMs(back) };']),
  moment('another boot counts as this one', [
    "then.bootId !== '' && then.bootId === now.bootId",
    "then.bootId !== ''",
  ]),
  moment('of another machine its wall clock counts', [
    "else if (!isSameBoot) add('machine'",
    "add('machine'",
  ]),
  moment('an anchor of another boot stamps', ['anchor.bootId !== now.bootId', 'false']),
  unseen('marks that turn the direction of a text pass', [String.raw`\p{Bidi_Control}`, '']),
  saying('of a payment that failed and was confirmed the failure is kept', [
    'return isKnownFailed === true ? seen : known;',
    'return isKnownFailed === true ? known : seen;',
  ]),
  money(
    'a digit that the currency does not have is dropped',
    ['if (fraction.length > decimals) return null;', ''],
    ["fraction.padEnd(decimals, '0')", "fraction.slice(0, decimals).padEnd(decimals, '0')"],
  ),
  money('amounts are compared as text', [
    'return difference < 0n ? -1 : difference > 0n ? 1 : 0;',
    'return left < right ? -1 : left > right ? 1 : 0;',
  ]),
  money('a negative balance loses its sign', ["const sign = minor < 0n ? '-' : '';", "const sign = '';"]),
  money('a fee of half a minor unit is rounded down', [
    '(minor * percent + 50n) / 100n',
    '(minor * percent) / 100n',
  ]),
  money('a sum forgets the scale of what came before', ['total *= 10n ** BigInt(next.scale - scale);', '']),
  check('the largest amount of a method is refused', [
    'compareDecimals(amount, max) > 0',
    'compareDecimals(amount, max) >= 0',
  ]),
  check('a method that cannot be used now counts as usable', [
    "return availability === 'temporarily_unavailable' ? { refusal: 'temporarily_unavailable' } : null;",
    'return null;',
  ]),
  ids('the longest key is refused', ['text.length <= max', 'text.length < max']),
  claims('10 and 10.00 are two amounts', [
    '(isDecimal(a) && isDecimal(b) && compareDecimals(a, b) === 0)',
    'false',
  ]),
  ids('an id in capital letters is another one', ['a.toLowerCase() === b.toLowerCase()', 'a === b']),
  claims('what a payment does not say counts as agreement', [
    'return wanted !== undefined && claimed !== undefined && isSame[name](wanted, claimed);',
    'return wanted === undefined || claimed === undefined || isSame[name](wanted, claimed);',
  ]),
  claims('two clocks of the service that differ make a new payment an older one', [
    'createdAtMs < firstLeftMs - SERVICE_CLOCKS_MS',
    'createdAtMs < firstLeftMs',
  ]),
  signature('the dot between time and body is not signed', [
    '.update(`${timestamp}.`)',
    '.update(timestamp)',
  ]),
  reference('another dash is another reference', [".replace(DASHES, '-')", '']),
  canonical('a name that is repeated in an object is taken', [
    'if (members.has(name)) throw new Unsound();',
    '',
  ]),
  states('a failed operation is not final', [
    "status === 'confirmed' || status === 'failed'",
    "status === 'confirmed'",
  ]),
  origin('all ports of this machine are one server', ["${port === '' ? '' : `:${port}`}", '']),
  limits('a key is thought safe for a day and an hour', ['KEY_SAFE_MS = 23 *', 'KEY_SAFE_MS = 25 *']),
  marks('the same person and 10 or 10.00 are no twins', ['canonicalDecimal(amount) ?? amount', 'amount']),
  masked('an account of four characters is shown whole', ['value.length > 4 ?', 'value.length >= 4 ?']),
  retry('a cancel is sent again', ["retry === 'once' || ", '']),
  retry('a request is made four times', [
    'CALL_PATIENCE: Patience = { attemptsMax: 3,',
    'CALL_PATIENCE: Patience = { attemptsMax: 4,',
  ]),
  retry('a definite refusal is asked for again', [
    "'unavailable',\n  'mismatched',\n",
    "'unavailable',\n  'mismatched',\n  'refused',\n",
  ]),
  retry('a follower asks a service that is away without a pause', [
    'Math.min(PATIENT_WAIT_MAX_MS, PATIENT_FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10))',
    '0',
  ]),
  retry('a service that asks for an hour is waited for', [
    'Math.min(askedMs(last) ?? 0, RETRY_AFTER_MAX_MS)',
    'askedMs(last) ?? 0',
  ]),
  attempt('an answer that the contract does not know settles a create', [
    " || (kind === 'broken' && retry === 'keyed')",
    '',
  ]),
  paging('a cursor that is repeated is no end', [
    'page.next !== null && page.next !== cursor;',
    'page.next !== null;',
  ]),
  paging('cursors that run in a circle are walked for ever', ['throw options.circle();', 'return;']),
];
