import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptSignature } from '../../storage/batches/batch-store.js';
import { momentText } from '../../contract/notation.js';
import { countPeople, type RefusedSignature, type VerifiedSignature } from './people.js';
import {
  NAMESPACES,
  namesOfKey,
  readSignature,
  ROLES,
  type Signature,
  SignatureDamaged,
} from './signature.js';
import { Failure } from '../../runtime/failure.js';
import { onDisk } from '../../runtime/folders.js';
import type { Ports } from '../../runtime/ports.js';
import { type KeygenEnd, type KeygenRun, requireKeygen, runKeygen } from '../../runtime/ssh-keygen.js';
import type { OpenPlan } from './open-plan.js';
import { type NamedSignature, readNamedSigners, readTrustedSigners } from './signature-files.js';

export interface SignersPlace {
  readonly path: string;
  readonly isTrusted: boolean;
}

export async function countSigners(
  plan: OpenPlan,
  signatures: readonly NamedSignature[],
  { path, isTrusted, serviceMs }: SignersPlace & { readonly serviceMs: number },
  { machine }: Pick<Ports, 'machine'>,
) {
  const signers = isTrusted ? readTrustedSigners(path, machine) : readNamedSigners(path);
  const keygen = await requireKeygen(machine, plan.folder);
  const { verified, refused } = await verifySignatures(plan, signatures, { keygen, signers, serviceMs });
  const people = countPeople(plan.head.maker, verified);
  const refusedFiles = new Set(people.refused.map(({ file }) => file));
  const countedSignatures = signatures.flatMap(({ name, bytes }): KeptSignature[] => {
    const signature = verified.find(({ file }) => file === name);
    if (signature === undefined || refusedFiles.has(name)) return [];
    return [{ name, bytes, signer: signature.name }];
  });
  return { ...people, refused: [...refused, ...people.refused], signatures: countedSignatures };
}

export type CountedSigners = Awaited<ReturnType<typeof countSigners>>;

interface VerifyOptions {
  readonly keygen: string;
  readonly signers: Uint8Array;
  readonly serviceMs: number;
}

export async function verifySignatures(
  { copy, folder }: Pick<OpenPlan, 'copy' | 'folder'>,
  signatures: readonly NamedSignature[],
  options: VerifyOptions,
) {
  const signersPath = join(folder, 'signers');
  onDisk('written', signersPath, () => writeFileSync(signersPath, options.signers, { mode: 0o600 }));
  const verified: VerifiedSignature[] = [];
  const refused: RefusedSignature[] = [];
  for (const [at, { name: file, bytes }] of signatures.entries()) {
    const paths = { copy, signers: signersPath, signature: join(folder, `${String(at)}.sig`) };
    const verdict = await verifySignature(bytes, paths, options);
    if ('code' in verdict) refused.push({ file, ...verdict });
    else verified.push({ file, ...verdict });
  }
  return { verified, refused };
}

const NAMESPACE_CHARS_MAX = 40;
const NAMES_MAX = 64;

async function verifySignature(
  bytes: Uint8Array,
  paths: Readonly<Record<'copy' | 'signers' | 'signature', string>>,
  options: VerifyOptions,
): Promise<Omit<VerifiedSignature, 'file'> | Omit<RefusedSignature, 'file'>> {
  let signature: Signature;
  try {
    signature = readSignature(bytes);
  } catch (error) {
    if (!(error instanceof SignatureDamaged)) throw error;
    return { code: 'signature_damaged', why: error.message };
  }
  const { namespace, fingerprint, key, certifiedNames } = signature;
  const role = ROLES.find((one) => NAMESPACES[one] === namespace);
  if (role === undefined) {
    const shownNamespace = JSON.stringify(namespace.slice(0, NAMESPACE_CHARS_MAX));
    return { code: 'signature_other', why: `was made for ${shownNamespace}, and not for a plan` };
  }
  onDisk('written', paths.signature, () => writeFileSync(paths.signature, bytes, { mode: 0o600 }));
  const time = momentText(Math.floor(options.serviceMs / 1000) * 1000).replaceAll(/[-:T]/g, '');
  const args = ['-f', paths.signers, '-s', paths.signature, `-Overify-time=${time}`];
  const principals = await runToEnd(options.keygen, ['-Y', 'find-principals', ...args]);
  if (principals.exitCode !== 0)
    return { code: 'signer_unknown', why: 'is of a key that the list of signers does not have at this time' };
  const listedNames = principals.output.split('\n').flatMap((line) => line.split(','));
  const names = [...new Set(listedNames)].filter(
    (name) =>
      name !== '' && !/[*?!"\s]/.test(name) && (certifiedNames === null || certifiedNames.includes(name)),
  );
  const goodNames: string[] = [];
  for (const name of names.slice(0, NAMES_MAX)) {
    if (goodNames.length > 1) break;
    const allArgs = ['-Y', 'verify', '-I', name, '-n', NAMESPACES[role], ...args];
    const input = onDisk('read', paths.copy, () => openSync(paths.copy, 'r'));
    const { exitCode } = await runToEnd(options.keygen, allArgs, { input }).finally(() => closeSync(input));
    if (exitCode === 0) goodNames.push(name);
  }
  const [name] = goodNames;
  if (name === undefined)
    return { code: 'signature_bad', why: 'is not of this plan, or its key may not sign it' };
  if (goodNames.length > 1) return { code: 'signer_ambiguous', why: 'is of a key that has several names' };
  return { role, fingerprint, name, names: namesOfKey(options.signers, key) };
}

async function runToEnd(keygen: string, args: readonly string[], run?: KeygenRun): Promise<KeygenEnd> {
  const end = await runKeygen(keygen, args, run);
  if (end.exitCode !== null) return end;
  throw new Failure('local_state', 'The ssh-keygen of this machine did not end. Nothing was sent.', {
    code: 'keygen_missing',
  });
}
