/** Counts who signed a plan, by the list of signers as it is now. */
import type { KeptSignature } from '../../bulk/store/batch.js';
import { countPeople, type CountedPeople } from '../../guard/approval/people.js';
import type { Ports } from '../../runtime/ports.js';
import { requireKeygen } from '../../runtime/ssh-keygen.js';
import type { OpenPlan } from '../guard/plan-file.js';
import { type NamedSignature, readNamedSigners, readTrustedSigners } from '../guard/signature-files.js';
import { verifiedSignatures } from '../guard/verifying.js';

/** Where a list of signers stands. */
export interface SignersPlace {
  readonly path: string;
  /** It has to be one that nobody who runs svc here may have written. */
  readonly isTrusted: boolean;
}

export interface CountedSigners extends CountedPeople {
  /** The maker's and those that count. */
  readonly signatures: readonly KeptSignature[];
}

/**
 * @param serviceMs the service's time, at which they have to be good
 * @throws Failure `unsafe`: `signers_missing`, `signers_untrusted`, `keygen_untrusted`; `local_state` (`keygen_missing`)
 */
export async function countedOf(
  plan: OpenPlan,
  signatures: readonly NamedSignature[],
  { signers, serviceMs }: { readonly signers: SignersPlace; readonly serviceMs: number },
  { machine }: Pick<Ports, 'machine'>,
): Promise<CountedSigners> {
  const { path, isTrusted } = signers;
  const list = isTrusted ? readTrustedSigners(path, machine) : readNamedSigners(path, 'Nothing was sent.');
  const keygen = await requireKeygen(machine, plan.folder);
  const world = { keygen, signers: list, serviceMs };
  const { verified, refused } = await verifiedSignatures(plan, signatures, world);
  const people = countPeople(plan.head.maker, verified);
  const left = new Set(people.refused.map(({ file }) => file));
  const kept = signatures.flatMap(({ name, bytes }): KeptSignature[] => {
    const by = verified.find(({ file }) => file === name);
    if (by === undefined || left.has(name)) return [];
    return [{ name, bytes, signer: by.name }];
  });
  return { ...people, refused: [...refused, ...people.refused], signatures: kept };
}
