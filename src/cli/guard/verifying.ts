/** Verifies the signatures of a plan's private copy by `ssh-keygen`: each must be valid at a given time. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RefusedSignature, VerifiedSignature } from '../../guard/approval/people.js';
import {
  NAMESPACES,
  namesOfKey,
  readSignature,
  type Signature,
  SignatureDamaged,
  type SignerRole,
} from '../../guard/approval/signature.js';
import { momentText } from '../../contract/notation.js';
import { Failure } from '../../runtime/failure.js';
import { onDisk } from '../../runtime/folders.js';
import { type KeygenEnd, type KeygenRun, runKeygen } from '../../runtime/ssh-keygen.js';
import type { OpenPlan } from './plan-file.js';
import type { NamedSignature } from './signature-files.js';

export interface VerifyOptions {
  /** The path of `ssh-keygen`, from `requireKeygen`. */
  readonly keygen: string;
  readonly signers: Uint8Array;
  /** The service's time, or this machine's for a review: the list of signers may limit when a key is valid. */
  readonly serviceMs: number;
  readonly limitMs?: number;
}

/** Verifies all signatures. @throws Failure `local_state` if `ssh-keygen` does not end */
export async function verifySignatures(
  { copy, folder }: Pick<OpenPlan, 'copy' | 'folder'>,
  signatures: readonly NamedSignature[],
  world: VerifyOptions,
) {
  const signers = join(folder, 'signers');
  onDisk('written', signers, () => writeFileSync(signers, world.signers, { mode: 0o600 }));
  const verified: VerifiedSignature[] = [];
  const refused: RefusedSignature[] = [];
  for (const [at, { name: file, bytes }] of signatures.entries()) {
    const read = signatureIn(bytes);
    if ('code' in read) {
      refused.push({ file, ...read });
      continue;
    }
    // Verifies the bytes that were read, under a file name of svc's own.
    const path = join(folder, `${String(at)}.sig`);
    onDisk('written', path, () => writeFileSync(path, bytes, { mode: 0o600 }));
    const signer = await signerOf({ copy, signers, path, ...read }, world);
    if (typeof signer !== 'string') {
      refused.push({ file, ...signer });
      continue;
    }
    const { fingerprint, key } = read.signature;
    const names = namesOfKey(world.signers, key);
    verified.push({ file, role: read.role, fingerprint, name: signer, names });
  }
  return { verified, refused };
}

type Refusal = Pick<RefusedSignature, 'code' | 'why'>;

function signatureIn(
  bytes: Uint8Array,
): { readonly signature: Signature; readonly role: SignerRole } | Refusal {
  try {
    const signature = readSignature(bytes);
    const [role] = ROLES.filter((one) => NAMESPACES[one] === signature.namespace);
    if (role !== undefined) return { signature, role };
    const namespace = JSON.stringify(signature.namespace.slice(0, NAMESPACE_SHOWN));
    return { code: 'signature_other', why: `was made for ${namespace}, and not for a plan` };
  } catch (error) {
    if (!(error instanceof SignatureDamaged)) throw error;
    return { code: 'signature_damaged', why: error.message };
  }
}

const ROLES = Object.keys(NAMESPACES) as readonly SignerRole[];
const NAMESPACE_SHOWN = 40;

type SignatureCheck = Readonly<Record<'copy' | 'signers' | 'path', string>> &
  Exclude<ReturnType<typeof signatureIn>, Refusal>;

/** The check tries at most this many names of a key. */
const NAMES_MAX = 64;

/** Returns the only name whose key may sign the plan now, or why there is no such name. */
async function signerOf(check: SignatureCheck, world: VerifyOptions): Promise<string | Refusal> {
  const { signers, path, signature } = check;
  const at = `-Overify-time=${momentText(Math.floor(world.serviceMs / 1000) * 1000).replaceAll(/[-:T]/g, '')}`;
  const principals = await runToEnd(['-Y', 'find-principals', '-f', signers, '-s', path, at], world);
  if (principals.exitCode !== 0)
    return { code: 'signer_unknown', why: 'is of a key that the list of signers does not have at this time' };
  const listedNames = principals.output.split('\n').flatMap((line) => line.split(','));
  const { certified } = signature;
  // Skips patterns, which name nobody, and names that the key's certificate does not contain.
  const names = [...new Set(listedNames)].filter(
    (name) => name !== '' && !/[*?!"\s]/.test(name) && (certified === null || certified.includes(name)),
  );
  const goodNames: string[] = [];
  for (const name of names.slice(0, NAMES_MAX)) {
    if (goodNames.length > 1) break;
    if (await isSignedBy(name, check, { ...world, at })) goodNames.push(name);
  }
  const [only] = goodNames;
  if (only === undefined)
    return { code: 'signature_bad', why: 'is not of this plan, or its key may not sign it' };
  return goodNames.length === 1
    ? only
    : { code: 'signer_ambiguous', why: 'is of a key that has several names' };
}

async function isSignedBy(
  name: string,
  { copy, signers, path, role }: SignatureCheck,
  world: VerifyOptions & { readonly at: string },
): Promise<boolean> {
  const input = onDisk('read', copy, () => openSync(copy, 'r'));
  try {
    const args = ['-Y', 'verify', '-f', signers, '-I', name, '-n', NAMESPACES[role], '-s', path, world.at];
    return (await runToEnd(args, world, input)).exitCode === 0;
  } finally {
    closeSync(input);
  }
}

async function runToEnd(
  args: readonly string[],
  { keygen, limitMs }: VerifyOptions,
  input?: KeygenRun['input'],
): Promise<KeygenEnd> {
  const end = await runKeygen(keygen, args, {
    ...(input === undefined ? {} : { input }),
    ...(limitMs === undefined ? {} : { limitMs }),
  });
  if (end.exitCode !== null) return end;
  throw new Failure('local_state', 'The ssh-keygen of this machine did not end. Nothing was sent.', {
    code: 'keygen_missing',
  });
}
