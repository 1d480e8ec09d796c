/** The API names no company, so an operation that an API key can see proves the key's company. */
import { isUuid } from '../contract/notation.js';
import type { CompanyMatch } from '../storage/journal/precedence.js';
import type { Company, Mirrors, Place } from '../storage/mirror/mirror.js';

export type ReadOperation = (operationId: string) => Promise<'there' | 'absent' | 'unknown'>;

/** Of several pieces of evidence, the first one in this order decides. */
const PROOFS = {
  other_environment: 'other',
  same_key: 'same',
  same_mirror: 'same',
  there: 'same',
  absent: 'other',
  other_mirror: 'other',
  same_key_mask: 'same',
} as const satisfies Readonly<Record<string, CompanyMatch>>;

type CompanyEvidence = keyof typeof PROOFS | 'unknown' | false;

export function proveCompany(...evidence: readonly CompanyEvidence[]): CompanyMatch {
  const proof = Object.entries(PROOFS).find(([name]) => evidence.some((given) => given === name));
  return proof?.[1] ?? 'unknown';
}

const CANDIDATES_MAX = 32;

export async function findCompany(
  mirrors: Mirrors,
  place: Place,
  read: ReadOperation,
): Promise<{ company: Company; isNew: boolean }> {
  const knownCompany = await mirrors.companyOf(place);
  if (knownCompany !== null) return { company: knownCompany, isNew: false };
  for (const company of await mirrors.candidates(place, CANDIDATES_MAX)) {
    if ((await presenceOf(await newestOf(mirrors, company), read)) !== 'there') continue;
    await mirrors.learn(company, place);
    return { company, isNew: false };
  }
  return { company: await mirrors.begin(place), isNew: true };
}

/** The answer is `other` only if that is certain, because a lost or empty mirror proves nothing. */
export async function ownerOf(
  mirrors: Mirrors,
  { company: id, operation = null }: { readonly company: string | null; readonly operation?: string | null },
  place: Place,
  read: ReadOperation,
): Promise<CompanyMatch> {
  const company = id === null ? null : await mirrors.companyById(id);
  if (company !== null) {
    const knownMatch = proveCompany(
      company.environment !== place.environment && 'other_environment',
      (await mirrors.companyOf(place))?.id === company.id && 'same_mirror',
    );
    if (knownMatch !== 'unknown') return knownMatch;
    const match = proveCompany(await presenceOf(await newestOf(mirrors, company), read));
    if (match === 'same') await mirrors.learn(company, place);
    if (match !== 'unknown') return match;
  }
  // An absent operation does not prove another company here, because the operation may be too new to be found.
  return proveCompany((await presenceOf(operation, read)) === 'there' && 'there');
}

/** A shared mirror proves nothing, because other machines can write to it. */
export async function provedCompanyAt(mirrors: Mirrors | null, place: Place): Promise<Company | null> {
  return mirrors === null || mirrors.isShared ? null : mirrors.companyOf(place);
}

export async function newestOperationAt(mirrors: Mirrors | null, place: Place): Promise<string | null> {
  const company = await provedCompanyAt(mirrors, place);
  return mirrors === null || company === null ? null : newestOf(mirrors, company);
}

async function newestOf(mirrors: Mirrors, company: Company): Promise<string | null> {
  return (await mirrors.of(company).newest())?.id ?? null;
}

export async function presenceOf(operationId: string | null, read: ReadOperation): ReturnType<ReadOperation> {
  return operationId === null || !isUuid(operationId) ? 'unknown' : read(operationId);
}
