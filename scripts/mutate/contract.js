import { heldBy } from './mutant.js';

const money = heldBy('contract/money');
const check = heldBy('contract/check');
const ids = heldBy('contract/ids');
const identifiers = heldBy('contract/identifiers');
const operation = heldBy(
  'payments/known/row-outcome',
  'payments/decide-row',
  'client/conclusion',
  'feed/operations',
);
const signature = heldBy('events/webhooks/verification');
const reference = heldBy('contract/reference');
const canonical = heldBy('contract/canonical');
const origin = heldBy('contract/origin');
const states = heldBy('client/wait');
const limits = heldBy('storage/journal/request', 'storage/journal/precedence');
const duration = heldBy('command/line/duration');
const marks = heldBy('contract/marks');
const masked = heldBy('contract/masked');

const unseen = heldBy('output/escape', 'reconcile/findings-shown');
const retry = heldBy('contract/retry');
const paging = heldBy('feed/walk');
const attempt = heldBy('client/conclusion');

const moment = heldBy('contract/moment');
const permit = heldBy('contract/permit');

const strict = heldBy('session/guard/request-kind', 'session/guard/policy');

export const contract = [
  identifiers('correctIdentifiers', 'a document of another type than is said is taken', [
    'isSameInAnyCase(typedType, type) ? [',
    "typedType !== '' ? [",
  ]),
  identifiers('CODE_BEFORE_NAME', 'the first word of the name of a bank is its code', [
    '(?:(?<=[0-9])[',
    '(?:[',
  ]),
  strict('parseStrictJson', 'a name twice is read as the last one', [
    'if (canonicalJson(text) !== null)',
    'if (value !== null)',
  ]),
  strict('parseStrictJson', 'a byte order mark is passed over', [
    'if (byteOrderMarkLength(bytes) > 0)',
    'if (bytes.length === 0)',
  ]),
  strict('canonicalAddress', 'the path of an address is left out', [
    "new URL(address).pathname.replace(/\\/+$/, '')",
    "''",
  ]),
  moment('ageOf', 'an age needs no time of the service', [
    'if (then.serviceMs === null || now.serviceMs === null) return',
    'if (then.serviceMs === null && now.serviceMs === null) return',
  ]),
  moment('ageOf', 'a clock that went back says nothing', ['elapsedMs(back) >= -SERVICE_CLOCKS_MS', 'true']),
  moment('ageOf', 'an age is the least that a clock says', [
    'ms: elapsedMs(ahead) };',
    'ms: elapsedMs(back) };',
  ]),
  moment('readingsOf', 'another boot counts as this one', [
    "then.bootId !== '' && then.bootId === now.bootId",
    "then.bootId !== ''",
  ]),
  moment('readingsOf', 'of another machine its wall clock counts', [
    "else if (!isSameBoot) add('machine'",
    "add('machine'",
  ]),
  moment('serviceTimeOf', 'an anchor of another boot stamps', ['anchor.bootId !== now.bootId', 'false']),
  unseen('UNSEEN_CHARACTERS', 'marks that turn the direction of a text pass', [
    String.raw`\p{Zp}\p{Default_Ignorable_Code_Point}`,
    String.raw`\p{Zp}`,
  ]),
  operation('chooseEvent', 'of a payment that failed and was confirmed the failure is kept', [
    "return stored.status === 'failed' ? incoming : stored;",
    "return stored.status === 'failed' ? stored : incoming;",
  ]),
  money(
    'toMinor',
    'a digit that the currency does not have is dropped',
    ['if (fraction.length > decimals) return null;', ''],
    ["fraction.padEnd(decimals, '0')", "fraction.slice(0, decimals).padEnd(decimals, '0')"],
  ),
  money('compareDecimals', 'amounts are compared as text', [
    'return difference < 0n ? -1 : difference > 0n ? 1 : 0;',
    'return left < right ? -1 : left > right ? 1 : 0;',
  ]),
  money('fromMinor', 'a negative balance loses its sign', [
    "const sign = minor < 0n ? '-' : '';",
    "const sign = '';",
  ]),
  money('percentOf', 'a fee of half a minor unit is rounded down', [
    '(minor * percent + 50n) / 100n',
    '(minor * percent) / 100n',
  ]),
  money('sumDecimals', 'a sum forgets the scale of what came before', [
    'total *= 10n ** BigInt(parsed.scale - scale);',
    '',
  ]),
  check('checkAmount', 'the largest amount of a method is refused', [
    'compareDecimals(amount, max) > 0',
    'compareDecimals(amount, max) >= 0',
  ]),
  check('checkAvailability', 'a method that cannot be used now counts as usable', [
    "return availability === 'temporarily_unavailable' ? { refusal: 'temporarily_unavailable' } : null;",
    'return null;',
  ]),
  ids('isIdempotencyKey', 'the longest key is refused', ['text.length <= max', 'text.length < max']),
  operation('comparators', '10 and 10.00 are two amounts', [
    '(isDecimal(a) && isDecimal(b) && compareDecimals(a, b) === 0)',
    'false',
  ]),
  ids('isSameId', 'an id in capital letters is another one', [
    'a.toLowerCase() === b.toLowerCase()',
    'a === b',
  ]),
  operation('matchesPayment', 'what a payment does not say counts as agreement', [
    'return actual !== null && comparators[name](wanted[name], actual);',
    'return actual === null || comparators[name](wanted[name], actual);',
  ]),
  operation('isOlder', 'two clocks of the service that differ make a new payment an older one', [
    'createdAtMs < firstLeftMs - SERVICE_CLOCKS_MS',
    'createdAtMs < firstLeftMs',
  ]),
  signature('sign', 'the dot between time and body is not signed', [
    '.update(`${timestamp}.`)',
    '.update(timestamp)',
  ]),
  reference('foldForKey', 'another dash is another reference', [".replace(DASHES, '-')", '']),
  reference('foldReference', 'STRASSE is another reference than straße', ['.toUpperCase()', '']),
  reference('foldReference', 'a space beside a dash is another reference', [".replace(/ ?- ?/g, '-')", '']),
  canonical('canonicalJson', 'a name that is repeated in an object is taken', [
    'members.size === rawMembers.length ?',
    'members.size > 0 ?',
  ]),
  states('isFinal', 'a failed operation is not final', [
    "status === 'confirmed' || status === 'failed'",
    "status === 'confirmed'",
  ]),
  origin('canonicalOrigin', 'all ports of this machine are one server', [
    "${port === '' ? '' : `:${port}`}",
    '',
  ]),
  limits('KEY_SAFE_MS', 'a key is thought safe for a day and an hour', [
    'KEY_SAFE_MS = 23 *',
    'KEY_SAFE_MS = 25 *',
  ]),
  duration('UNIT_MS', 'an hour is a minute', ['h: 3_600_000,', 'h: 60_000,']),
  marks('twinMark', 'the same person and 10 or 10.00 are no twins', [
    'canonicalDecimal(amount) ?? amount',
    'amount',
  ]),
  masked('maskPersonal', 'an account of four characters is shown whole', [
    'value.length > 4 ?',
    'value.length >= 4 ?',
  ]),
  retry('nextWaitMs', 'a cancel is sent again', ["retry === 'once' || ", '']),
  retry('CALL_PATIENCE', 'a request is made four times', [
    'CALL_PATIENCE: Patience = { attemptsMax: 3,',
    'CALL_PATIENCE: Patience = { attemptsMax: 4,',
  ]),
  retry('REPEATABLE_KINDS', 'a definite refusal is asked for again', [
    "'unavailable',\n  'mismatched',\n",
    "'unavailable',\n  'mismatched',\n  'refused',\n",
  ]),
  retry('patientWaitMs', 'a follower asks a service that is away without a pause', [
    'Math.min(PATIENT_WAIT_MAX_MS, PATIENT_FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10))',
    '0',
  ]),
  retry('nextWaitMs', 'a service that asks for an hour is waited for', [
    'Math.min(retryAfterOf(last) ?? 0, RETRY_AFTER_MAX_MS)',
    'retryAfterOf(last) ?? 0',
  ]),
  attempt('isUnknown', 'an answer that the contract does not know settles a create', [
    " || (kind === 'broken' && retry === 'keyed')",
    '',
  ]),
  paging('walkPages', 'a cursor that is repeated is no end', [
    'page.next !== null && page.next !== cursor;',
    'page.next !== null;',
  ]),
  paging('walkPages', 'cursors that run in a circle are walked for ever', [
    "throw fault('circle');",
    'return;',
  ]),
  paging('walkPages', 'new events under a cursor that stands still are the end', [
    '!hasNewElement || page.next === null',
    'true',
  ]),
  paging('walkPages', 'a cursor that stands still twice is the end', [
    'isCursorStanding && page.next !== null',
    'false',
  ]),
  permit('covers', 'what looks like a permit is one', ['&& #digest in permit;', "&& 'covers' in permit;"]),
  permit('digestOf', 'a permit is good for another key', [
    '[method, url, keys, bytes]',
    '[method, url, bytes]',
  ]),
  permit('digestOf', 'a permit is good for other bytes', [
    '[method, url, keys, bytes]',
    '[method, url, keys]',
  ]),
  permit('digestOf', 'a permit is good for another address', [
    '[method, url, keys, bytes]',
    '[method, keys, bytes]',
  ]),
];
