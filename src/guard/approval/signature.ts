/** Reads a signature of `ssh-keygen -Y sign`: for what it was made, and with which key. Whether it is good is for `ssh-keygen` to say. Pure. */
import { hash } from 'node:crypto';

/** Larger is no signature. */
export const SIGNATURE_MAX_BYTES = 16 * 1024;
/** More of them are not looked at. */
export const SIGNATURES_MAX = 32;
/** A list of signers that is larger is nobody's. */
export const SIGNERS_MAX_BYTES = 1024 * 1024;

/** For what a signature of a plan may be made: a signature for anything else says nothing here. */
export const NAMESPACES = { maker: 'svc-payroll-plan', approver: 'svc-payroll-approval' } as const;
export type SignerRole = keyof typeof NAMESPACES;

export interface Signature {
  /** May hold anything: escape it. */
  readonly namespace: string;
  /** Of the bare key, as `ssh-keygen -l` shows it: that of a certificate is the key inside it, so one key is one however often it was certified. */
  readonly fingerprint: string;
  /** The bare key as a list of signers has it, in base64. */
  readonly key: string;
  /** For whom a certificate was made; null for a bare key. */
  readonly certified: readonly string[] | null;
}

/** Bytes that are no signature. Its message is a clause that follows the name of the file. */
export class SignatureDamaged extends Error {
  override readonly name = 'SignatureDamaged';
}

/** @throws SignatureDamaged */
export function readSignature(bytes: Uint8Array): Signature {
  if (bytes.length > SIGNATURE_MAX_BYTES) throw new SignatureDamaged('is larger than 16 KiB');
  const text = Buffer.from(bytes).toString('latin1');
  if (text.includes('\r'))
    throw new SignatureDamaged('has other line ends (CRLF): mail and some editors change them');
  const [, armored] = ARMOR.exec(text) ?? [];
  if (armored === undefined) throw new SignatureDamaged('is not a signature of ssh-keygen');
  const reader = new WireReader(Buffer.from(armored.replaceAll('\n', ''), 'base64'));
  if (reader.take(MAGIC.length).toString('latin1') !== MAGIC || reader.number() !== VERSION)
    throw new SignatureDamaged('is not a signature of ssh-keygen');
  const key = reader.string();
  const namespace = reader.string().toString('utf8');
  const reserved = reader.string();
  const digest = reader.string().toString('latin1');
  reader.string();
  if (!reader.isAtEnd || reserved.length > 0 || !DIGESTS.has(digest))
    throw new SignatureDamaged('is a signature of another version');
  return { namespace, ...bareKey(key) };
}

const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\n?$/;
const MAGIC = 'SSHSIG';
const VERSION = 1;
const DIGESTS: ReadonlySet<string> = new Set(['sha256', 'sha512']);

/** The kinds of keys, and of how many parts each consists. */
const PARTS: ReadonlyMap<string, number> = new Map([
  ['ssh-ed25519', 1],
  ['ssh-rsa', 2],
  ['ecdsa-sha2-nistp256', 2],
  ['ecdsa-sha2-nistp384', 2],
  ['ecdsa-sha2-nistp521', 2],
  ['sk-ssh-ed25519@openssh.com', 2],
  ['sk-ecdsa-sha2-nistp256@openssh.com', 3],
]);
const CERTIFICATE = '-cert-v01@openssh.com';

function bareKey(blob: Buffer): Omit<Signature, 'namespace'> {
  const reader = new WireReader(blob);
  const kind = reader.string().toString('latin1');
  if (PARTS.has(kind)) return { ...keyOf(blob), certified: null };
  const plain = kind.endsWith(CERTIFICATE) ? kind.slice(0, -CERTIFICATE.length) : null;
  const base = plain?.startsWith('sk-') === true ? `${plain}@openssh.com` : plain;
  const count = base === null ? undefined : PARTS.get(base);
  if (base === null || count === undefined)
    throw new SignatureDamaged('is of a kind of key that svc does not know');
  // Nonce, the key, serial, type, id, and for whom it was made.
  reader.string();
  const parts = Array.from({ length: count }, () => reader.string());
  reader.take(8);
  reader.number();
  reader.string();
  const names = new WireReader(reader.string());
  const certified: string[] = [];
  while (!names.isAtEnd) certified.push(names.string().toString('utf8'));
  const bare = Buffer.concat([Buffer.from(base, 'latin1'), ...parts].flatMap(wireString));
  return { ...keyOf(bare), certified };
}

/** The fingerprint is as `ssh-keygen -l` shows it. */
function keyOf(blob: Buffer): Pick<Signature, 'fingerprint' | 'key'> {
  const fingerprint = `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`;
  return { fingerprint, key: blob.toString('base64') };
}

function wireString(bytes: Uint8Array): Uint8Array[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return [length, bytes];
}

/** All names that a list of signers gives a key anywhere, whatever it may sign there and when. */
export function namesOfKey(list: Uint8Array, key: string): readonly string[] {
  const lines = Buffer.from(list).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [names = '', ...rest] = line.trim().split(/\s+/);
    return rest.includes(key) && !names.startsWith('#') ? names.replaceAll('"', '').split(',') : [];
  });
}

/** Numbers and strings as SSH writes them. @throws SignatureDamaged at the end of the bytes */
class WireReader {
  #at = 0;
  constructor(readonly bytes: Buffer) {}

  get isAtEnd(): boolean {
    return this.#at === this.bytes.length;
  }

  take(length: number): Buffer {
    if (length > this.bytes.length - this.#at) throw new SignatureDamaged('is cut off');
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }

  number(): number {
    return this.take(4).readUInt32BE();
  }

  string(): Buffer {
    return this.take(this.number());
  }
}
