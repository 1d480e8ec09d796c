/** Why a delivery was rejected, each cause with the words for a person: what differs, and what to do about it. */

/** Where a text has a gap, `{}` stands for what was found. */
const TEXTS = {
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
  body_chunked: 'the body still has the chunk sizes of its transfer: remove them first',
  text_encoding: 'something decoded the body with an encoding other than UTF-8: verify bytes, not text',
  other_secret: 'it is signed with {}',
  secret_newline: "the sender's copy of the secret ends with a newline",
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
