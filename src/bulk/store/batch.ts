/** A batch: its target, its file, and its totals. */
import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';

/** The plan file that a batch was applied from: what people signed. With the bodies of its rows, in their order, it is that file again. */
export interface BatchApproval {
  /** The first line of the file. */
  readonly head: string;
  /** SHA-256 of the file, in hexadecimal. */
  readonly digest: string;
  /** What was asked for beside the policy of the machine, when it was applied; null where nothing was. */
  readonly asked: AskedApprovals | null;
}

export interface AskedApprovals {
  readonly approvals: number;
  /** The list of those who may sign: a path of the machine that asked; null for that of its policy. */
  readonly signers: string | null;
}

export interface KeptSignature {
  /** Of the file that it was in. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Whom the list of signers named for it when it was counted; null where it did not count. To be shown, and never believed. */
  readonly signer: string | null;
}

/** What a batch is, from its plan on. */
export interface BatchFacts {
  readonly name: string;
  readonly direction: Direction;
  readonly environment: Environment;
  /** What `/v2` is appended to; `embedded` for the sandbox inside. */
  readonly address: string;
  /** The one form of the address that all its spellings share. */
  readonly origin: string;
  /** The company whose key it was planned with, as this machine calls it; null where that was never proved. */
  readonly company: string | null;
  /** Payments of its references from before that moment of the service's time are others; null where all count. */
  readonly sinceMs: number | null;
  readonly profile: string | null;
  /** Who asked: prefix and last four of the API key. */
  readonly keyMask: string;
  /** Absolute path. */
  readonly file: string;
  readonly createdAtMs: number;
  /** Null for one that was sent from a file that nobody has to sign. */
  readonly approval: BatchApproval | null;
}

/** The sum of a currency over all rows, in minor units. */
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

/** What was confirmed: exact totals by currency, decimal strings. */
export type ConfirmedTotals = ReadonlyMap<string, { readonly rows: number; readonly total: string }>;

/** Who has confirmed a batch first, and what. */
export interface Confirmation {
  /** A user at a machine, or the name of a worker; null on a machine that shares nothing. */
  readonly by: string | null;
  readonly totals: ConfirmedTotals;
}

export interface Batch extends BatchFacts, BatchTotals {
  readonly id: number;
  /** When a person or script confirmed it; null where none did. */
  readonly confirmedAtMs: number | null;
  readonly confirmation: Confirmation | null;
}
