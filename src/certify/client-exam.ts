/** The words of the client's exam: what two clean runs say, the cases made of that, what a fault does to a request, and what was found. */
import type { EndpointId } from '../contract/endpoints.js';
import type { ClientFault } from './cases/client-faults.js';
import type { ClientRule } from './cases/client-rules.js';
import type { Severity } from './report.js';
import type { RunView } from './run-view.js';

/** Of each route the paths in its bodies that change from run to run by themselves; `metadata.*` stands for all below it. */
export type Changing = ReadonlyMap<EndpointId, ReadonlySet<string>>;

export interface CleanPayment {
  readonly fingerprint: string;
  /** The shortest beginning of it that no other payment has, four characters at least. */
  readonly label: string;
  readonly route: EndpointId;
  /** Of the first body: what is paid, as it was sent. */
  readonly body: Uint8Array;
  /** How many operations each clean run makes of it at least, and how many of them are confirmed at the end. */
  readonly made: number;
  readonly confirmed: number;
  /** How many wait for a code at the end, at most. */
  readonly awaitingCode: number;
}

/** What clean runs of a command have in common. */
export interface Clean {
  /** The runs, sorted by payments. */
  readonly views: readonly RunView[];
  readonly changing: Changing;
  /** By fingerprint, in the order in which they were first seen. */
  readonly payments: ReadonlyMap<string, CleanPayment>;
  /** Whether the keys of one run are not those of the other. */
  readonly hasNewKeys: boolean;
  /** Of the first run. */
  readonly requests: number;
  readonly tookMs: number;
  /** More writes than this, and a run is stopped. */
  readonly writesMax: number;
}

/** Why there is nothing to hold a run against. */
export interface NotJudged {
  readonly notJudged: 'exit' | 'stopped' | 'no_request' | 'no_payment' | 'differs';
  /** Sentences for a person. */
  readonly why: string;
}

/** One case: a fault, and what it is put on. */
export interface ClientCase {
  /** `lost-after:payouts.create-95e4`; the fault alone where it is put on the whole run. */
  readonly id: string;
  readonly fault: ClientFault;
  /** Null: the whole run. */
  readonly at: {
    readonly route: EndpointId;
    /** Null where the request belongs to no payment. */
    readonly fingerprint: string | null;
    /** The first payment of the fingerprint that it may hit, from 1. */
    readonly ordinal: number;
  } | null;
  /** How long an answer is held before it is lost, so that what changes with each second has changed. */
  readonly holdMs: number;
  /** Whether COMMAND is started again, without a fault, where it does not end with 0. */
  readonly isRerun: boolean;
}

/** What the command gets instead of an answer; `own` is the service's. */
export type Instead =
  | { readonly kind: 'own' }
  | { readonly kind: 'cut' }
  /** The command is killed, with all that it started. */
  | { readonly kind: 'killed' }
  /** The whole head and half of the body of the service's own answer, then it is cut. */
  | { readonly kind: 'half' }
  /** Nothing, until the command gives up. */
  | { readonly kind: 'never' }
  /** A page of HTML; with the status of the service's own answer where it is null. */
  | { readonly kind: 'page'; readonly status: number | null }
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly code: string;
      readonly retryAfterSeconds: number | null;
    };

/** What becomes of a request that a fault hits. */
export interface Spoiling {
  /** What stands in `fault` of the request. */
  readonly name: string;
  /** What the service is told before it carries the request out; null for nothing. */
  readonly first: 'declined' | 'pending' | 'expired' | null;
  readonly isCarriedOut: boolean;
  /** How long it is held after that. */
  readonly holdMs: number;
  readonly instead: Instead;
}

/** A rule that a run breaks; each rule once, with what shows it. */
export interface BrokenRule {
  readonly rule: ClientRule;
  readonly severity: Severity;
  readonly section: string;
  /** Sentences for a person; keys as in the log, codes nowhere. */
  readonly why: string;
  /** The numbers of the requests that show it. */
  readonly requests: readonly number[];
  /** Whether another finding of the same run explains it. */
  readonly andSo: boolean;
}
