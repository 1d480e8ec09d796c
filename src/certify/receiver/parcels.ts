import { createHmac } from 'node:crypto';
import { DELIVERY_HEADERS, sign, signatureHeader, SIGNATURE_PREFIX } from '../../contract/events.js';
import type { ReceiverCaseId } from './cases.js';

export interface ExamEvent {
  readonly eventId: string;
  readonly type: string;
  readonly operationId: string;
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
  readonly text: string;
}

export interface Parcel {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export interface Signing {
  /** The newest secret comes first. */
  readonly secrets: readonly string[];
  /** The header's text, which is signed too. A forgery may use a text that is no number. */
  readonly timestamp: string;
}

export function parcelOf(
  { eventId, type }: Pick<ExamEvent, 'eventId' | 'type'>,
  body: Uint8Array,
  { secrets, timestamp }: Signing,
): Parcel {
  const headers = {
    [DELIVERY_HEADERS.signature]: signatureHeader(secrets, timestamp, body),
    [DELIVERY_HEADERS.timestamp]: timestamp,
    [DELIVERY_HEADERS.type]: type,
    [DELIVERY_HEADERS.id]: eventId,
  };
  return { method: 'POST', headers, body };
}

export const ODD_TEXTS: Readonly<
  Record<Extract<ReceiverCaseId, `bytes.${string}`>, (text: string) => string>
> = {
  'bytes.spaces': (text) => `${JSON.stringify(JSON.parse(text), null, '\t').replaceAll('": ', '" : ')}\n`,
  'bytes.escapes': (text) =>
    text
      .replace(/"concept":"(.)/, (_, first: string) => `"concept":"${unicodeEscape(first)}`)
      .replace(/"reference":"(.)/, (_, first: string) => `"reference":"${unicodeEscape(first)}`)
      .replaceAll('/', '\\/'),
  'bytes.order': (text) => {
    const { data, ...rest } = JSON.parse(text) as { readonly data: Record<string, unknown> };
    return JSON.stringify({ data: reverseMembers(data), ...reverseMembers(rest) });
  },
  // The numbers are put in as text, because JSON.stringify would normalize them.
  'bytes.numbers': (text) =>
    withMetadata(text, {}).replace(
      '"metadata":{}',
      '"metadata":{"n":1.50e+01,"big":12345678901234567890,"zero":-0.0}',
    ),
  'bytes.unicode': (text) => withMetadata(text, { name: 'José Ñandú 你好 😀', clé: '\u2028é' }),
  'bytes.metadata': (text) => withMetadata(text, { note: 'é'.repeat(2000) }),
};

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function reverseMembers(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).reverse());
}

function withMetadata(text: string, metadata: Readonly<Record<string, unknown>>): string {
  const event = JSON.parse(text) as { readonly data: Record<string, unknown> };
  return JSON.stringify({ ...event, data: { ...event.data, metadata } });
}

export function withUnknownMembers(text: string): string {
  const event = JSON.parse(text) as { readonly data: Record<string, unknown> };
  const data = { ...event.data, risk: { score: 3 }, status_detail: null };
  return JSON.stringify({ ...event, api_version: '2.9', data });
}

interface ForgeryFacts {
  readonly secret: string;
  readonly nowSeconds: number;
}

export type Forge = (event: ExamEvent, facts: ForgeryFacts) => Parcel;

const EDGE_SECONDS = 310;
const STRANGER_SECRET = 'whsec_of_somebody_else';
const ZERO_DIGITS = '0'.repeat(64);

/** A correct receiver refuses each of these deliveries. */
export const FORGERIES = {
  'time.old-310': forgeAtTime(-EDGE_SECONDS),
  'time.ahead-310': forgeAtTime(EDGE_SECONDS),
  'time.none': forgeWithoutHeader(DELIVERY_HEADERS.timestamp),
  'time.malformed': (event, { secret }) =>
    parcelOf(event, bytesOfEvent(event), { secrets: [secret], timestamp: 'NaN' }),
  'forged.byte': forgeFrom((parcel, event) => ({
    ...parcel,
    body: Buffer.from(event.text.replace(/"amount":"[0-9]/, '"amount":"9')),
  })),
  'forged.secret': (event, { nowSeconds }) =>
    parcelOf(event, bytesOfEvent(event), { secrets: [STRANGER_SECRET], timestamp: String(nowSeconds) }),
  'forged.other-time': (event, facts) =>
    withHeader(correctParcel(event, facts), DELIVERY_HEADERS.timestamp, String(facts.nowSeconds - 5)),
  'forged.key-is-empty': (event, facts) => {
    const parcel = correctParcel(event, facts);
    const hmac = createHmac('sha256', '')
      .update(`${String(facts.nowSeconds)}.`)
      .update(bytesOfEvent(event));
    return withHeader(parcel, DELIVERY_HEADERS.signature, SIGNATURE_PREFIX + hmac.digest('hex'));
  },
  'forged.none': forgeWithoutHeader(DELIVERY_HEADERS.signature),
  'forged.empty': forgeSignature(() => ''),
  'forged.prefix': forgeSignature((correct) => correct.slice(0, SIGNATURE_PREFIX.length + 9)),
  'forged.malformed-word': forgeSignature(() => 'abc'),
  'forged.malformed-bare': forgeSignature(() => SIGNATURE_PREFIX),
  'forged.malformed-nohex': forgeSignature(() => SIGNATURE_PREFIX + 'z'.repeat(64)),
  'forged.malformed-short': forgeSignature(() => `${SIGNATURE_PREFIX}00`),
  'forged.malformed-long': forgeSignature(() => SIGNATURE_PREFIX + '0'.repeat(6000)),
  'forged.malformed-latin': forgeSignature(() => `${SIGNATURE_PREFIX}éé`),
  'forged.malformed-list': forgeSignature(() =>
    Array(200)
      .fill(SIGNATURE_PREFIX + ZERO_DIGITS)
      .join(' '),
  ),
} satisfies Readonly<Partial<Record<ReceiverCaseId, Forge>>> as Readonly<Record<ForgeryId, Forge>>;

type ForgeryId = Exclude<
  Extract<ReceiverCaseId, `forged.${string}` | `time.${string}`>,
  'forged.answered-4xx' | 'time.old-290' | 'time.ahead-290'
>;

function bytesOfEvent({ text }: ExamEvent): Uint8Array {
  return Buffer.from(text);
}

function correctParcel(event: ExamEvent, { secret, nowSeconds }: ForgeryFacts): Parcel {
  return parcelOf(event, bytesOfEvent(event), { secrets: [secret], timestamp: String(nowSeconds) });
}

function forgeAtTime(aheadSeconds: number): Forge {
  return (event, facts) => correctParcel(event, { ...facts, nowSeconds: facts.nowSeconds + aheadSeconds });
}

function forgeFrom(change: (parcel: Parcel, event: ExamEvent) => Parcel): Forge {
  return (event, facts) => change(correctParcel(event, facts), event);
}

function withHeader(parcel: Parcel, name: string, value: string): Parcel {
  return { ...parcel, headers: { ...parcel.headers, [name]: value } };
}

function forgeWithoutHeader(name: string): Forge {
  return forgeFrom((parcel) => ({
    ...parcel,
    headers: Object.fromEntries(Object.entries(parcel.headers).filter(([other]) => other !== name)),
  }));
}

function forgeSignature(signature: (correct: string) => string): Forge {
  return (event, facts) => {
    const correct = sign(facts.secret, String(facts.nowSeconds), bytesOfEvent(event));
    return withHeader(correctParcel(event, facts), DELIVERY_HEADERS.signature, signature(correct));
  };
}
