/** What is known of payments beside the batches of this store: the feed, the single creates of this machine, and who is sending now. Ports. */
import type { OperationClaims } from '../../contract/claims.js';
import type { Direction } from '../../contract/methods.js';

/** A single create of this machine. */
export interface SingleCreate {
  readonly key: string;
  /** False where it is not known what became of it. */
  readonly isSettled: boolean;
  /** Its bytes are gone: it cannot be repeated. */
  readonly isForgotten?: boolean | undefined;
  /** What it became; null where that is not known. */
  readonly operation: string | null;
  readonly status: string | null;
  /** In hexadecimal. */
  readonly referenceMark: string;
  /** In hexadecimal. */
  readonly twinMark: string;
  readonly amount: string | null;
  readonly currency: string | null;
  /** In milliseconds of the service's time. */
  readonly firstLeftMs: number;
  /** True where it is certain that another company's key has sent it. */
  readonly isOtherCompany: boolean;
}

export interface Knowledge {
  /**
   * Brings what is known of the feed up to date; a second call does nothing, unless it asks for it again.
   * @throws Failure where the feed can't be read
   */
  bringUpToDate(again?: 'again'): Promise<void>;
  /** What the feed holds of these folded references. */
  ofReferences(
    direction: Direction,
    folded: readonly string[],
  ): Promise<ReadonlyMap<string, readonly OperationClaims[]>>;
  /** What the feed holds of these operations. */
  ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, OperationClaims>>;
  /** The single creates with these references. */
  singles(direction: Direction, referenceMarks: readonly Uint8Array[]): Promise<readonly SingleCreate[]>;
  /** Those that were put into the book since the feed was last brought up to date. */
  newSingles(direction: Direction): Promise<readonly SingleCreate[]>;
  /**
   * Whose batches with this company are, seen from the company that asks; `other` only where it is certain.
   * @param company null where none was ever proved
   * @param operation one of theirs, where one is known
   */
  ownerOf(company: string | null, operation: string | null): Promise<'same' | 'other' | 'unknown'>;
  /** True where somebody sends that batch at this moment. */
  isRunning(batch: string): Promise<boolean>;
}
