import { heldBy } from './mutant.js';

const response = heldBy('client/response');
const held = heldBy('client/about-another');
const conclusion = heldBy('client/conclusion');
const exit = heldBy('client/conclusion');
const retryAfter = heldBy('client/response');
const asking = heldBy('client/client');
const waited = heldBy('client/service-clock');
const serviceClock = heldBy('client/service-clock');
const exchange = heldBy('client/exchange', 'client/undici.alone');
const wait = heldBy('client/wait');
const next = heldBy('client/conclusion');
const permits = heldBy('client/permits');

export const client = [
  exchange('onRequestStart', 'what waited for its connection leaves, although others have its row', [
    "else if (!this.#isOver && !this.maySend()) this.fail('late', 'it waited too long in the queue');",
    '',
  ]),
  response('readAnswer', "a gateway's 503 is a definite no", [
    '(status === 503 && error !== null)',
    'status === 503',
  ]),
  response('readAnswer', 'a create is refused by a code with another status', [
    ' && ERRORS[error.code as ErrorCode].status === status',
    '',
  ]),
  response('readAnswer', 'a create is refused by any 403', [
    "isRefused = status === 401 || error?.code === 'scope_missing';",
    'isRefused = true;',
  ]),
  response('readSuccess', 'an operation that is not what was asked for is a success', [
    'const why = requestedOperation === null ? null : differenceOf(requestedOperation, operation);',
    'const why = null;',
  ]),
  held('checkedRequestOf', 'an answer about another operation counts', [
    '...(id === null ? {} : { id }),',
    '',
  ]),
  held('checkedRequestOf', 'a read of a payout takes a pay-in', [
    'requestedFacts(members ?? {}, endpointDirection(endpointId))',
    'requestedFacts(members ?? {}, undefined)',
  ]),
  conclusion('conclude', 'an older payment counts as the new one', [
    'if (isOlderPayment && call.create?.isOwnKey !== true) return concludeUnknown(call);',
    '',
  ]),
  conclusion('conclude', 'a program is told to cancel again', [
    " && !(wasSent && call.retry === 'once')",
    '',
  ]),
  conclusion('conclude', 'a later refusal settles what was lost before it', [
    'call.attempts.some((attempt) => isUnknown(attempt, call.retry))',
    'isUnknown(call.attempts.at(-1)!, call.retry)',
  ]),
  exit('exitCodeOf', 'a key without the scope is a rejected request', [
    'if (status === 401 || status === 403) return 4;',
    'if (status === 401) return 4;',
  ]),
  retryAfter('readRetryAfter', 'seconds are taken for milliseconds', [
    'return Number(text) * 1000;',
    'return Number(text);',
  ]),
  serviceClock('hear', 'what a cache may have kept proves the time', [
    'if (!isProof && !isDirect) return;',
    '',
  ]),
  waited('isTooOld', 'an answer that waited somewhere is believed', [' || Number(age) > AGE_MAX_S', '']),
  serviceClock('hear', 'a time before the newest that was seen is believed', [
    'if (newestAnchor !== null && serviceMs < newestAnchor.serviceMs - STEP_BACK_MAX_MS && !mayGoBack) return;',
    '',
  ]),
  serviceClock('hear', 'many little steps back are a long way', [
    'const anchorMinMs = mayGoBack || newestAnchor === null ? -Infinity : newestAnchor.serviceMs;',
    'const anchorMinMs = -Infinity;',
  ]),
  serviceClock('#provedMs', 'the sleep of a machine makes nothing older', [
    'Math.max(passedMs, boot.bootMs - reading.boot.bootMs)',
    'passedMs',
  ]),
  serviceClock('#present', 'what an earlier process has heard judges an age', [
    'wallMs: this.#clock.now(), serviceMs: this.#provedMs(boot), sharedMs',
    'wallMs: this.#clock.now(), serviceMs: this.moment().serviceMs, sharedMs',
  ]),
  asking('createClient', 'any answer to the question for the time proves it', [
    ' || (isFresh && isRefused)',
    ' || isFresh',
  ]),
  wait('waitForOperation', 'a pay-in that awaits its code is waited for', [
    "if (operation?.code === 'awaiting_code') return { end: 'person', operation, conversation };",
    '',
  ]),
  next('nextAfterUnknown', 'an unknown create is to be run again instead of repeated', [
    "? { kind: 'repeat', key } :",
    "? { kind: 'same', key: null } :",
  ]),
  exchange('onResponseData', 'a body that goes on for ever is kept', [
    'this.onArrival();\n      return;',
    'this.onArrival();',
  ]),
  permits('requirePermit', 'whatever has a permit may leave as it is', [
    'if (Permit.covers(permit, request)) return;',
    'if (permit instanceof Permit) return;',
  ]),
  permits('requirePermit', 'a live read may go anywhere', [
    ' && request.url.startsWith(`${addressOf(origin)}/`)',
    '',
  ]),
  permits('createClient', 'live nothing is asked', ["options.environment === 'live'", 'false']),
];
