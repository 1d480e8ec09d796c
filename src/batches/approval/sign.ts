import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { NAMESPACES, readSignature, type SignerRole } from './signature.js';
import { Failure } from '../../runtime/failure.js';
import { onDisk } from '../../runtime/folders.js';
import type { Ports } from '../../runtime/ports.js';
import { type KeygenPlaces, requireKeygen, runKeygen, signByKeygen } from '../../runtime/ssh-keygen.js';
import { writeWholeFile } from '../../runtime/whole-file.js';
import { makerSignaturePath } from './signature-files.js';

export interface SigningKey {
  readonly path: string;
  readonly fingerprint: string;
  readonly keygen: string;
}

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
  bytes: string,
  role: SignerRole,
  key: SigningKey,
  { env, errors, signal }: Pick<Ports, 'env' | 'errors' | 'signal'>,
): Promise<string> {
  const input = onDisk('read', bytes, () => openSync(bytes, 'r'));
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
