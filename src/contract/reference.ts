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
 * The folded reference, for comparing: NFKC, lower case, every dash as `-`, every run of spaces as one, none at the ends, and nothing that
 * nobody sees. Two references that a person takes for the same are folded to the same.
 */
export function foldReference(reference: string): string {
  // Most references are their own folded form.
  return PLAIN.test(reference) ? reference : foldForKey(reference.replace(INVISIBLE, ''));
}

/** The same with what nobody sees: the key of a payment is made of it, and it never changes again. */
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

/** Letters that are one where case does not count, and that lower case keeps apart. */
const ONE_LETTER: readonly (readonly [string, string])[] = [
  ['ss', 'ß'],
  ['σ', 'ς'],
  ['եւ', 'և'],
];
/** Each place doubles them. */
const SPELLINGS_MAX = 64;

/** Equal for two texts that differ in nothing but case, spaces and dashes. */
export function foldCase(text: string): string {
  return foldReference(foldReference(text).toUpperCase()).replaceAll('i\u0307', 'i').replaceAll('ς', 'σ');
}

/** For finding, never for keys: the folded forms (`foldReference`) that a reference may have which somebody calls so: its own first, and at most 64. */
export function spellingsOf(text: string): readonly string[] {
  const own = foldReference(text);
  const found = new Set([own, foldReference(own.toUpperCase()), foldCase(own)]);
  for (const [one, other] of ONE_LETTER)
    for (const spelling of found) {
      if (found.size >= SPELLINGS_MAX) break;
      for (const [from, to] of [
        [one, other],
        [other, one],
      ] as const)
        for (const changed of changedOnce(spelling, from, to))
          if (found.size < SPELLINGS_MAX) found.add(changed);
    }
  return [...found];
}

/** The text with one of them changed, for each place where it stands. */
function changedOnce(text: string, from: string, to: string): string[] {
  const parts = text.split(from);
  return parts
    .slice(1)
    .map((_, at) => parts.slice(0, at + 1).join(from) + to + parts.slice(at + 1).join(from));
}
