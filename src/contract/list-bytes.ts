/** Finds the list of a list response in its bytes, tolerantly: its wrapper may be another one day ("Tolerant reader"). */
import { elementsAt, membersAt, type Member, type Range } from './json-bytes.js';

const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** Stands in for the list, so that what follows it reads as an object of its own. */
const STAND_IN = Buffer.from('{"":0');

export interface ListRead {
  /** Where the elements stand. */
  readonly elements: Range[];
  /** The members of the object around the list, but for the list itself; none where the body is the list. */
  readonly others: readonly Member[];
}

/**
 * The list in a body: by the wrapper's name, else the only array in the object, else the body itself when it is an array.
 * Null where there is no list, or more than one to choose from. Sliced, not validated.
 */
export function readList(body: Uint8Array, wrapper: string | null): ListRead | null {
  const leading = wrapper === null ? null : readLeading(body, wrapper);
  if (leading !== null) return leading;
  const members = membersAt(body);
  if (members === null) return withElements(elementsAt(body), []);
  const named = members.findLast(({ name }) => name === wrapper);
  const isNamed = named !== undefined && isArray(body, named);
  const arrays = members.filter((member) => isArray(body, member));
  const list = isNamed ? named : arrays.length === 1 ? arrays[0] : undefined;
  if (list === undefined) return null;
  return withElements(
    elementsAt(body, list.start),
    members.filter((member) => member !== list),
  );
}

/**
 * The same for the usual shape, where the wrapper comes first: the elements are walked over once instead of twice.
 * Null where the body is of another shape, or names the wrapper again behind it.
 */
function readLeading(body: Uint8Array, wrapper: string): ListRead | null {
  const start = Buffer.from(`{${JSON.stringify(wrapper)}:[`);
  if (!start.equals(body.subarray(0, start.length))) return null;
  const elements = elementsAt(body, start.length - 1);
  if (elements === null) return null;
  const end = body.indexOf(CLOSE_ARRAY, elements.at(-1)?.end ?? start.length) + 1;
  const others = membersAt(Buffer.concat([STAND_IN, body.subarray(end)]));
  if (others === null || others.some(({ name }) => name === wrapper)) return null;
  const shift = end - STAND_IN.length;
  const behind = others.slice(1);
  return {
    elements,
    others: behind.map((member) => ({
      name: member.name,
      start: member.start + shift,
      end: member.end + shift,
    })),
  };
}

function withElements(elements: Range[] | null, others: readonly Member[]): ListRead | null {
  return elements === null ? null : { elements, others };
}

function isArray(body: Uint8Array, range: Range): boolean {
  return body[range.start] === OPEN_ARRAY;
}
