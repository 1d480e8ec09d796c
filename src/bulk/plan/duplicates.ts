/** Refuses rows that would pay somebody twice: within the file, and against the batches that are there. */
import { Failure } from '../../runtime/failure.js';
import { Problems } from '../file/problem.js';
import type { BatchStore, Pair } from '../store/batch-store.js';

const PAIRS_SHOWN = 20;

/** @throws Failure `bad_file` for a reference that is there twice, or a person who gets the same amount twice */
export async function refusePairs(
  id: number,
  file: string,
  allowsDuplicates: boolean,
  store: BatchStore,
): Promise<void> {
  const problems = new Problems();
  for (const pair of await store.pairs(id, 'reference', PAIRS_SHOWN)) {
    problems.add(
      pair.line,
      'reference',
      `${JSON.stringify(pair.reference)} is the one of line ${pair.otherLine} again`,
    );
  }
  if (!allowsDuplicates) {
    for (const pair of await store.pairs(id, 'twin', PAIRS_SHOWN)) {
      const text = `the same person and amount as line ${pair.otherLine}, under another reference (--allow-duplicates where that is meant)`;
      problems.add(pair.line, null, text);
    }
  }
  problems.throwIfAny(file);
}

/** @throws Failure `unsafe` for rows that another batch has */
export async function refuseRepeats(id: number, store: BatchStore): Promise<void> {
  const repeats = await store.repeats(id, PAIRS_SHOWN);
  const [first] = repeats;
  if (first !== undefined) throw repeated(first, repeats);
}

function repeated(first: Pair, repeats: readonly Pair[]): Failure {
  const lines = repeats.map(
    (pair) => `line ${pair.line}: ${pair.reference} is in batch ${pair.otherBatch} (line ${pair.otherLine})`,
  );
  const head =
    `Rows of this file are in batch ${first.otherBatch} already, with the same reference, counterparty and amount. Nothing was sent. ` +
    'Where they are to be paid once more, say --allow-repeat.';
  return new Failure('unsafe', [head, ...lines].join('\n'), { code: 'rows_repeated' });
}
