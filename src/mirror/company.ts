/** Finds the company of a key and an origin. The API names no company: a known operation that the key can see proves it. */
import { isUuid } from '../contract/notation.js';
import type { Company, Mirrors, Place } from './mirror.js';

/**
 * Reads an operation with a key: absent where the service says that this company has no such operation.
 * Whatever else it answers is the Failure that it is.
 */
export type ReadOperation = (operationId: string) => Promise<'there' | 'absent'>;

/** Whose something is, seen from a place: `unknown` where nothing shows it. */
export type Ownership = 'same' | 'other' | 'unknown';

/** Each costs a request. To skip one only means that a company has two mirrors, and each of them is complete. */
const ASKED_MAX = 32;

/**
 * The company of a place, proved before anything of its feed is read.
 * @returns `isNew` where nothing is known of it
 * @throws DatabaseUnusable; what `read` throws
 */
export async function findCompany(
  mirrors: Mirrors,
  place: Place,
  read: ReadOperation,
): Promise<{ company: Company; isNew: boolean }> {
  const known = await mirrors.companyOf(place);
  if (known !== null) return { company: known, isNew: false };
  for (const company of await mirrors.candidates(place, ASKED_MAX)) {
    if ((await ask(await newestOf(mirrors, company), read)) !== 'there') continue;
    await mirrors.learn(company, place);
    return { company, isNew: false };
  }
  return { company: await mirrors.begin(place), isNew: true };
}

/**
 * Whether a place belongs to a company; where it is proved, that is remembered.
 * @returns `unknown` where there is no operation to ask about
 * @throws DatabaseUnusable; what `read` throws
 */
export async function proveCompany(
  mirrors: Mirrors,
  company: Company,
  place: Place,
  read: ReadOperation,
): Promise<Ownership> {
  if (company.environment !== place.environment) return 'other';
  const [there, meant] = await Promise.all([mirrors.companyOf(place), mirrors.companyById(company.id)]);
  if (there !== null && there.id === (meant?.id ?? company.id)) return 'same';
  const answer = await ask(await newestOf(mirrors, company), read);
  if (answer === 'there') await mirrors.learn(company, place);
  return answer === 'unknown' ? answer : answer === 'there' ? 'same' : 'other';
}

/**
 * Whose something is that carries a company's id: `other` only where it is certain, since a mirror that was lost, or that knows no operation,
 * says nothing.
 * @param owned `company` is null where none was ever proved; `operation` belongs to it, for a company whose mirror is gone or knows none
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
  // An operation that this key sees is its own. One that it does not see may be too new.
  return (await ask(operation, read)) === 'there' ? 'same' : 'unknown';
}

async function newestOf(mirrors: Mirrors, company: Company): Promise<string | null> {
  return (await mirrors.of(company).newest())?.id ?? null;
}

/** An id that is no uuid stands in no path. */
async function ask(operationId: string | null, read: ReadOperation): Promise<'there' | 'absent' | 'unknown'> {
  return operationId === null || !isUuid(operationId) ? 'unknown' : read(operationId);
}
