import type { SignerRole } from './signature.js';

export interface VerifiedSignature {
  readonly file: string;
  readonly role: SignerRole;
  readonly fingerprint: string;
  readonly name: string;
  readonly names: readonly string[];
}

export interface RefusedSignature {
  readonly file: string;
  readonly code:
    | 'signature_damaged'
    | 'signature_other'
    | 'signature_bad'
    | 'signer_unknown'
    | 'signer_ambiguous'
    | 'not_the_maker'
    | 'made_the_plan'
    | 'counted_already';
  readonly why: string;
}

export type Signer = Readonly<Record<'name' | 'fingerprint', string>>;

/** Counts signatures that share a key or a name as one person, because nobody may approve twice. */
export function countPeople(maker: string | null, signatures: readonly VerifiedSignature[]) {
  const refused: RefusedSignature[] = [];
  const refuse = (file: string, code: RefusedSignature['code'], why: string): void =>
    void refused.push({ file, code, why });
  const makerSignatures = signatures.filter(({ role }) => role === 'maker');
  const makerSignature = makerSignatures.find(({ fingerprint }) => fingerprint === maker) ?? null;
  for (const { file, fingerprint } of makerSignatures)
    if (fingerprint !== maker) refuse(file, 'not_the_maker', 'is of a maker whom the plan does not name');
  const approverSignatures = signatures.filter(({ role }) => role === 'approver');
  const people = peopleIn([...(makerSignature ? [makerSignature] : []), ...approverSignatures], maker);
  const approvers: Signer[] = [];
  const countedPeople = new Set<number>();
  for (const signature of approverSignatures) {
    const { file, name, fingerprint } = signature;
    const person = people.get(signature);
    if (person === undefined || person === MAKER_PERSON) {
      refuse(file, 'made_the_plan', 'is of the one who made the plan');
    } else if (countedPeople.has(person)) {
      refuse(file, 'counted_already', 'is of somebody who was counted already');
    } else {
      countedPeople.add(person);
      approvers.push({ name, fingerprint });
    }
  }
  return {
    maker: makerSignature && { name: makerSignature.name, fingerprint: makerSignature.fingerprint },
    approvers,
    approvals: maker === null ? Math.max(0, approvers.length - 1) : approvers.length,
    refused,
  };
}

/** Without a `maker` one more person has to sign, because one of the signers may have made the plan. */
export function signaturesNeeded(approvals: number, maker: string | null): number {
  return approvals === 0 || maker !== null ? approvals : approvals + 1;
}

const MAKER_PERSON = 0;

function peopleIn(
  signatures: readonly VerifiedSignature[],
  maker: string | null,
): ReadonlyMap<VerifiedSignature, number> {
  const marksOf = ({ fingerprint, name, names }: VerifiedSignature): readonly string[] => [
    `key ${fingerprint}`,
    ...[name, ...names].map((one) => `name ${one.toLowerCase()}`),
  ];
  const personByMark = new Map<string, number>();
  if (maker !== null) personByMark.set(`key ${maker}`, MAKER_PERSON);
  let next = MAKER_PERSON + 1;
  for (const signature of signatures) {
    const marks = marksOf(signature);
    const persons = marks.flatMap((mark) => personByMark.get(mark) ?? []);
    const least = persons.length === 0 ? next : Math.min(...persons);
    next += 1;
    for (const [mark, person] of personByMark) if (persons.includes(person)) personByMark.set(mark, least);
    for (const mark of marks) personByMark.set(mark, least);
  }
  return new Map(signatures.map((one) => [one, personByMark.get(marksOf(one)[0] ?? '') ?? MAKER_PERSON]));
}
