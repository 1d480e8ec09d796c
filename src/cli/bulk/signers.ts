/** Counts who signed a plan, by the current list of signers. */
import type { KeptSignature } from '../../bulk/store/batch.js';
import { countPeople, type CountedPeople } from '../../guard/approval/people.js';
import type { Ports } from '../../runtime/ports.js';
import { requireKeygen } from '../../runtime/ssh-keygen.js';
import type { OpenPlan } from '../guard/plan-file.js';
import { type NamedSignature, readNamedSigners, readTrustedSigners } from '../guard/signature-files.js';
import { verifySignatures } from '../guard/verifying.js';

export interface SignersPlace {
  readonly path: string;
  /** True if the user who runs svc must not be able to write the file. */
  readonly isTrusted: boolean;
}

export interface CountedSigners extends CountedPeople {
  readonly signatures: readonly KeptSignature[];
}

/**
 * Counts the people who signed. @param serviceMs the service's time, at which the signatures must be valid
 * @throws Failure `unsafe`: `signers_missing`, `signers_untrusted`, `keygen_untrusted`; `local_state` (`keygen_missing`)
 */
export async function countSigners(
  plan: OpenPlan,
  signatures: readonly NamedSignature[],
  { signers, serviceMs }: { readonly signers: SignersPlace; readonly serviceMs: number },
  { machine }: Pick<Ports, 'machine'>,
): Promise<CountedSigners> {
  const { path, isTrusted } = signers;
  const list = isTrusted ? readTrustedSigners(path, machine) : readNamedSigners(path, 'Nothing was sent.');
  const keygen = await requireKeygen(machine, plan.folder);
  const world = { keygen, signers: list, serviceMs };
  const { verified, refused } = await verifySignatures(plan, signatures, world);
  const people = countPeople(plan.head.maker, verified);
  const refusedFiles = new Set(people.refused.map(({ file }) => file));
  const kept = signatures.flatMap(({ name, bytes }): KeptSignature[] => {
    const signature = verified.find(({ file }) => file === name);
    if (signature === undefined || refusedFiles.has(name)) return [];
    return [{ name, bytes, signer: signature.name }];
  });
  return { ...people, refused: [...refused, ...people.refused], signatures: kept };
}
