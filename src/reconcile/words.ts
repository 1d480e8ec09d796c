/** The classes of findings in the words that a person reads; scripts read the class itself. Pure. */
import type { FindingClass } from './finding.js';

const WORDS: Readonly<Partial<Record<FindingClass, string>>> = {
  duplicate_here: 'twice in your file',
  duplicate_there: 'twice in the service',
  only_here: 'only in your file',
  only_there: 'only in the service',
};

export function classWords(kind: FindingClass): string {
  return WORDS[kind] ?? kind.replaceAll('_', ' ');
}
