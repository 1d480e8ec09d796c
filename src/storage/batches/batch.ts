import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';

/** The signed plan file that a batch was applied from. Its head and the bodies of the rows, in their order, make up the whole file. */
export interface BatchApproval {
  /** The first line of the file. */
  readonly head: string;
  /** SHA-256 of the file, in hexadecimal. */
  readonly digest: string;
  /** The approvals that the command line asked for, in addition to the policy; null if none. */
  readonly asked: AskedApprovals | null;
}

export interface AskedApprovals {
  readonly approvals: number;
  /** The path of the list of signers on the machine that applied the plan; null: the list of its policy. */
  readonly signers: string | null;
}

export interface KeptSignature {
  /** The name of the signature's file. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The signer's name at the time when the signature counted; null if it did not count. For display only. */
  readonly signer: string | null;
}

/** The facts of a batch that are known when its plan begins. Only `company` may be set later. */
export interface BatchFacts {
  readonly name: string;
  readonly direction: Direction;
  readonly environment: Environment;
  /** The URL before `/v2`; `embedded` for the built-in sandbox. */
  readonly address: string;
  /** The canonical form of the address. */
  readonly origin: string;
  /** Our own id of the company whose key planned the batch; null if the company was never proved. */
  readonly company: string | null;
  /** Payments from before this moment of the service's time do not count. Null: all count. */
  readonly sinceMs: number | null;
  readonly profile: string | null;
  /** Prefix and last four characters of the API key. */
  readonly keyMask: string;
  /** The absolute path of the file. */
  readonly file: string;
  readonly createdAtMs: number;
  /** The signed plan; null if the batch was made from a file that needs no signatures. */
  readonly approval: BatchApproval | null;
}

export interface CurrencyTotal {
  readonly decimals: number;
  readonly rows: number;
  readonly minor: bigint;
}

export interface BatchTotals {
  /** SHA-256 of the file, in hexadecimal. */
  readonly fileHash: string;
  readonly rows: number;
  readonly currencies: ReadonlyMap<string, CurrencyTotal>;
}

/** The confirmed totals by currency, as decimal strings. */
export type ConfirmedTotals = ReadonlyMap<string, { readonly rows: number; readonly total: string }>;

/** The first confirmation of a batch. */
export interface Confirmation {
  /** A user and the machine, or the worker's name; null for a file. */
  readonly by: string | null;
  readonly totals: ConfirmedTotals;
}

export interface Batch extends BatchFacts, BatchTotals {
  readonly id: number;
  /** When a person or script confirmed the batch; null if nobody has. */
  readonly confirmedAtMs: number | null;
  readonly confirmation: Confirmation | null;
}
