/** What the operation no longer waits for is not sent again: a code has one attempt (sections 3 and 8). */
import { beyondClean, clearest } from '../repetition.js';
import { resentOf } from '../resent.js';
import { type Rule, requestWords } from '../rule.js';

export const codeOnce: Rule = (facts) => {
  const all = new Set(beyondClean(facts, resentOf).map(({ group }) => group));
  const settled = beyondClean(facts, (view) => resentOf(view).filter(({ kind }) => kind === 'settled'));
  const found = clearest(settled.filter(({ group }) => all.has(group)));
  if (found === null) return null;
  const { first, again, seen } = found;
  return {
    why: `After ${requestWords(first)} the command saw that the operation is ${seen}. #${String(again.number)} sends it anyway.`,
    requests: [first.number, again.number],
  };
};
