/** What this machine, or a shared state, knows of the feed: one interface over two databases. */
import type { Environment } from '../contract/access.js';
import type { Direction } from '../contract/operation.js';
import type { KnownOperation } from '../contract/operation-facts.js';
import type { Reading } from './reading.js';
import { Failure } from '../runtime/failure.js';

/** Where a command reads, and with which key. */
export interface Place {
  readonly environment: Environment;
  /** As `canonicalOrigin` writes it. */
  readonly origin: string;
  /** As `keyPrint` makes it. */
  readonly keyPrint: string;
}

/** On whose behalf a key acts. The API names no company: the id is ours, random, and means nothing to machines that do not share it. */
export interface Company {
  readonly id: string;
  readonly environment: Environment;
}

/** All mirrors of this machine, or of those that share a state. Every method rejects with a Failure where the store can't be used. */
export interface Mirrors {
  /** Under which keys have their prints here; null for the salt of this machine. */
  readonly keySalt: Uint8Array | null;
  /** Others can write in it: its rows prove nothing alone. */
  readonly isShared: boolean;
  of(company: Company): Mirror;
  /** The company of a place: of this key at this origin. Null where the two were never proved together. */
  companyOf(place: Place): Promise<Company | null>;
  /** The company that goes by this id now: two that turned out to be one keep both ids. Null for an id of another store. */
  companyById(id: string): Promise<Company | null>;
  /** The companies of the environment that have operations: first those that share key or origin with the place, then the latest first. */
  candidates(place: Place, limit: number): Promise<Company[]>;
  /** The company of a place that is none of those known. Where another process was first, the company that it made. */
  begin(place: Place): Promise<Company>;
  /**
   * This place was proved to belong to the company. Where it belonged to another, the two are one from now on, by both ids: the mirror
   * that holds more is kept and the other one dropped, because they are of one feed.
   */
  learn(company: Company, place: Place): Promise<void>;
  /** Empties the mirrors of all companies that were seen at an origin, and forgets the origin; answers how many operations that were. */
  forgetPlace(environment: Environment, origin: string): Promise<number>;
  close(): Promise<void>;
}

/** The filter of a list; a missing member excludes nothing. */
export interface OperationFilter {
  readonly direction?: Direction | undefined;
  readonly status?: string | undefined;
  readonly method?: string | undefined;
  /** The events occurred between these two moments, which count too. */
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** The mirror of one company. Every method rejects with a Failure where the store can't be used. */
export interface Mirror {
  /** The operation whose event is the latest. */
  newest(): Promise<KnownOperation | null>;
  /** By the ids as they were given; a uuid is found in either case. For blocks of about a thousand. */
  ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, KnownOperation>>;
  /** By folded reference, those that failed too, in the order of their events. For blocks of about a thousand. */
  ofReferences(
    direction: Direction,
    folded: readonly string[],
  ): Promise<ReadonlyMap<string, readonly KnownOperation[]>>;
  /**
   * Every operation that is known, each once and in no order, in blocks of about a thousand. Of those that are taken in meanwhile some may
   * be missing. Ends in a Failure where the mirror is reset meanwhile.
   */
  blocks(): AsyncIterable<readonly KnownOperation[]>;
  /** The latest so many for which a filter holds, by when their events occurred, newest first. */
  list(filter: OperationFilter, limit: number): Promise<readonly KnownOperation[]>;
  /** So many at the most whose id begins with this; a uuid is written with its dashes, in either case. */
  ofBeginning(beginning: string, limit: number): Promise<readonly KnownOperation[]>;
  /** So many at the most that have this bank reference; letters of ASCII are the same in either case. */
  ofBankReference(bankReference: string, limit: number): Promise<readonly KnownOperation[]>;
  size(): Promise<number>;
  /** The latest time in any event that was read, in the service's own clock; null where none was. */
  heardAtMs(): Promise<number | null>;
  reading(): Promise<Reading>;
  /**
   * Takes operations in and moves the reading, in one commit. Of an operation that is known already it keeps what `preferred` says.
   * @returns false where nothing was done, because the mirror was reset since that reading was made
   */
  commit(operations: readonly KnownOperation[], reading: Reading): Promise<boolean>;
  /** Drops every operation and the reading; nothing is done where that was done since this reading was made. */
  reset(reading: Reading): Promise<void>;
}

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

/** All of a mirror: two blocks are never of two mirrors. @param readBlock those behind a place, from the start where it is null; null where nothing was ever known */
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
