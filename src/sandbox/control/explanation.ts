/** The last attempt at a delivery as whoever verifies it sees it: what was signed, with which secret, when, and what the receiver said. Pure. */
import { DELIVERY_HEADERS, sign } from '../../contract/events.js';
import { LIMITS } from '../../contract/limits.js';
import { isoSeconds } from '../../runtime/clock.js';
import type { StoredAttempt, StoredDelivery } from '../store/deliveries.js';
import type { RegisteredUrl } from '../store/feed.js';

export interface ExplainedStep {
  readonly check: string;
  readonly ok: boolean;
  readonly text: string;
}

export interface AttemptExplanation {
  /** Whether one who has the secrets that are good now accepts it; how long ago it was is another question. */
  readonly valid: boolean;
  readonly steps: readonly ExplainedStep[];
}

const PREVIOUS_SECRET_MS = LIMITS.previousSecretHours * 3_600_000;

/** @param urls every one that the company registered, oldest first @param nowMs sandbox time */
export function explainSignature(
  {
    attempts,
    body,
    type,
    event_id: eventId,
  }: Pick<StoredDelivery, 'attempts' | 'body' | 'type' | 'event_id'>,
  urls: readonly RegisteredUrl[],
  nowMs: number,
): AttemptExplanation {
  const last = attempts.at(-1);
  if (last === undefined) return nothing('Nothing was sent yet.');
  const { headers } = last;
  if (headers === undefined) return nothing('An older version sent it and did not keep the whole attempt.');
  const headerOf = (name: keyof typeof DELIVERY_HEADERS): string =>
    headers[DELIVERY_HEADERS[name].toLowerCase()] ?? '';
  const bytes = Buffer.from(body);
  const steps = [
    {
      check: 'Body',
      ok: true,
      text: `${bytes.length} bytes, signed as they are. Verify them before anything parses them.`,
    },
    whenSigned(headerOf('timestamp')),
    ...headerOf('signature')
      .split(' ')
      .map((one) => whoSigned(one, { timestamp: headerOf('timestamp'), bytes, urls, nowMs })),
    {
      check: `${DELIVERY_HEADERS.type}, ${DELIVERY_HEADERS.id}`,
      ok: headerOf('type') === type && headerOf('id') === eventId,
      text: 'Not signed. They repeat what the body says.',
    },
    whatCameBack(last),
  ];
  const isSigned = steps.some(({ check, ok }) => check === DELIVERY_HEADERS.signature && ok);
  const others = steps.filter(({ check }) => check !== DELIVERY_HEADERS.signature && check !== RECEIVER);
  return { valid: isSigned && others.every(({ ok }) => ok), steps };
}

const RECEIVER = 'Receiver';

function nothing(text: string): AttemptExplanation {
  return { valid: false, steps: [{ check: 'Attempt', ok: false, text }] };
}

function whenSigned(timestamp: string): ExplainedStep {
  const isTime = /^[0-9]{1,12}$/.test(timestamp);
  const text = isTime
    ? `${timestamp} is ${isoSeconds(Number(timestamp) * 1000)} on the clock of this machine, not on that of the sandbox. ` +
      `Receivers accept ${LIMITS.timestampToleranceSeconds} s either way.`
    : 'It is not a time in Unix seconds.';
  return { check: DELIVERY_HEADERS.timestamp, ok: isTime, text };
}

interface Signed {
  readonly timestamp: string;
  readonly bytes: Uint8Array;
  readonly urls: readonly RegisteredUrl[];
  readonly nowMs: number;
}

function whoSigned(signature: string, { timestamp, bytes, urls, nowMs }: Signed): ExplainedStep {
  const check = DELIVERY_HEADERS.signature;
  const start = `${signature.slice(0, 11)}...`;
  const by = urls.findLast(({ secret }) => sign(secret, timestamp, bytes) === signature);
  if (by === undefined) return { check, ok: false, text: `No secret of this company made ${start}` };
  const whose = `${start} signs the timestamp, "." and the body, with the secret of ${by.url} (registered ${by.created_at})`;
  if (by.replaced_at === null) return { check, ok: true, text: `${whose}.` };
  const endsMs = by.replaced_at + PREVIOUS_SECRET_MS;
  const isGood = nowMs < endsMs;
  const until = isoSeconds(endsMs);
  const rest = isGood
    ? `is good until ${until}`
    : `was good until ${until}: a receiver that has only the new one rejects it`;
  return { check, ok: isGood, text: `${whose}, which was replaced and ${rest}.` };
}

function whatCameBack({ status, error }: StoredAttempt): ExplainedStep {
  const ok = status !== null && status >= 200 && status < 300;
  if (status === null) return { check: RECEIVER, ok, text: `No answer: ${error ?? 'unknown'}.` };
  const rest = ok ? 'accepted' : 'not accepted: only a 2xx answer accepts it';
  return { check: RECEIVER, ok, text: `${status}, ${rest}.` };
}
