/** Mistakes in what is sent again, what an answer means and how a call ends. */
import { inFile } from './mutant.js';

const response = inFile('client/response.ts', 'client/response');
const held = inFile('client/held-request.ts', 'client/about-another');
const conclusion = inFile('client/conclusion.ts', 'client/conclusion');
const exit = inFile('client/ending.ts', 'client/conclusion');
const retryAfter = inFile('client/response.ts', 'client/response');
const asking = inFile('client/client.ts', 'client/client');
const waited = inFile('runtime/transport.ts', 'client/service-clock');
const serviceClock = inFile('client/service-clock.ts', 'client/service-clock');
const exchange = inFile('client/exchange.ts', 'client/exchange', 'client/undici.alone');
const wait = inFile('client/wait.ts', 'client/wait');
const next = inFile('client/ending.ts', 'client/conclusion');

export const client = [
  exchange('what waited for its connection leaves, whoever has its row by then', [
    "else if (!this.#over && !this.mayLeave()) this.fail('late', 'it waited too long in the queue');",
    '',
  ]),
  response("a gateway's 503 is a definite no", ['(status === 503 && error !== null)', 'status === 503']),
  response('a create is refused by a code with another status', [
    ' && ERRORS[error.code as ErrorCode].status === status',
    '',
  ]),
  response('a create is refused by any 403', [
    "if (status === 403) return error.code === 'scope_missing';",
    'if (status === 403) return true;',
  ]),
  response('an operation that is not what was asked for is a success', [
    'const why = asked === null ? null : differenceOf(asked, claims);',
    'const why = null;',
  ]),
  held('an answer about another operation counts', ['...(id === null ? {} : { id })', '']),
  held('a read of a payout takes a pay-in', [
    'askedOf(sent, operationsOf(endpointId))',
    'askedOf(sent, undefined)',
  ]),
  conclusion('an older payment counts as the new one', [
    'if (older && tried.create?.isOwnKey !== true) return concludeUnknown(tried);',
    '',
  ]),
  conclusion('a program is told to cancel again', [" && !(hasLeft && tried.retry === 'once')", '']),
  conclusion('a later refusal settles what was lost before it', [
    'tried.attempts.some((attempt) => isUnknown(attempt, tried.retry))',
    'isUnknown(tried.attempts.at(-1)!, tried.retry)',
  ]),
  exit('a key without the scope is a rejected request', [
    'if (status === 401 || status === 403) return 4;',
    'if (status === 401) return 4;',
  ]),
  retryAfter('seconds are taken for milliseconds', ['return Number(text) * 1000;', 'return Number(text);']),
  serviceClock('what a cache may have kept proves the time', ['if (!isProof && !isDirect) return;', '']),
  waited('an answer that waited somewhere is believed', [' || Number(age) > WAITED_MAX_S', '']),
  serviceClock('a time before the newest that was seen is believed', [
    'if (newest !== null && serviceMs < newest.serviceMs - BACK_MAX_MS && !mayGoBack) return;',
    '',
  ]),
  serviceClock('many little steps back are a long way', [
    'const leastMs = mayGoBack || newest === null ? -Infinity : newest.serviceMs;',
    'const leastMs = -Infinity;',
  ]),
  serviceClock('the sleep of a machine makes nothing older', [
    'Math.max(passedMs, boot.bootMs - heard.boot.bootMs)',
    'passedMs',
  ]),
  serviceClock('what an earlier process has heard judges an age', [
    'wallMs: this.#clock.now(), serviceMs: this.#provedMs(boot), sharedMs',
    'wallMs: this.#clock.now(), serviceMs: this.moment().serviceMs, sharedMs',
  ]),
  asking('any answer to the question for the time proves it', [
    ' || (isFresh && isAbsent(answer))',
    ' || isFresh',
  ]),
  wait('a pay-in that awaits its code is waited for', [
    "operation.pending_reason === 'awaiting_code' ? 'person' : null",
    'null',
  ]),
  next('an unknown create is to be run again instead of repeated', [
    "? { kind: 'repeat', key } :",
    "? { kind: 'same', key: null } :",
  ]),
  exchange('a body that goes on for ever is kept', ['this.onArrival();\n      return;', 'this.onArrival();']),
];
