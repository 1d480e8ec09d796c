/** What is wrong with rows that would pay somebody twice. */
import { Problems } from '../../runtime/problems.js';
import type { BatchStore } from '../store/batch-store.js';
import type { ReferencePair } from '../store/row.js';

const PAIRS_SHOWN = 20;

/** @throws Failure `bad_file` for a reference that is there twice, or an account that gets the same amount twice */
export async function refusePairs(
  id: number,
  file: string,
  allowsDuplicates: boolean,
  store: BatchStore,
): Promise<void> {
  const problems = new Problems();
  const pairsOf = async (mark: 'reference' | 'twin'): Promise<readonly ReferencePair[]> => {
    const pairs = await store.pairs(id, mark, PAIRS_SHOWN + 1);
    if (pairs.length > PAIRS_SHOWN) problems.leaveOpen();
    return pairs.slice(0, PAIRS_SHOWN);
  };
  for (const pair of await pairsOf('reference')) {
    problems.add(
      pair.line,
      'reference',
      `${JSON.stringify(pair.reference)} is the one of line ${pair.otherLine} again`,
    );
  }
  if (!allowsDuplicates) {
    for (const pair of await pairsOf('twin')) {
      const text = `the same account and amount as line ${pair.otherLine}, under another reference (--allow-duplicates where that is meant)`;
      problems.add(pair.line, null, text);
    }
  }
  problems.throwIfAny(file);
}
