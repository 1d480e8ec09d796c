/** Where the elements of a list response stand, for whatever prints them one by one. */
import { type Range, readList } from '../contract/json-bytes.js';
import { Failure } from '../runtime/failure.js';

/** The elements of the list in a body (`readList`); null where there is no list, or more than one to choose from. */
export function findList(body: Uint8Array, wrapper: string | null): Range[] | null {
  return readList(body, wrapper)?.elements ?? null;
}

/**
 * The same where the list is needed.
 * @throws Failure (defect) where the service broke its contract: a list response without a list
 */
export function requireList(body: Uint8Array, wrapper: string | null): Range[] {
  const list = findList(body, wrapper);
  if (list !== null) return list;
  const wanted = wrapper === null ? 'a list' : `the list \`${wrapper}\``;
  throw new Failure(
    'defect',
    `The service broke its contract: its answer has no list; svc expected ${wanted}.`,
    {
      code: 'contract_broken',
      outcome: 'sent',
    },
  );
}
