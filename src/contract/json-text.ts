/** JSON text in bytes: what is parsed of it stands behind a byte order mark, which is no JSON and which some in between put there. */

/** How many bytes the mark has that these begin with: 3 or none. */
export function markLength(bytes: Uint8Array): 0 | 3 {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The same bytes without it; nothing is copied. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  const length = markLength(bytes);
  return length === 0 ? bytes : bytes.subarray(length);
}

/** The value in the bytes of an answer. @throws SyntaxError where there is none */
export function parseJson(bytes: Uint8Array): unknown {
  const { buffer, byteOffset, byteLength } = withoutMark(bytes);
  return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8'));
}
