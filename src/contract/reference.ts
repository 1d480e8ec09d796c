/** The caller's own name of a payment (section 2.1), and the one form that all its spellings share. Pure; golden vectors pin it. */

/**
 * Every character that is a dash in Unicode 17, written out: the property may grow, and the form of a reference never changes again.
 * A character that is assigned later is refused until then, so that no two versions of a program can disagree about it.
 */
const DASHES =
  /[\u002d\u058a\u05be\u1400\u1806\u2010-\u2015\u2053\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d\u301c\u3030\u30a0\u{10d6e}\u{10ead}]/gu;
/** Every character that is white space, written out for the same reason. */
const SPACES = /[\t-\r\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/gu;
const UNASSIGNED = /[\p{Cn}\p{Cs}]/u;
/** Soft hyphen, what has no width, word joiner, BOM: two references that differ by one of these look the same. No key depends on it. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const PLAIN = /^[a-z0-9._:/+-]*$/;

/**
 * The form for comparing: that of the key, in upper case and back (`ß` is `SS`), without spaces beside a dash, and without what nobody sees.
 * Two references that a person takes for the same are folded to the same. The stores hold it: another form is another version of them.
 */
export function foldReference(reference: string): string {
  // Most references are their own folded form.
  if (PLAIN.test(reference)) return reference;
  const folded = foldForKey(foldForKey(reference.replace(INVISIBLE, '')).toUpperCase());
  return folded
    .replace(/i\u0307+/g, 'i')
    .replaceAll('ς', 'σ')
    .replace(/ ?- ?/g, '-');
}

/** True for two spellings of one reference; nothing is an empty one. */
export function isSameReference(one: string | null | undefined, other: string | null | undefined): boolean {
  return foldReference(one ?? '') === foldReference(other ?? '');
}

/** The form of which the key of a payment is made, and of nothing else: it never changes again. Dashes, spaces and lower case alone are folded. */
export function foldForKey(reference: string): string {
  if (PLAIN.test(reference)) return reference;
  const folded = reference.normalize('NFKC').toLowerCase().replace(DASHES, '-').replace(SPACES, ' ');
  return folded.replace(/^ | $/g, '');
}

/**
 * Why a new payment may not have that reference, as a clause; null where it may: its folded form might be another one day, or somebody
 * might take it for another one.
 */
export function referenceProblem(reference: string): string | null {
  if (PLAIN.test(reference)) return null;
  if (UNASSIGNED.test(reference)) return 'holds a character that is not assigned in Unicode';
  if (reference.search(INVISIBLE) !== -1) return 'holds an invisible character';
  return reference.includes('\0') ? 'holds NUL' : null;
}
