/** All dashes of Unicode 17. This list must never change, because idempotency keys depend on it. */
const DASHES =
  /[\u002d\u058a\u05be\u1400\u1806\u2010-\u2015\u2053\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\u{10d6e}\u{10ead}]/gu;
/** All white space of Unicode 17. This list must never change, because idempotency keys depend on it. */
const SPACES = /[\t-\r\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;
const UNASSIGNED_CHARACTER = /[\p{Cn}\p{Cs}]/u;
const INVISIBLE_CHARACTERS = /\p{Default_Ignorable_Code_Point}/gu;
const PLAIN_REFERENCE = /^[a-z0-9._:/+-]*$/;

/** The stores hold folded references, so a change needs a new version of the stores. */
export function foldReference(reference: string): string {
  if (PLAIN_REFERENCE.test(reference)) return reference;
  const folded = foldForKey(foldForKey(reference.replace(INVISIBLE_CHARACTERS, '')).toUpperCase());
  return folded
    .replace(/i\u0307+/g, 'i')
    .replaceAll('ς', 'σ')
    .replace(/ ?- ?/g, '-');
}

export function isSameReference(one: string | null | undefined, other: string | null | undefined): boolean {
  return foldReference(one ?? '') === foldReference(other ?? '');
}

/** This function must never change, because a payment's idempotency key is made from its result. */
export function foldForKey(reference: string): string {
  if (PLAIN_REFERENCE.test(reference)) return reference;
  const folded = reference.normalize('NFKC').toLowerCase().replace(DASHES, '-').replace(SPACES, ' ');
  return folded.replace(/^ | $/g, '');
}

export function referenceProblem(reference: string): string | null {
  if (PLAIN_REFERENCE.test(reference)) return null;
  if (UNASSIGNED_CHARACTER.test(reference)) return 'holds a character that is not assigned in Unicode';
  if (reference.search(INVISIBLE_CHARACTERS) !== -1) return 'holds an invisible character';
  return reference.includes('\0') ? 'holds NUL' : null;
}
