/** The signatures in `X-Firma`: tokens separated by spaces, each `v1=` and 64 hexadecimal digits (section 6). Pure. */
import { SIGNATURE_PREFIX } from '../contract/signature.js';

const HEADER_MAX_BYTES = 1024;
const TOKENS_MAX = 8;
const V1 = /^v1=[0-9a-fA-F]{64}$/;
/** Another version's signature, which this one can't judge. */
const OTHER_VERSION = /^[A-Za-z][A-Za-z0-9]*=\S+$/;

export type SignaturesRead =
  | { readonly digests: readonly Buffer[] }
  /** Why there is none to compare with. */
  | { readonly problem: string };

/** The digests of 32 bytes that the header's value claims; at least one. */
export function readSignatures(value: string): SignaturesRead {
  if (Buffer.byteLength(value) > HEADER_MAX_BYTES) {
    return { problem: `it is longer than ${HEADER_MAX_BYTES} bytes` };
  }
  const tokens = value.split(' ').filter((token) => token !== '');
  if (tokens.length === 0) return { problem: 'it is empty' };
  if (tokens.length > TOKENS_MAX) return { problem: `it holds more than ${TOKENS_MAX} signatures` };
  const ours = tokens.filter((token) => token.startsWith(SIGNATURE_PREFIX) || !OTHER_VERSION.test(token));
  if (ours.some((token) => !V1.test(token))) {
    return { problem: 'a signature is v1= and 64 hexadecimal digits, and two are separated by a space' };
  }
  if (ours.length === 0) return { problem: 'it holds no v1= signature' };
  // The pattern was matched before decoding, which would cut at the first character that is no digit.
  return { digests: ours.map((token) => Buffer.from(token.slice(SIGNATURE_PREFIX.length), 'hex')) };
}
