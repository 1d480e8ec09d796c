/** The local copy of the feed, on this machine or in a shared state: one interface over two databases. */
import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';
import type { KnownOperation } from '../../contract/operation-facts.js';
import type { Reading } from './reading.js';
import { Failure } from '../../runtime/failure.js';

/** The environment, address and key that a command reads with. */
export interface Place {
  readonly environment: Environment;
  /** The result of `canonicalOrigin`. */
  readonly origin: string;
  /** The result of `keyPrint`. */
  readonly keyPrint: string;
}

/** The company that a key acts for. The API names no company, so the id is ours: random, and unknown to machines that do not share the state. */
export interface Company {
  readonly id: string;
  readonly environment: Environment;
}

/** All mirrors of this machine, or of the machines that share a state. Every method rejects with a Failure if the store can't be used. */
export interface Mirrors {
  /** The salt for prints of keys; null for the salt of this machine. */
  readonly keySalt: Uint8Array | null;
  /** True if other machines can write here: then a row alone proves nothing. */
  readonly isShared: boolean;
  of(company: Company): Mirror;
  /** Returns the company of a key at an origin; null if it was never proved. */
  companyOf(place: Place): Promise<Company | null>;
  /** Returns the company with this id; null for an id of another store. Two companies that turned out to be one keep both ids. */
  companyById(id: string): Promise<Company | null>;
  /** Returns the environment's companies that have operations: first those that share key or origin with the place, then the latest first. */
  candidates(place: Place, limit: number): Promise<Company[]>;
  /** Makes a new company for the place. If another process was first, returns the company that it made. */
  begin(place: Place): Promise<Company>;
  /**
   * Records that the place belongs to the company. If the place belonged to another one, the two are one from now on, with both ids. The mirror with
   * more operations stays and the other one is dropped, because both are of one feed.
   */
  learn(company: Company, place: Place): Promise<void>;
  /** Empties the mirrors of all companies that were seen at an origin, and forgets the origin. @returns how many operations were dropped */
  forgetPlace(environment: Environment, origin: string): Promise<number>;
  close(): Promise<void>;
}

/** The filter of a list; a missing member excludes nothing. */
export interface OperationFilter {
  readonly direction?: Direction | undefined;
  readonly status?: string | undefined;
  readonly method?: string | undefined;
  /** The events occurred between `sinceMs` and `untilMs`. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** The mirror of one company. Every method rejects with a Failure if the store can't be used. */
export interface Mirror {
  /** Returns the operation with the latest event. */
  newest(): Promise<KnownOperation | null>;
  /** Finds operations by the ids as given; a uuid matches in either case. For blocks of about a thousand. */
  ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, KnownOperation>>;
  /** Finds operations by folded reference, failed ones too, in the order of their events. For blocks of about a thousand. */
  ofReferences(
    direction: Direction,
    folded: readonly string[],
  ): Promise<ReadonlyMap<string, readonly KnownOperation[]>>;
  /**
   * Yields every operation once, in no order, in blocks of about a thousand. Some that are added during the iteration may be missing.
   * @throws Failure if the mirror is reset during the iteration
   */
  blocks(): AsyncIterable<readonly KnownOperation[]>;
  /** Returns the latest operations that match, newest event first. */
  list(filter: OperationFilter, limit: number): Promise<readonly KnownOperation[]>;
  /** Finds operations by the beginning of their id; a uuid has its dashes and matches in either case. */
  ofBeginning(beginning: string, limit: number): Promise<readonly KnownOperation[]>;
  /** Finds operations by bank reference; ASCII letters match in either case. */
  ofBankReference(bankReference: string, limit: number): Promise<readonly KnownOperation[]>;
  size(): Promise<number>;
  /** Returns the latest time in any event, by the service's clock; null before the first event. */
  heardAtMs(): Promise<number | null>;
  reading(): Promise<Reading>;
  /**
   * Adds operations and moves the reading, in one commit. For a known operation, `chooseEvent` decides which version stays.
   * @returns false, without any change, if the mirror was reset since that reading was made
   */
  commit(operations: readonly KnownOperation[], reading: Reading): Promise<boolean>;
  /** Drops all operations and the reading, unless the mirror was already reset since this reading was made. */
  reset(reading: Reading): Promise<void>;
}

/** The number of operations in a block: a million operations take a thousand queries, and a block fits into a megabyte. */
export const BLOCK_ROWS = 1000;

/** Operations after a position, in the order of positions. */
export interface OperationBlock<At> {
  /** The epoch of the mirror's reading. */
  readonly epoch: string;
  readonly operations: readonly KnownOperation[];
  /** The position of the last operation; null if no more follow. */
  readonly last: At | null;
}

/**
 * Yields the operations of one mirror in blocks.
 * @param readBlock reads the operations after a position (null: from the start); returns null if the company is unknown
 * @throws Failure if the mirror was reset in between
 */
export async function* inBlocks<At>(
  readBlock: (after: At | null) => Promise<OperationBlock<At> | null>,
): AsyncGenerator<readonly KnownOperation[]> {
  let epoch: string | null = null;
  for (let after: At | null = null; ;) {
    const block = await readBlock(after);
    if (block === null && epoch === null) return;
    epoch ??= block?.epoch ?? null;
    if (block?.epoch !== epoch) throw restartedFailure();
    if (block.operations.length > 0) yield block.operations;
    if (block.last === null) return;
    after = block.last;
  }
}

function restartedFailure(): Failure {
  const text =
    'The copy of the events was started again while svc read it, as after the reset of a sandbox. Nothing was sent. Run it again.';
  return new Failure('local_state', text, {
    code: 'mirror_begun_anew',
    outcome: 'not_sent',
    retryable: true,
  });
}
