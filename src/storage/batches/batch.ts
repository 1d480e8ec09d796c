import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';

/** The signed plan file of a batch. The head and the bodies of the rows, in order, make up the whole file. */
export interface BatchApproval {
  readonly head: string;
  readonly digest: string;
  /**
   * The approvals that the command line demanded in addition to the policy, or null if it demanded
   * none.
   */
  readonly asked: AskedApprovals | null;
}

export interface AskedApprovals {
  readonly approvals: number;
  /**
   * The path of the list of signers on the machine that applied the plan, or null for the policy's
   * list.
   */
  readonly signers: string | null;
}

export interface KeptSignature {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** For display only. It is null if the signature did not count. */
  readonly signer: string | null;
}

/** Only `company` may change after the plan has begun. */
export interface BatchFacts {
  readonly name: string;
  readonly direction: Direction;
  readonly environment: Environment;
  /** The URL before `/v2`, or `embedded` for the built-in sandbox. */
  readonly address: string;
  readonly origin: string;
  /** The local id of the company whose key planned the batch, or null if the company is unknown. */
  readonly company: string | null;
  /** Payments before this moment of the service's time do not count. If null, all payments count. */
  readonly sinceMs: number | null;
  readonly profile: string | null;
  readonly keyMask: string;
  readonly file: string;
  readonly createdAtMs: number;
  readonly approval: BatchApproval | null;
}

export interface CurrencyTotal {
  readonly decimals: number;
  readonly rows: number;
  readonly minor: bigint;
}

export interface BatchTotals {
  readonly fileHash: string;
  readonly rows: number;
  readonly currencies: ReadonlyMap<string, CurrencyTotal>;
}

export type ConfirmedTotals = ReadonlyMap<string, { readonly rows: number; readonly total: string }>;

export interface Confirmation {
  readonly by: string | null;
  readonly totals: ConfirmedTotals;
}

export interface Batch extends BatchFacts, BatchTotals {
  readonly id: number;
  readonly confirmedAtMs: number | null;
  readonly confirmation: Confirmation | null;
}
