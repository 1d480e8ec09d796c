import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { SIGNATURE_MAX_BYTES, SIGNATURES_MAX, SIGNERS_MAX_BYTES } from './signature.js';
import type { RefusedSignature } from './people.js';
import { Failure } from '../../runtime/failure.js';
import { onDisk } from '../../runtime/folders.js';
import type { KeygenPlaces } from '../../runtime/ssh-keygen.js';
import { commandLine } from '../../runtime/shell.js';
import { readSmallFile } from '../../runtime/small-file.js';

export interface NamedSignature {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const SIGNATURE_SUFFIX = '.sig';

export function findSignatures(plan: string, named?: readonly string[]) {
  const paths = named ?? signatureFiles(plan);
  if (paths.length > SIGNATURES_MAX)
    throw new Failure(
      'bad_file',
      `There are ${paths.length} signatures, and svc looks at ${SIGNATURES_MAX} at most. Nothing was sent.`,
      { code: 'signatures_many' },
    );
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
    } else if (named !== undefined)
      throw new Failure('bad_file', `There is no ${path}. Nothing was sent.`, { code: 'signature_missing' });
  }
  return { signatures, refused };
}

export function makerSignaturePath(plan: string): string {
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

/** Only root can change this list of signers. No message names the file. */
export function readTrustedSigners(path: string, { readTrusted }: Pick<KeygenPlaces, 'readTrusted'>) {
  const file = readTrusted(path, { maxBytes: SIGNERS_MAX_BYTES });
  if (file.kind === 'bytes') return file.bytes;
  const isMissing = file.kind === 'absent';
  throw new Failure(
    'unsafe',
    isMissing
      ? 'This machine has no list of those who may approve. Nothing was sent.'
      : "The list of those who may approve on this machine can't be believed. Nothing was sent.",
    { code: isMissing ? 'signers_missing' : 'signers_untrusted' },
  );
}

export function readNamedSigners(path: string): Uint8Array {
  const file = readSmallFile(path, SIGNERS_MAX_BYTES);
  if (file.kind === 'bytes') return file.bytes;
  const why = file.kind === 'absent' ? 'is not there' : file.why;
  throw new Failure('unsafe', `The list of signers ${path} ${why}. Nothing was sent.`, {
    code: 'signers_missing',
  });
}
