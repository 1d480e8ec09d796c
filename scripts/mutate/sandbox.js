import { heldBy } from './mutant.js';

const balance = heldBy('sandbox/machine/sequences');
const code = heldBy('sandbox/machine/code', 'sandbox/spec/debit-otp');
const cancel = heldBy('sandbox/spec/cancel');
const settle = heldBy('sandbox/machine/settle');
const passage = heldBy('sandbox/machine/passage');
const authorize = heldBy('sandbox/spec/access');
const creates = heldBy('sandbox/spec/idempotency');
const cursor = heldBy('sandbox/http/paged-list');
const query = heldBy('sandbox/spec/cursors', 'sandbox/spec/events');
const attempt = heldBy('sandbox/delivery/attempt');
const outbox = heldBy('sandbox/delivery/deliveries');
const host = heldBy('sandbox/http/access', 'sandbox/spec/bad-input');
const origin = heldBy('sandbox/http/access');

const masking = heldBy('sandbox/control/requests');
const sides = heldBy('sandbox/control/requests', 'sandbox/delivery/wire');
const log = heldBy('sandbox/requests', 'sandbox/control/requests');
const traces = heldBy('sandbox/http/access');
const kept = heldBy('sandbox/control/requests');
const expiry = heldBy('sandbox/control/operations');
const played = heldBy('sandbox/control/accepted');
const explained = heldBy('sandbox/control/explanation');
const watchers = heldBy('sandbox/wire/watchers');

export const sandbox = [
  masking('maskText', 'a key is written down whole', [
    "if (!text.includes('svc_')",
    "if (text !== '' || !text.includes('svc_')",
  ]),
  masking('maskCode', 'a code of another name is written down', [
    ".replace(/[0-9]{4,}/g, '...'), 'latin1'",
    ", 'latin1'",
  ]),
  masking('maskCode', 'a code is written down where the body is no JSON', [
    ".replace(/[0-9]/g, '.'), 'latin1'",
    ", 'latin1'",
  ]),
  sides('formatBody', 'a body is not said to be cut', [
    'bytes.length > bytesMax ? { truncated',
    'bytes.length < 0 ? { truncated',
  ]),
  log('answerLogged', 'a request to the control is in the log', [
    'request.target.startsWith(CONTROL_PATH) || isUnlogged(request)',
    'isUnlogged(request)',
  ]),
  traces('answerLogged', 'a request of a page of another site is in the log', [
    'request.target.startsWith(CONTROL_PATH) || isUnlogged(request)',
    'request.target.startsWith(CONTROL_PATH)',
  ]),
  log('handleOne', 'a request that changed something in the process is not kept', [
    'if (world.store.changes() !== oldCount) world.log.write();',
    'if (world.store.changes() === oldCount) world.log.write();',
  ]),
  kept(
    ['requestsIn', 'NEWEST_CONDITION'],
    'the log grows for ever',
    ["if (isDropDue) db.run('DELETE", "if (isDropDue && newestId < 0) db.run('DELETE"],
    ['id > (SELECT coalesce(max(id), 0) - ${REQUESTS_KEPT} FROM requests)', 'id > 0'],
  ),
  expiry('expire', 'a code that was ended is good', [
    'code_expires_at: context.nowMs }',
    'code_expires_at: endsAt }',
  ]),
  expiry('expire', 'a code is ended again', ['endsAt <= context.nowMs', 'endsAt < context.nowMs']),
  played('settleOperation', 'the bank answers what waits for a code', [
    "record.operation.pending_reason === 'processing' ?",
    'record.operation.pending_reason !== null ?',
  ]),
  explained('signatureStep', 'a secret that was replaced is good for ever', [
    'nowMs < endMs',
    'nowMs < Infinity',
  ]),
  watchers('openWatchers', 'a page of another site holds the stream open', ['checkSite(request) ?? ', '']),
  balance('EFFECTS', 'a payout that failed stays reserved', ['release: [1n, -1n]', 'release: [1n, 0n]']),
  code('confirm', 'a code is good in the moment in which it ends', [
    'context.nowMs >= expiresAt',
    'context.nowMs > expiresAt',
  ]),
  code('confirm', 'any code is the right one', [
    "if (code !== context.code) return fail(record, 'code_rejected', 'code_invalid', context);",
    '',
  ]),
  code('resend', 'a sixth code is sent', [
    'record.hidden.resends >= LIMITS.codeResends',
    'record.hidden.resends > LIMITS.codeResends',
  ]),
  cancel('cancel', 'a payout is cancelled in any state', [
    'return isCancellable ?',
    "return isCancellable || type === 'payout' ?",
  ]),
  settle('finalEntries', 'a failed payout is taken from the balance', [
    "isConfirmed ? 'capture' : 'release'",
    "'capture'",
  ]),
  passage('passTime', 'what is due now is not due', ['context.nowMs < dueAt', 'context.nowMs <= dueAt']),
  authorize('authorize', 'every key has every scope', [
    'scope === null || bearer.scopes.includes(scope)',
    'scope === null || bearer.scopes.length > 0',
  ]),
  creates('create', 'a key means the same for a pay-in and a payout', ['.update(`${direction}\\n`)', '']),
  creates('create', 'a key that was used makes another operation', [
    'if (original !== null) {',
    'if (original !== null && earlierUse === undefined) {',
  ]),
  cursor('sealOf', 'a cursor of one company opens the events of another', [
    '${company.environment}\\n${company.name}\\n',
    '${company.environment}\\n',
  ]),
  query('readLimit', 'a page of the largest size is refused', ['limit <= max', 'limit < max']),
  attempt('applyAnswer', 'a redirect accepts an event', [
    'status >= 200 && status < 300',
    'status >= 200 && status < 400',
  ]),
  attempt('plainWaitMs', 'a ping is delivered again', [
    "type === 'test.ping' ? undefined : DELIVERY_WAITS_SECONDS[wait]",
    'DELIVERY_WAITS_SECONDS[wait]',
  ]),
  outbox('prepareAttempt', 'the secret before the last signs for ever', ['atMs - PREVIOUS_SECRET_MS', '0']),
  host('LOOPBACK_HOST', 'a name that begins like this machine is this machine', [
    '(?::[0-9]{1,5})?$/i',
    '(?::[0-9]{1,5})?/i',
  ]),
  origin('OWN_SITES', 'a page of a neighbouring site may change the sandbox', [
    "['same-origin', 'none']",
    "['same-origin', 'none', 'same-site']",
  ]),
];
