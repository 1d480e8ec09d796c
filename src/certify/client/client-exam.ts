import type { EndpointId } from '../../contract/endpoints.js';
import type { ClientFault } from './faults.js';
import type { RunView } from './run-view.js';
import type { ChangingPaths } from './fingerprint.js';

export interface CleanPayment {
  readonly fingerprint: string;
  /** A prefix of the fingerprint that no other fingerprint begins with. */
  readonly label: string;
  readonly route: EndpointId;
  readonly body: Uint8Array;
  /** The fewest operations that a run without faults makes for this payment. */
  readonly made: number;
  /** At least this many operations are confirmed at the end of a run without faults. */
  readonly confirmed: number;
  /** At most this many operations wait for a code at the end of a run without faults. */
  readonly awaitingCode: number;
}

export interface Baseline {
  readonly views: readonly RunView[];
  readonly changing: ChangingPaths;
  /** Payments by fingerprint, in the order of their first requests. */
  readonly payments: ReadonlyMap<string, CleanPayment>;
  readonly hasNewKeys: boolean;
  readonly requests: number;
  readonly tookMs: number;
  readonly writesMax: number;
}

export interface NotJudgedReason {
  readonly notJudged: 'exit' | 'stopped' | 'no_request' | 'no_payment' | 'differs';
  readonly why: string;
}

export interface ClientCase {
  /** For example `lost-after:payouts.create-95e4`. If the fault hits the whole run, the id is just the id of the fault. */
  readonly id: string;
  readonly fault: ClientFault;
  readonly at: {
    readonly route: EndpointId;
    readonly fingerprint: string | null;
    /** Payments with the same fingerprint are numbered from 1. The fault hits this payment and all later ones. */
    readonly ordinal: number;
  } | null;
  /** A lost answer may be held back, so that an idempotency key made from the time differs in a retry. */
  readonly holdMs: number;
  readonly isRerun: boolean;
}
