/** All of a mirror, block by block: what was read before is not held, and two blocks are never of two mirrors. */
import type { KnownOperation } from '../contract/operation-facts.js';
import { Failure } from '../runtime/failure.js';

/** What makes a walk over a million operations a thousand questions, and is held in a megabyte. */
export const BLOCK_ROWS = 1000;

/** The operations behind a place, in the order of places. */
export interface OperationBlock<At> {
  /** As in a reading. */
  readonly epoch: string;
  readonly operations: readonly KnownOperation[];
  /** The place of the last of them; null where nothing is behind them. */
  readonly last: At | null;
}

/** @param readBlock those behind a place, from the start where it is null; null where nothing was ever known */
export async function* inBlocks<At>(
  readBlock: (after: At | null) => Promise<OperationBlock<At> | null>,
): AsyncGenerator<readonly KnownOperation[]> {
  let epoch: string | null = null;
  for (let after: At | null = null; ;) {
    const block = await readBlock(after);
    if (block === null && epoch === null) return;
    epoch ??= block?.epoch ?? null;
    if (block?.epoch !== epoch) throw begunAnew();
    if (block.operations.length > 0) yield block.operations;
    if (block.last === null) return;
    after = block.last;
  }
}

function begunAnew(): Failure {
  const text =
    'The copy of the events was started again while svc read it, as after the reset of a sandbox. Nothing was sent. Run it again.';
  return new Failure('local_state', text, {
    code: 'mirror_begun_anew',
    outcome: 'not_sent',
    retryable: true,
  });
}
