/** One key, one body: the service refuses another one, and nobody knows any more which payment the key stands for (section 4). */
import { changedPaths } from '../fingerprint.js';
import { otherBytes } from '../keyed-bodies.js';
import { beyondClean, clearest } from '../repetition.js';
import { keyWords, type Rule } from '../rule.js';

export const sameBody: Rule = (facts) => {
  const found = clearest(
    beyondClean(facts, (view) => otherBytes(view).filter(({ isSameBody }) => !isSameBody)),
  );
  if (found === null) return null;
  const { first, again } = found;
  const paths = changedPaths(first.body, again.body);
  const differ = paths.length === 0 ? '' : ` They differ in ${paths.join(', ')}.`;
  return {
    why: `The ${keyWords(again.key)} came with one body in #${String(first.number)} and with another in #${String(again.number)}.${differ}`,
    requests: [first.number, again.number],
  };
};
