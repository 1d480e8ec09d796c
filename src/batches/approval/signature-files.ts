import { readdirSync, closeSync, openSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  SIGNATURE_MAX_BYTES,
  SIGNATURES_MAX,
  SIGNERS_MAX_BYTES,
  NAMESPACES,
  readSignature,
  type SignerRole,
} from './signature.js';
import type { RefusedSignature } from './people.js';
import { Failure } from '../../runtime/failure.js';
import { onDisk } from '../../runtime/folders.js';
import { type KeygenPlaces, requireKeygen, runKeygen, signByKeygen } from '../../runtime/ssh-keygen.js';
import { commandLine } from '../../runtime/shell.js';
import { readSmallFile } from '../../runtime/small-file.js';
import type { Ports } from '../../runtime/ports.js';
import { writeWholeFile } from '../../runtime/whole-file.js';

export type NamedSignature = Readonly<{ name: string; bytes: Uint8Array }>;

const SIGNATURE_SUFFIX = '.sig';

export function findSignatures(plan: string, namedPaths?: readonly string[]) {
  const paths = namedPaths ?? signatureFiles(plan);
  if (paths.length > SIGNATURES_MAX) {
    const text = `There are ${paths.length} signatures, and svc looks at ${SIGNATURES_MAX} at most. Nothing was sent.`;
    throw new Failure('bad_file', text, { code: 'signatures_many' });
  }
  const signatures: NamedSignature[] = [];
  const refused: RefusedSignature[] = [];
  for (const path of paths) {
    const name = basename(path);
    const file = readSmallFile(path, SIGNATURE_MAX_BYTES);
    if (file.kind === 'bytes') signatures.push({ name, bytes: file.bytes });
    else if (file.kind === 'refused') {
      const chmod = file.why.includes('EACCES')
        ? `: its owner types "${commandLine(['chmod', 'g+r', path])}"`
        : '';
      refused.push({ file: name, code: 'signature_damaged', why: file.why + chmod });
    } else if (namedPaths !== undefined)
      throw new Failure('bad_file', `There is no ${path}. Nothing was sent.`, { code: 'signature_missing' });
  }
  return { signatures, refused };
}

function makerSignaturePath(plan: string): string {
  return `${plan}.maker${SIGNATURE_SUFFIX}`;
}

export function approvalFiles(plan: string): string[] {
  const maker = basename(makerSignaturePath(plan));
  return signatureFiles(plan).filter((path) => basename(path) !== maker);
}

function signatureFiles(plan: string): string[] {
  const [folder, base] = [dirname(plan), basename(plan)];
  const names = onDisk('read', folder, () => readdirSync(folder));
  return names
    .filter((name) => name.startsWith(`${base}.`) && name.endsWith(SIGNATURE_SUFFIX))
    .sort()
    .map((name) => join(folder, name));
}

export function readTrustedSigners(path: string, { readTrusted }: Pick<KeygenPlaces, 'readTrusted'>) {
  const file = readTrusted(path, { maxBytes: SIGNERS_MAX_BYTES });
  if (file.kind === 'bytes') return file.bytes;
  const isMissing = file.kind === 'absent';
  const text = isMissing
    ? 'This machine has no list of those who may approve. Nothing was sent.'
    : "The list of those who may approve on this machine can't be believed. Nothing was sent.";
  throw new Failure('unsafe', text, { code: isMissing ? 'signers_missing' : 'signers_untrusted' });
}

export function readNamedSigners(path: string): Uint8Array {
  const file = readSmallFile(path, SIGNERS_MAX_BYTES);
  if (file.kind === 'bytes') return file.bytes;
  const why = file.kind === 'absent' ? 'is not there' : file.why;
  throw new Failure('unsafe', `The list of signers ${path} ${why}. Nothing was sent.`, {
    code: 'signers_missing',
  });
}

export type SigningKey = Readonly<Record<'path' | 'fingerprint' | 'keygen', string>>;

export async function signingKey(path: string, folder: string, places: KeygenPlaces): Promise<SigningKey> {
  const keygen = await requireKeygen(places, folder);
  const { exitCode, output } = await runKeygen(keygen, ['-l', '-E', 'sha256', '-f', resolve(path)]);
  const fingerprint = /^[0-9]+ (SHA256:[A-Za-z0-9+/]{43})(?: |$)/.exec(output)?.[1];
  if (exitCode === 0 && fingerprint !== undefined) return { path, fingerprint, keygen };
  throw new Failure('bad_file', `${path} is not an ssh key that ssh-keygen can read. Nothing was signed.`, {
    code: 'key_unreadable',
  });
}

export async function signPlan(
  planPath: string,
  role: SignerRole,
  key: SigningKey,
  { env, errors, signal }: Pick<Ports, 'env' | 'errors' | 'signal'>,
): Promise<string> {
  const input = onDisk('read', planPath, () => openSync(planPath, 'r'));
  try {
    const args = ['-q', '-Y', 'sign', '-f', resolve(key.path), '-n', NAMESPACES[role]];
    const end = await signByKeygen(key.keygen, args, { input, env, signal, isShown: errors.isTTY });
    signal.throwIfAborted();
    const signature = end.exitCode === 0 ? readSignature(Buffer.from(end.output, 'latin1')) : null;
    if (signature?.namespace === NAMESPACES[role] && signature.fingerprint === key.fingerprint)
      return end.output;
    const [why = ''] = end.errors.trim().split('\n').slice(-1);
    throw new Failure('bad_file', `ssh-keygen did not sign with ${key.path}. Nothing was signed.`, {
      code: 'not_signed',
      items: why === '' ? [] : [why],
    });
  } finally {
    closeSync(input);
  }
}

const FINGERPRINT_CHARS = 8;
const SIGNATURE_BEGINNING = '-----BEGIN SSH SIGNATURE-----';

export function writeSignature(plan: string, role: SignerRole, key: SigningKey, text: string): string {
  const shortPrint = key.fingerprint.slice('SHA256:'.length).slice(0, FINGERPRINT_CHARS);
  const approverPath = `${plan}.${shortPrint.replaceAll('+', '-').replaceAll('/', '_')}.sig`;
  const path = role === 'maker' ? makerSignaturePath(plan) : approverPath;
  writeWholeFile(path, SIGNATURE_BEGINNING, text);
  return path;
}
