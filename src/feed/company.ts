/** An operation that an API key can see proves the company of that key, because the API names no company. */
import { isUuid } from '../contract/notation.js';
import type { Company, Mirrors, Place } from '../storage/mirror/mirror.js';

export type ReadOperation = (operationId: string) => Promise<'there' | 'absent'>;

export type Ownership = 'same' | 'other' | 'unknown';

const CANDIDATES_MAX = 32;

export async function findCompany(
  mirrors: Mirrors,
  place: Place,
  read: ReadOperation,
): Promise<{ company: Company; isNew: boolean }> {
  const knownCompany = await mirrors.companyOf(place);
  if (knownCompany !== null) return { company: knownCompany, isNew: false };
  for (const company of await mirrors.candidates(place, CANDIDATES_MAX)) {
    if ((await ask(await newestOf(mirrors, company), read)) !== 'there') continue;
    await mirrors.learn(company, place);
    return { company, isNew: false };
  }
  return { company: await mirrors.begin(place), isNew: true };
}

export async function proveCompany(
  mirrors: Mirrors,
  company: Company,
  place: Place,
  read: ReadOperation,
): Promise<Ownership> {
  if (company.environment !== place.environment) return 'other';
  const [ownCompany, presentCompany] = await Promise.all([
    mirrors.companyOf(place),
    mirrors.companyById(company.id),
  ]);
  if (ownCompany !== null && ownCompany.id === (presentCompany?.id ?? company.id)) return 'same';
  const answer = await ask(await newestOf(mirrors, company), read);
  if (answer === 'there') await mirrors.learn(company, place);
  return answer === 'unknown' ? answer : answer === 'there' ? 'same' : 'other';
}

/** Returns `other` only if that is certain, because a lost or empty mirror proves nothing. */
export async function ownerOf(
  mirrors: Mirrors,
  { company: id, operation = null }: { readonly company: string | null; readonly operation?: string | null },
  place: Place,
  read: ReadOperation,
): Promise<Ownership> {
  const company = id === null ? null : await mirrors.companyById(id);
  const proof = company === null ? 'unknown' : await proveCompany(mirrors, company, place, read);
  if (proof !== 'unknown') return proof;
  // An absent operation proves nothing, because it may be too new.
  return (await ask(operation, read)) === 'there' ? 'same' : 'unknown';
}

async function newestOf(mirrors: Mirrors, company: Company): Promise<string | null> {
  return (await mirrors.of(company).newest())?.id ?? null;
}

async function ask(operationId: string | null, read: ReadOperation): Promise<'there' | 'absent' | 'unknown'> {
  return operationId === null || !isUuid(operationId) ? 'unknown' : read(operationId);
}
