/** Mistakes in the service's sandbox: money, moments, who may ask, keys. */
import { inFile } from './mutant.js';

const balance = inFile('sandbox/machine/balance.ts', 'sandbox/machine/balance');
const code = inFile('sandbox/machine/code.ts', 'sandbox/machine/code');
const cancel = inFile('sandbox/machine/settle.ts', 'sandbox/machine/settle');
const settle = inFile('sandbox/machine/settle.ts', 'sandbox/machine/settle');
const passage = inFile('sandbox/machine/passage.ts', 'sandbox/machine/passage');
const authorize = inFile('sandbox/http/access.ts', 'sandbox/spec/access');
const creates = inFile('sandbox/http/creates.ts', 'sandbox/spec/idempotency');
const cursor = inFile('sandbox/http/query.ts', 'sandbox/http/query');
const query = inFile('sandbox/http/query.ts', 'sandbox/spec/cursors', 'sandbox/spec/events');
const attempt = inFile('sandbox/delivery/attempt.ts', 'sandbox/delivery/attempt');
const outbox = inFile('sandbox/delivery/outbox.ts', 'sandbox/delivery/deliveries');
const host = inFile('sandbox/http/access.ts', 'sandbox/http/access', 'sandbox/spec/bad-input');
const origin = inFile('sandbox/http/access.ts', 'sandbox/http/access');

const masking = inFile('sandbox/log/masking.ts', 'sandbox/control/requests');
const sides = inFile('sandbox/log/sides.ts', 'sandbox/control/requests', 'sandbox/delivery/wire');
const log = inFile('sandbox/sandbox.ts', 'commands/sandbox/requests', 'sandbox/control/requests');
const traces = inFile('sandbox/sandbox.ts', 'sandbox/http/access');
const kept = inFile('sandbox/store/requests.ts', 'sandbox/control/requests');
const expiry = inFile('sandbox/machine/expiry.ts', 'sandbox/control/operations');
const played = inFile('sandbox/control/operations.ts', 'sandbox/control/operations');
const explained = inFile('sandbox/control/explanation.ts', 'sandbox/control/explanation');
const watchers = inFile('sandbox/wire/watchers.ts', 'sandbox/wire/watchers');

export const sandbox = [
  masking('a key is written down whole', [
    "if (!text.includes('svc_')",
    "if (text !== '' || !text.includes('svc_')",
  ]),
  masking('a code of another name is written down', [
    ".replace(/[0-9]{4,}/g, '...'), 'latin1'",
    ", 'latin1'",
  ]),
  masking('a code is written down where the body is no JSON', [
    ".replace(/[0-9]/g, '.'), 'latin1'",
    ", 'latin1'",
  ]),
  sides('a body is not said to be cut', [
    'bytes.length > most ? { truncated',
    'bytes.length < 0 ? { truncated',
  ]),
  log('a request to the control is in the log', [
    'request.target.startsWith(CONTROL_PATH) || isForeignPage(request)',
    'isForeignPage(request)',
  ]),
  traces('a request of a page of another site is in the log', [
    'request.target.startsWith(CONTROL_PATH) || isForeignPage(request)',
    'request.target.startsWith(CONTROL_PATH)',
  ]),
  log('a request that changed something in the process is not kept', [
    'if (world.store.changes() !== before) world.log.write();',
    'if (world.store.changes() === before) world.log.write();',
  ]),
  kept(
    'the log grows for ever',
    ["if (isRound) db.run('DELETE", "if (isRound && last < 0) db.run('DELETE"],
    ['id > (SELECT coalesce(max(id), 0) - ${REQUESTS_KEPT} FROM requests)', 'id > 0'],
  ),
  expiry('a code that was ended is good', ['code_expires_at: context.nowMs }', 'code_expires_at: endsAt }']),
  expiry('a code is ended again', ['endsAt <= context.nowMs', 'endsAt < context.nowMs']),
  played('the bank answers what waits for a code', [
    "held.operation.pending_reason === 'processing' ?",
    'held.operation.pending_reason !== null ?',
  ]),
  explained('a secret that was replaced is good for ever', ['nowMs < endsMs', 'nowMs < Infinity']),
  watchers('a page of another site holds the stream open', ['return checkSite(request);', 'return null;']),
  balance('a payout that failed stays reserved', [
    'return { available: available + minor, reserved: reserved - minor };',
    'return { available: available + minor, reserved };',
  ]),
  code('a code is good in the moment in which it ends', [
    'context.nowMs >= expiresAt',
    'context.nowMs > expiresAt',
  ]),
  code('any code is the right one', [
    "if (code !== context.code) return fail(held, 'code_rejected', 'code_invalid', context);",
    '',
  ]),
  code('a sixth code is sent', [
    'held.hidden.resends >= LIMITS.codeResends',
    'held.hidden.resends > LIMITS.codeResends',
  ]),
  cancel('a payout is cancelled in any state', [
    'return isCancellable ?',
    "return isCancellable || type === 'payout' ?",
  ]),
  settle('a failed payout is taken from the balance', ["isConfirmed ? 'capture' : 'release'", "'capture'"]),
  passage('what is due now is not due', ['context.nowMs < dueAt', 'context.nowMs <= dueAt']),
  authorize('every key has every scope', [
    'scope === null || bearer.scopes.includes(scope)',
    'scope === null || bearer.scopes.length > 0',
  ]),
  creates('a key means the same for a pay-in and a payout', ['.update(`${direction}\\n`)', '']),
  creates('a key that was used makes another operation', [
    'if (used !== undefined) {',
    'if (used !== undefined && !fingerprint.equals(used.fingerprint)) {',
  ]),
  cursor('a cursor of one company opens the events of another', [
    '`${environment}\\n${name}\\n`',
    '`${environment}\\n`',
  ]),
  query('a page of the largest size is refused', ['limit <= most', 'limit < most']),
  attempt('a redirect accepts an event', ['status >= 200 && status < 300', 'status >= 200 && status < 400']),
  attempt('a ping is delivered again', [
    "type === 'test.ping' ? undefined : DELIVERY_WAITS_SECONDS[wait]",
    'DELIVERY_WAITS_SECONDS[wait]',
  ]),
  outbox('the secret before the last signs for ever', ['atMs - PREVIOUS_SECRET_MS', '0']),
  host('a name that begins like this machine is this machine', ['(?::[0-9]{1,5})?$/i', '(?::[0-9]{1,5})?/i']),
  origin('a page of a neighbouring site may change the sandbox', [
    "['same-origin', 'none']",
    "['same-origin', 'none', 'same-site']",
  ]),
];
