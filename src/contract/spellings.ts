/** What somebody who looks for a reference may mean by it: case folded in full, where `STRASSE` is `straße`. For finding alone: keys are of `foldForKey`. Pure. */
import { foldReference } from './reference.js';

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

/** The folded forms (`foldReference`) that a reference may have which somebody calls so: its own first, and at most 64. */
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
