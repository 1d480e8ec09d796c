import { createHmac } from 'node:crypto';
import { DELIVERY_HEADERS, signatureHeader, SIGNATURE_PREFIX } from '../../contract/events.js';
import { isObject } from '../../contract/shape.js';
import type { ReceiverCaseId } from './cases.js';

export type ExamEvent = Readonly<
  Record<'eventId' | 'type' | 'operationId' | 'reference' | 'amount' | 'currency' | 'text', string>
>;

export interface Parcel {
  readonly method: 'POST' | 'GET';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export function parcelOf({ eventId, type, text }: ExamEvent, secrets: readonly string[], timestamp: string) {
  const body = Buffer.from(text);
  const headers = {
    [DELIVERY_HEADERS.signature]: signatureHeader(secrets, timestamp, body),
    [DELIVERY_HEADERS.timestamp]: timestamp,
    [DELIVERY_HEADERS.type]: type,
    [DELIVERY_HEADERS.id]: eventId,
  };
  return { method: 'POST', headers, body } as const;
}

export const TEXT_CHANGES: Readonly<
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

/** A receiver that parses the body and writes it again verifies one of these texts, not the bytes as sent. */
export const REENCODINGS = [withSpaces, withSortedMembers] as const;

function withSpaces(text: string): string {
  const lines = JSON.stringify(JSON.parse(text), null, 1);
  return lines.replace(/,\n */g, ', ').replace(/\n */g, '');
}

function withSortedMembers(text: string): string {
  return JSON.stringify(JSON.parse(text), (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function reverseMembers(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).reverse());
}

function withMetadata(text: string, metadata: Readonly<Record<string, unknown>>): string {
  return withMembers(text, {}, { metadata });
}

export function withUnknownMembers(text: string): string {
  return withMembers(text, { api_version: '2.9' }, { risk: { score: 3 }, status_detail: null });
}

function withMembers(text: string, eventMembers: object, dataMembers: object): string {
  const event = JSON.parse(text) as { readonly data: object };
  return JSON.stringify({ ...event, ...eventMembers, data: { ...event.data, ...dataMembers } });
}

export type Forge = (event: ExamEvent, secret: string, nowSeconds: number) => Parcel;

const EDGE_SECONDS = 310;
const STRANGER_SECRET = 'whsec_of_somebody_else';
const ZERO_SIGNATURE = SIGNATURE_PREFIX + '0'.repeat(64);

export const FORGERIES = {
  'time.old-310': forgeAtTime(-EDGE_SECONDS),
  'time.ahead-310': forgeAtTime(EDGE_SECONDS),
  'time.none': forgeWithoutHeader(DELIVERY_HEADERS.timestamp),
  'time.malformed': (event, secret) => parcelOf(event, [secret], 'NaN'),
  'forged.byte': forgeFrom((parcel, event) => ({
    ...parcel,
    body: Buffer.from(event.text.replace(/"amount":"[0-9]/, '"amount":"9')),
  })),
  'forged.secret': (event, _secret, nowSeconds) => correctParcel(event, STRANGER_SECRET, nowSeconds),
  'forged.other-time': (event, secret, nowSeconds) =>
    withHeader(correctParcel(event, secret, nowSeconds), DELIVERY_HEADERS.timestamp, String(nowSeconds - 5)),
  'forged.key-is-empty': (event, secret, nowSeconds) => {
    const parcel = correctParcel(event, secret, nowSeconds);
    const hmac = createHmac('sha256', '').update(`${String(nowSeconds)}.${event.text}`);
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
  'forged.malformed-list': forgeSignature(() => Array(200).fill(ZERO_SIGNATURE).join(' ')),
} satisfies Readonly<Partial<Record<ReceiverCaseId, Forge>>> as Readonly<Record<ForgeryId, Forge>>;

type ForgeryId = Exclude<
  Extract<ReceiverCaseId, `forged.${string}` | `time.${string}`>,
  'forged.answered-4xx' | FalseHeaderId | 'time.old-290' | 'time.ahead-290'
>;
export type FalseHeaderId = 'forged.header-type' | 'forged.header-id';

function correctParcel(event: ExamEvent, secret: string, nowSeconds: number): Parcel {
  return parcelOf(event, [secret], String(nowSeconds));
}

function forgeAtTime(aheadSeconds: number): Forge {
  return (event, secret, nowSeconds) => correctParcel(event, secret, nowSeconds + aheadSeconds);
}

function forgeFrom(change: (parcel: Parcel, event: ExamEvent) => Parcel): Forge {
  return (event, secret, nowSeconds) => change(correctParcel(event, secret, nowSeconds), event);
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
  const name = DELIVERY_HEADERS.signature;
  return forgeFrom((parcel) => withHeader(parcel, name, signature(parcel.headers[name] ?? '')));
}
