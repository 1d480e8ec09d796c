/** Finds the company of a key and an origin. The API names no company: a known operation that the key can see proves it. */
import { isUuid } from '../contract/notation.js';
import type { Company, Mirrors, Place } from '../storage/mirror/mirror.js';

/** Reads an operation with a key. `absent` if the service says that the key's company has no such operation; other errors are thrown as Failures. */
export type ReadOperation = (operationId: string) => Promise<'there' | 'absent'>;

/** Says if a record or a place belongs to the company that asks. `unknown` if nothing proves it. */
export type Ownership = 'same' | 'other' | 'unknown';

/** The most companies to ask about: each costs a request. A company that is not asked about gets a second mirror, which is complete too. */
const CANDIDATES_MAX = 32;

/** Finds and proves the company of a place, before its feed is read. `isNew`: no known company was proved. @throws DatabaseUnusable; what `read` throws */
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

/** Tells whether a place belongs to a company, and remembers a proof. `unknown`: no operation to ask about. @throws DatabaseUnusable; what `read` throws */
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

/**
 * Tells whether the company of a record is the one of this place. `other` only if that is certain: a lost mirror, or one without operations, proves
 * nothing.
 * @param owned `company` is null if none was ever proved; `operation` belongs to the record, for a company without a usable mirror
 * @throws DatabaseUnusable; what `read` throws
 */
export async function ownerOf(
  mirrors: Mirrors,
  { company: id, operation = null }: { readonly company: string | null; readonly operation?: string | null },
  place: Place,
  read: ReadOperation,
): Promise<Ownership> {
  const company = id === null ? null : await mirrors.companyById(id);
  const proof = company === null ? 'unknown' : await proveCompany(mirrors, company, place, read);
  if (proof !== 'unknown') return proof;
  // An operation that the key sees is of its company. An operation that it does not see may be too new.
  return (await ask(operation, read)) === 'there' ? 'same' : 'unknown';
}

async function newestOf(mirrors: Mirrors, company: Company): Promise<string | null> {
  return (await mirrors.of(company).newest())?.id ?? null;
}

/** Asks the service about an operation. Does not ask about an id that is no uuid, because it fits into no path. */
async function ask(operationId: string | null, read: ReadOperation): Promise<'there' | 'absent' | 'unknown'> {
  return operationId === null || !isUuid(operationId) ? 'unknown' : read(operationId);
}
