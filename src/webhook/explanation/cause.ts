/** Why a delivery was rejected, each cause with the words for a person: what differs, and what to do about it. */

/** Where a text has a gap, `{}` stands for what was found. */
const TEXTS = {
  trailing_newline:
    'a trailing newline, which was not signed: pipe the bytes as they are (printf %s, not echo or an editor)',
  newline_missing: 'a trailing newline was signed and is missing: something trimmed the body',
  surrounding_space: 'white space around the body was not signed: verify the bytes exactly as they arrived',
  line_ends: 'line ends were changed between CRLF and LF: keep the bytes as they arrived, not as text',
  byte_order_mark: 'a byte order mark was added to, or taken from, the beginning of the body',
  json_reserialised:
    'the JSON was re-serialised (signed: {}): verify the raw bytes, before anything parses them',
  json_quoted: 'the body was wrapped into a JSON string: verify what is inside it',
  body_base64: 'the body is still base64: decode it first',
  body_chunked: 'the body still carries the chunk sizes of its transfer: take them out first',
  text_encoding: 'the body was decoded as another encoding than UTF-8 on its way: verify bytes, not text',
  other_secret: 'it is signed with {}',
  secret_newline: "the sender's copy of the secret ends with a newline",
  secret_prefix: 'the sender leaves the prefix "whsec_" of the secret away',
  secret_decoded: 'the sender decodes the secret ({}) before signing: the key is the text of the secret',
  missing_dot: 'a missing dot: what is signed is the timestamp, "." and the body',
  timestamp_unsigned:
    'the body was signed without the timestamp: what is signed is the timestamp, "." and the body',
  timestamp_milliseconds: 'the timestamp is in milliseconds: it is in whole seconds',
  timestamp_shape: 'the timestamp is not written as plain Unix seconds ({})',
  timestamp_elsewhere: 'the timestamp that was signed stands in another header ({})',
  timestamp_moved:
    'the signature belongs to the timestamp {}: it was moved after signing, as in a replay; discard it',
  signature_base64: 'the signature is base64 instead of hex',
  signature_prefix: 'the signature does not begin with "v1="',
  signature_separator: 'the signatures are not separated by a space, but by a comma, a tab or the like',
  signature_elsewhere: 'the signature that is right stands in another header ({})',
  signature_shape: 'the signature carries characters around it (quotes, junk)',
  clock_skew: '{}',
} as const;

export type CauseCode = keyof typeof TEXTS;

/** One thing that differs; several together may explain a rejection. */
export interface Cause {
  readonly code: CauseCode;
  readonly text: string;
}

/** A cause in words; `found` fills the gap of those that have one. */
export function cause(code: CauseCode, found = ''): Cause {
  return { code, text: TEXTS[code].replace('{}', () => found) };
}

/** One value that may be what was meant, and what differs then; null where nothing does. */
export interface Suspect<T> {
  readonly value: T;
  readonly cause: Cause | null;
}

/** The value as it was given. */
export function given<T>(value: T): Suspect<T> {
  return { value, cause: null };
}
