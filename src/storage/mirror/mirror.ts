import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';
import type { KnownOperation } from '../../contract/operation-facts.js';
import type { Reading } from './reading.js';
import { Failure } from '../../runtime/failure.js';

export interface Place {
  readonly environment: Environment;
  readonly origin: string;
  readonly keyPrint: string;
}

export interface Company {
  readonly id: string;
  readonly environment: Environment;
}

export interface Mirrors {
  readonly keySalt: Uint8Array | null;
  readonly isShared: boolean;
  of(company: Company): Mirror;
  companyOf(place: Place): Promise<Company | null>;
  companyById(id: string): Promise<Company | null>;
  candidates(place: Place, limit: number): Promise<Company[]>;
  begin(place: Place): Promise<Company>;
  learn(company: Company, place: Place): Promise<void>;
  forgetPlace(environment: Environment, origin: string): Promise<number>;
  close(): Promise<void>;
}

export interface OperationFilter {
  readonly direction?: Direction | undefined;
  readonly status?: string | undefined;
  readonly method?: string | undefined;
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

export interface Mirror {
  newest(): Promise<KnownOperation | null>;
  ofIds(ids: readonly string[]): Promise<ReadonlyMap<string, KnownOperation>>;
  ofReferences(
    direction: Direction,
    folded: readonly string[],
  ): Promise<ReadonlyMap<string, readonly KnownOperation[]>>;
  /** Yields every operation once, in no order. Throws if the mirror is reset meanwhile. */
  blocks(): AsyncIterable<readonly KnownOperation[]>;
  list(filter: OperationFilter, limit: number): Promise<readonly KnownOperation[]>;
  ofBeginning(beginning: string, limit: number): Promise<readonly KnownOperation[]>;
  ofBankReference(bankReference: string, limit: number): Promise<readonly KnownOperation[]>;
  size(): Promise<number>;
  heardAtMs(): Promise<number | null>;
  reading(): Promise<Reading>;
  /** Returns false and does nothing if the mirror was reset since `reading` was made. */
  commit(operations: readonly KnownOperation[], reading: Reading): Promise<boolean>;
  reset(reading: Reading): Promise<void>;
}

export const BLOCK_ROWS = 1000;

export interface OperationBlock<At> {
  readonly epoch: string;
  readonly operations: readonly KnownOperation[];
  readonly last: At | null;
}

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
