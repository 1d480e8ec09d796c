const CAUSE_TEXTS = {
  trailing_newline:
    'the body has a trailing newline that was not signed: pipe the bytes as they are (printf %s, not echo or an editor)',
  newline_missing: 'the signed body ends with a newline that is missing here: something trimmed the body',
  surrounding_space:
    'the body has white space around it that was not signed: verify the bytes exactly as they arrived',
  line_ends: 'something changed line ends between CRLF and LF: keep the bytes as they arrived, not as text',
  byte_order_mark: 'something added or removed a byte order mark at the beginning of the body',
  json_reserialised:
    'something wrote the JSON again (signed: {}): verify the raw bytes, before anything parses them',
  json_quoted: 'the body is wrapped in a JSON string: verify what is inside it',
  body_base64: 'the body is still base64: decode it first',
  body_compressed: 'the body is still compressed: decompress it first',
  body_chunked: 'the body still has the chunk sizes of its transfer: remove them first',
  text_encoding: 'something decoded the body with an encoding other than UTF-8: verify bytes, not text',
  other_secret: 'it is signed with {}',
  secret_newline: "the sender's copy of the secret ends with a newline",
  secret_quoted: 'the secret has quotes around it here: remove them',
  secret_is_key: 'the secret here is an API key: use the signing secret, which begins with "whsec_"',
  secret_prefix: 'the sender omits the prefix "whsec_" of the secret',
  secret_decoded: 'the sender decodes the secret ({}) before signing: the key is the text of the secret',
  missing_dot: 'the dot is missing: sign the timestamp, "." and the body',
  timestamp_unsigned: 'the body was signed without the timestamp: sign the timestamp, "." and the body',
  timestamp_milliseconds: 'the timestamp is in milliseconds: use whole seconds',
  timestamp_shape: 'the timestamp is not written as plain Unix seconds ({})',
  timestamp_elsewhere: 'the timestamp that was signed is in another header ({})',
  timestamp_moved:
    'the signature belongs to the timestamp {}, which was changed after signing, as in a replay: discard the delivery',
  signature_base64: 'the signature is base64 instead of hex',
  signature_prefix: 'the signature does not begin with "v1="',
  signature_separator: 'a comma, a tab or similar separates the signatures: use a space',
  signature_elsewhere: 'the right signature is in another header ({})',
  signature_shape: 'the signature has extra characters around it (quotes, junk)',
  clock_skew: '{}',
} as const;

export type CauseCode = keyof typeof CAUSE_TEXTS;

export interface Cause {
  readonly code: CauseCode;
  readonly text: string;
}

export function cause(code: CauseCode, value = ''): Cause {
  return { code, text: CAUSE_TEXTS[code].replace('{}', () => value) };
}

export interface Suspect<T> {
  readonly value: T;
  readonly cause: Cause | null;
}

export function unchanged<T>(value: T): Suspect<T> {
  return { value, cause: null };
}

export type OtherSecret = Readonly<Record<'secret' | 'name', string>>;

export function keySuspects(
  secrets: readonly string[],
  others: readonly OtherSecret[],
): Suspect<string | Buffer>[] {
  const otherSecrets = others.filter(({ secret }) => !secrets.includes(secret));
  return [
    ...secrets.map((secret) => unchanged(secret)),
    ...otherSecrets.map(({ secret, name }) => ({ value: secret, cause: cause('other_secret', name) })),
    ...secrets.flatMap(mistypedSecrets),
  ];
}

function mistypedSecrets(secret: string): Suspect<string | Buffer>[] {
  const suspects: Suspect<string | Buffer>[] = [{ value: `${secret}\n`, cause: cause('secret_newline') }];
  const unquoted = secret.replace(/^["'`\p{Pi}\p{Pf}]+|["'`\p{Pi}\p{Pf}]+$/gu, '');
  if (unquoted !== secret && unquoted !== '')
    suspects.push({ value: unquoted, cause: cause('secret_quoted') });
  const withoutPrefix = secret.replace(/^whsec_/, '');
  if (withoutPrefix !== secret && withoutPrefix !== '')
    suspects.push({ value: withoutPrefix, cause: cause('secret_prefix') });
  if (/^(?:[0-9a-fA-F]{2})+$/.test(withoutPrefix)) {
    suspects.push({
      value: Buffer.from(withoutPrefix, 'hex'),
      cause: cause('secret_decoded', 'hexadecimal'),
    });
  }
  const bytes = Buffer.from(withoutPrefix, 'base64');
  if (/^[A-Za-z0-9+/_-]+={0,2}$/.test(withoutPrefix) && bytes.length > 0) {
    suspects.push({ value: bytes, cause: cause('secret_decoded', 'base64') });
  }
  return suspects;
}

const LAYOUTS: readonly Suspect<(stamp: string, body: Uint8Array) => readonly (string | Uint8Array)[]>[] = [
  unchanged((stamp, body) => [stamp, '.', body]),
  { value: (stamp, body) => [stamp, body], cause: cause('missing_dot') },
  { value: (_stamp, body) => [body], cause: cause('timestamp_unsigned') },
];

export function* combinations(
  stamps: readonly Suspect<string>[],
  keys: readonly Suspect<string | Buffer>[],
  bodies: readonly Suspect<Uint8Array>[],
) {
  for (const differenceCount of [0, 1, 2]) {
    for (const stamp of stamps) {
      for (const key of keys) {
        for (const layout of LAYOUTS) {
          const causeCount = [stamp, key, layout].filter((suspect) => suspect.cause !== null).length;
          if (causeCount > differenceCount) continue;
          for (const body of bodies) {
            const causes = [stamp, key, layout, body].flatMap((suspect) => suspect.cause ?? []);
            if (causes.length !== differenceCount) continue;
            yield { values: [stamp.value, key.value, layout.value, body.value] as const, causes };
          }
        }
      }
    }
  }
}

const DISTANCE_MAX_SECONDS = 3600;
const HASHED_BYTES_MAX = 128 * 1024 * 1024;
const HASHES_MAX = 30_000;

export function findTimestamp(
  centres: readonly number[],
  bytesPerTry: number,
  isSigned: (stamp: string) => boolean,
): number | null {
  const triesMax = Math.min(HASHES_MAX, Math.floor(HASHED_BYTES_MAX / Math.max(1, bytesPerTry)));
  let tries = 0;
  for (let distance = 0; distance <= DISTANCE_MAX_SECONDS; distance += 1) {
    for (const centre of centres) {
      for (const time of distance === 0 ? [centre] : [centre - distance, centre + distance]) {
        if (tries >= triesMax) return null;
        tries += 1;
        if (time >= 0 && isSigned(String(time))) return time;
      }
    }
  }
  return null;
}
