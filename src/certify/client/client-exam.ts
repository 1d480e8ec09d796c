/** The types of the client's exam: the clean runs, the cases, and the faults. */
import type { EndpointId } from '../../contract/endpoints.js';
import type { ClientFault } from './faults.js';
import type { RunView } from './run-view.js';
import type { ChangingPaths } from './fingerprint.js';

export interface CleanPayment {
  readonly fingerprint: string;
  /** The shortest beginning of the fingerprint that no other payment has, four characters at least. */
  readonly label: string;
  readonly route: EndpointId;
  /** The body of the payment's first request. */
  readonly body: Uint8Array;
  /** The fewest operations that a clean run makes for this payment. */
  readonly made: number;
  /** The fewest operations that are confirmed at the end of a clean run. */
  readonly confirmed: number;
  /** The most operations that wait for a code at the end of a clean run. */
  readonly awaitingCode: number;
}

/** What clean runs of a command have in common. */
export interface Baseline {
  /** A view of each clean run, with its requests grouped by payment. */
  readonly views: readonly RunView[];
  readonly changing: ChangingPaths;
  /** The payments by fingerprint, in the order of their first requests. */
  readonly payments: ReadonlyMap<string, CleanPayment>;
  /** True if the clean runs used different keys. */
  readonly hasNewKeys: boolean;
  /** The number of requests of the first clean run. */
  readonly requests: number;
  /** How long the first clean run took. */
  readonly tookMs: number;
  /** The most writes of a run: one more stops the run. */
  readonly writesMax: number;
}

/** Why the clean runs can't be compared with any run. */
export interface NotJudgedReason {
  readonly notJudged: 'exit' | 'stopped' | 'no_request' | 'no_payment' | 'differs';
  /** The reason, in sentences for a person. */
  readonly why: string;
}

/** A fault and the payment that it hits. */
export interface ClientCase {
  /** For example `lost-after:payouts.create-95e4`; only the fault's id if it hits the whole run. */
  readonly id: string;
  readonly fault: ClientFault;
  /** The requests that the fault hits; null if it hits the whole run. */
  readonly at: {
    readonly route: EndpointId;
    /** The fingerprint of the payment; null for requests that belong to no payment. */
    readonly fingerprint: string | null;
    /** Several payments may have the fingerprint: the fault hits this one, counted from 1, and all later ones. */
    readonly ordinal: number;
  } | null;
  /** How long the answer is held back, in milliseconds. A lost answer may wait 1.1 s, so that a key made of the time differs in a retry. */
  readonly holdMs: number;
  /** True if COMMAND is started again, without a fault, after an exit code other than 0. */
  readonly isRerun: boolean;
}
