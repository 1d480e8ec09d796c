/** Whose a place is: the API names no company, so that a key or an origin that is new is proved by an operation that is known. */
import { isUuid } from '../contract/ids.js';
import type { Company, Mirrors, Place } from './mirror.js';

/**
 * Reads an operation of whoever the key belongs to: absent where the service says that this company has no such operation.
 * Whatever else it answers is the Failure that it is.
 */
export type ReadOperation = (operationId: string) => Promise<'there' | 'absent'>;

/** Each costs a request. One that is not asked only means that a company has two mirrors, and each of them is whole. */
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
 * @param known an operation of that company which the caller knows of, for a mirror that knows none
 * @returns `unknown` where there is no operation to ask about
 * @throws DatabaseUnusable; what `read` throws
 */
export async function proveCompany(
  mirrors: Mirrors,
  company: Company,
  place: Place,
  read: ReadOperation,
  known: string | null = null,
): Promise<'same' | 'other' | 'unknown'> {
  if (company.environment !== place.environment) return 'other';
  const [there, meant] = await Promise.all([mirrors.companyOf(place), mirrors.companyById(company.id)]);
  if (there !== null && there.id === (meant?.id ?? company.id)) return 'same';
  const answer = await ask((await newestOf(mirrors, company)) ?? known, read);
  if (answer === 'there') await mirrors.learn(company, place);
  return answer === 'unknown' ? answer : answer === 'there' ? 'same' : 'other';
}

/**
 * True only where it is certain that a company is not the one of a place: a mirror that was lost, or that knows no operation, says nothing.
 * @throws DatabaseUnusable; what `read` throws
 */
export async function isOtherCompany(
  mirrors: Mirrors,
  id: string,
  place: Place,
  read: ReadOperation,
): Promise<boolean> {
  const company = await mirrors.companyById(id);
  return company !== null && (await proveCompany(mirrors, company, place, read)) === 'other';
}

async function newestOf(mirrors: Mirrors, company: Company): Promise<string | null> {
  return (await mirrors.of(company).newest())?.id ?? null;
}

/** An id that is no uuid stands in no path. */
async function ask(operationId: string | null, read: ReadOperation): Promise<'there' | 'absent' | 'unknown'> {
  return operationId === null || !isUuid(operationId) ? 'unknown' : read(operationId);
}
