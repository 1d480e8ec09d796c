/** Finds the list of a list response, tolerantly: its wrapper may be another one day ("Tolerant reader"). */
import { elementsAt, membersAt, type Range } from '../contract/json-bytes.js';
import { Failure } from '../runtime/failure.js';

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;

/**
 * Where the elements of the list stand in a body: by the wrapper's name, else the only array in the object,
 * else the body itself when it is an array. Null where there is no list, or more than one to choose from.
 */
export function findList(body: Uint8Array, wrapper: string | null): Range[] | null {
  const leading = wrapper === null ? null : findLeading(body, wrapper);
  if (leading !== null) return leading;
  const members = membersAt(body);
  if (members === null) return elementsAt(body);
  const named = members.findLast(({ name }) => name === wrapper);
  if (named !== undefined && isArray(body, named)) return elementsAt(body, named.start);
  const arrays = members.filter((member) => isArray(body, member));
  const [only] = arrays;
  return only === undefined || arrays.length > 1 ? null : elementsAt(body, only.start);
}

/**
 * The same for the usual shape, where the wrapper comes first: the elements are walked over once instead of twice.
 * Null where the body is of another shape, or names the wrapper again behind it.
 */
function findLeading(body: Uint8Array, wrapper: string): Range[] | null {
  const start = Buffer.from(`{${JSON.stringify(wrapper)}:[`);
  if (!start.equals(body.subarray(0, start.length))) return null;
  const elements = elementsAt(body, start.length - 1);
  if (elements === null) return null;
  const end = body.indexOf(CLOSE_ARRAY, elements.at(-1)?.end ?? start.length) + 1;
  const others = membersAt(Buffer.concat([Buffer.from('{"":0'), body.subarray(end)]));
  return others === null || others.some(({ name }) => name === wrapper) ? null : elements;
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
    `The service broke its contract: its answer holds no list where ${wanted} was expected.`,
    {
      code: 'contract_broken',
      outcome: 'sent',
    },
  );
}

function isArray(body: Uint8Array, range: Range): boolean {
  return body[range.start] === OPEN_ARRAY;
}
