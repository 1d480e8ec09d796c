/** Confirm, resend and cancel have no key: after an answer that was lost the operation is looked at first (section 4). */
import { beyondClean, clearest } from '../repetition.js';
import { resentOf } from '../resent.js';
import { type Rule, requestWords, toldWords } from '../rule.js';

export const lookFirst: Rule = (facts) => {
  const all = new Set(beyondClean(facts, resentOf).map(({ group }) => group));
  const blind = beyondClean(facts, (view) => resentOf(view).filter(({ kind }) => kind === 'blind'));
  const found = clearest(blind.filter(({ group }) => all.has(group)));
  if (found === null) return null;
  const { first, again } = found;
  return {
    why: `${requestWords(first)} got ${toldWords(first.told)}. #${String(again.number)} sends it again without a look at the operation.`,
    requests: [first.number, again.number],
  };
};
