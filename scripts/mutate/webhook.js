import { heldBy } from './mutant.js';

const verification = heldBy('events/webhooks/verification');
const timestamp = heldBy('events/webhooks/verification');
const reception = heldBy('events/webhooks/reception');
const sending = heldBy('events/webhooks/trigger', 'events/forward');
const destination = heldBy('events/webhooks/destination');
const seen = heldBy('events/webhooks/reception', 'events/webhooks/listen');
const header = heldBy('events/webhooks/verification');
const secrets = heldBy('events/webhooks/signing');

export const webhook = [
  verification('verify', 'a delivery of last year is accepted', [
    'if (Math.abs(ahead) > toleranceSeconds)',
    'if (ahead > toleranceSeconds)',
  ]),
  verification('verify', 'a signature need not match', ['if (matches === 0)', 'if (matches < 0)']),
  verification('verifyEvent', 'a header may say another type than the signed body', [
    '.some((value) => !spellings.includes(value))',
    '.some(() => false)',
  ]),
  verification('onlyValueOf', 'of two signature headers the first one counts', [
    'return others.length === 0 ? value',
    'return others.length >= 0 ? value',
  ]),
  timestamp('UNIX_SECONDS', 'a time with a zero before it is read', [
    '(?:0|[1-9][0-9]{0,11})',
    '[0-9]{1,12}',
  ]),
  reception('receive', 'an event is remembered before it is handed over', [
    'handOver(event, body).then(() => seen.add(event.id, nowMs()))',
    'Promise.resolve(seen.add(event.id, nowMs())).then(() => handOver(event, body))',
  ]),
  reception('receive', 'what could not be handed over is not sent again', [
    "return refusal(503, 'not_handed_over'",
    "return refusal(200, 'not_handed_over'",
  ]),
  sending('isAccepted', 'a redirect accepts an event', [
    'status >= 200 && status < 300',
    'status >= 200 && status < 400',
  ]),
  destination('readDestination', 'payments go in the clear to another machine', [
    "if (url.protocol !== 'https:')",
    "if (url.protocol === 'ftp:')",
  ]),
  destination('readDestination', 'one forbidden address among others is let pass', [
    "if (reaches.includes('forbidden')) {",
    "if (reaches.every((reach) => reach === 'forbidden')) {",
  ]),
  seen('RETENTION_MS', 'an event is forgotten after a day, and handled twice', [
    'const RETENTION_MS = 30 * 86_400_000;',
    'const RETENTION_MS = 86_400_000;',
  ]),
  header('readSignatures', 'a ninth signature is judged', [
    'tokens.length > TOKENS_MAX',
    'tokens.length > TOKENS_MAX + 1',
  ]),
  secrets('requireSecrets', 'an empty secret signs', [
    "secret === '' || /\\s/.test(secret)",
    '/\\s/.test(secret)',
  ]),
];
