import { hash } from 'node:crypto';

export const SIGNATURE_MAX_BYTES = 16 * 1024;
export const SIGNATURES_MAX = 32;
export const SIGNERS_MAX_BYTES = 1024 * 1024;

export const NAMESPACES = { maker: 'svc-payroll-plan', approver: 'svc-payroll-approval' } as const;
export type SignerRole = keyof typeof NAMESPACES;
export const ROLES = Object.keys(NAMESPACES) as readonly SignerRole[];

export interface Signature {
  /** Escape it before printing, because a signature file may hold any text here. */
  readonly namespace: string;
  /** The fingerprint of the key, even for a certificate, because a key with two certificates must count once. */
  readonly fingerprint: string;
  readonly key: string;
  readonly certifiedNames: readonly string[] | null;
}

export class SignatureDamaged extends Error {
  override readonly name = 'SignatureDamaged';
}

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
  const reservedBytes = reader.string();
  const digest = reader.string().toString('latin1');
  reader.string();
  if (!reader.isAtEnd || reservedBytes.length > 0 || !DIGEST_NAMES.has(digest))
    throw new SignatureDamaged('is a signature of another version');
  return { namespace, ...readBareKey(key) };
}

const ARMOR = /^-----BEGIN SSH SIGNATURE-----\n([A-Za-z0-9+/=\n]+)-----END SSH SIGNATURE-----\n?$/;
const MAGIC = 'SSHSIG';
const VERSION = 1;
const DIGEST_NAMES: ReadonlySet<string> = new Set(['sha256', 'sha512']);

const KEY_PART_COUNTS: ReadonlyMap<string, number> = new Map([
  ['ssh-ed25519', 1],
  ['ssh-rsa', 2],
  ['ecdsa-sha2-nistp256', 2],
  ['ecdsa-sha2-nistp384', 2],
  ['ecdsa-sha2-nistp521', 2],
  ['sk-ssh-ed25519@openssh.com', 2],
  ['sk-ecdsa-sha2-nistp256@openssh.com', 3],
]);
const CERTIFICATE_SUFFIX = '-cert-v01@openssh.com';

function readBareKey(blob: Buffer): Omit<Signature, 'namespace'> {
  const reader = new WireReader(blob);
  const kind = reader.string().toString('latin1');
  if (KEY_PART_COUNTS.has(kind)) return { ...keyOf(blob), certifiedNames: null };
  const plainKind = kind.endsWith(CERTIFICATE_SUFFIX) ? kind.slice(0, -CERTIFICATE_SUFFIX.length) : null;
  const baseKind = plainKind?.startsWith('sk-') === true ? `${plainKind}@openssh.com` : plainKind;
  const count = baseKind === null ? undefined : KEY_PART_COUNTS.get(baseKind);
  if (baseKind === null || count === undefined)
    throw new SignatureDamaged('is of a kind of key that svc does not know');
  // A certificate holds nonce, key parts, serial, type, id and principals, in this order.
  reader.string();
  const parts = Array.from({ length: count }, () => reader.string());
  reader.take(8);
  reader.number();
  reader.string();
  const nameReader = new WireReader(reader.string());
  const certifiedNames: string[] = [];
  while (!nameReader.isAtEnd) certifiedNames.push(nameReader.string().toString('utf8'));
  const bareBlob = Buffer.concat([baseKind, ...parts].map(wireString));
  return { ...keyOf(bareBlob), certifiedNames };
}

function keyOf(blob: Buffer): Pick<Signature, 'fingerprint' | 'key'> {
  const fingerprint = `SHA256:${hash('sha256', blob, 'base64').replace(/=+$/, '')}`;
  return { fingerprint, key: blob.toString('base64') };
}

export function wireString(text: Uint8Array | string): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

export function namesOfKey(list: Uint8Array, key: string): readonly string[] {
  const lines = Buffer.from(list).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    const [names = '', ...rest] = line.trim().split(/\s+/);
    return rest.includes(key) && !names.startsWith('#') ? names.replaceAll('"', '').split(',') : [];
  });
}

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
