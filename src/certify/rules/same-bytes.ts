/** A repetition is the same bytes: a service that compares them would refuse others (section 4). */
import { otherBytes } from '../keyed-bodies.js';
import { beyondClean, clearest } from '../repetition.js';
import { keyWords, type Rule } from '../rule.js';

export const sameBytes: Rule = (facts) => {
  const found = clearest(
    beyondClean(facts, (view) => otherBytes(view).filter(({ isSameBody }) => isSameBody)),
  );
  if (found === null) return null;
  const { first, again } = found;
  return {
    why: `The ${keyWords(again.key)} came with the same members in other bytes: #${String(first.number)} and #${String(again.number)}.`,
    requests: [first.number, again.number],
  };
};
