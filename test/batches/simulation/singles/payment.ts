/** A payment that is meant once in a month, and who types it: one person or two, on one machine or on two. */
import type { Account } from '../catalog.js';
import type { Machine } from '../machine.js';

/** `wait`: something else comes first. */
export type PayerBelief = 'paid' | 'pending' | 'failed' | 'rejected' | 'unknown' | 'not sent' | 'wait' | null;

export interface Payment {
  readonly number: number;
  readonly reference: string;
  /** Which person of the file is paid: the one of the reference. */
  readonly person: number;
  readonly month: number;
  readonly amount: number;
  readonly payers: Payer[];
}

/** Somebody who wants a payment made. */
export interface Payer {
  readonly payment: Payment;
  readonly machine: Machine;
  readonly kind: 'single' | 'batch';
  readonly amount: number;
  account: Account;
  /** What says which payments are those of another month. */
  selection: readonly string[];
  belief: PayerBelief;
  /** What it is believed to be. */
  operation: string | null;
  /** How the last line ended. */
  code: string | null;
  /** The line that was printed to be typed next. */
  next: string | null;
  /** A line that was printed for whoever means another payment, once that is what is meant. */
  another: string | null;
  /** The key of what is open. */
  key: string | null;
  batch: string | null;
  /** A batch of somebody else that stood in the way. */
  before: string | null;
  /** What no printed line led on with, how often. */
  asked: number;
  hasGivenUp: boolean;
}

/** What stands in the way, as it was named. */
export interface Standing {
  readonly operation: string;
  readonly status: 'pending' | 'gone' | 'confirmed' | 'failed';
  readonly atMs: number;
}
