import type { Account } from '../catalog.js';
import type { Machine } from '../machine.js';

export type PayerBelief = 'paid' | 'pending' | 'failed' | 'rejected' | 'unknown' | 'not sent' | 'wait' | null;

export interface Payment {
  readonly number: number;
  readonly reference: string;
  readonly person: number;
  readonly month: number;
  readonly amount: number;
  readonly payers: Payer[];
}

export interface Payer {
  readonly payment: Payment;
  readonly machine: Machine;
  readonly kind: 'single' | 'batch';
  readonly amount: number;
  account: Account;
  selection: readonly string[];
  belief: PayerBelief;
  operation: string | null;
  code: string | null;
  next: string | null;
  another: string | null;
  key: string | null;
  batch: string | null;
  before: string | null;
  asked: number;
  hasGivenUp: boolean;
}

export interface Standing {
  readonly operation: string;
  readonly status: 'pending' | 'gone' | 'confirmed' | 'failed';
  readonly atMs: number;
}
