import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';

export interface BatchApproval {
  readonly head: string;
  readonly digest: string;
  readonly asked: AskedApprovals | null;
}

export interface AskedApprovals {
  readonly approvals: number;
  readonly signers: string | null;
}

export interface KeptSignature {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly signer: string | null;
}

export interface BatchFacts {
  readonly name: string;
  readonly direction: Direction;
  readonly environment: Environment;
  readonly address: string;
  readonly origin: string;
  readonly company: string | null;
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
