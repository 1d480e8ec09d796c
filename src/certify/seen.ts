/** What an exam saw of one run of a command: every request with its bytes, what became of it, what it was told, and what was delivered. */
import type { EndpointId } from '../contract/endpoints.js';

/** Of an operation, as an answer, a list of events or a delivery told it. */
export interface ToldOperation {
  readonly id: string;
  readonly status: string;
  /** Why it is pending; null where nothing said so. */
  readonly reason: string | null;
}

/** What the command could know of a request when it went on. */
export type Told =
  /** Nothing: the connection was cut, or it is not answered yet. */
  | { readonly kind: 'none' }
  /** A status, and bytes that can't be read. */
  | { readonly kind: 'unreadable'; readonly status: number }
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The code of the envelope; null where it is no error. */
      readonly code: string | null;
      readonly operation: ToldOperation | null;
      readonly retryAfterSeconds: number | null;
      /** The operations of a list of events; empty for every other answer. */
      readonly events: readonly ToldOperation[];
    };

export interface SeenRequest {
  /** Its place in the run, from 1. */
  readonly number: number;
  /** When it had arrived, in milliseconds of the run. */
  readonly atMs: number;
  /** When its answer had left, or its connection was cut; null while neither is so. */
  endedMs: number | null;
  /** A sandbox until its reset: what is counted is counted within one. */
  readonly scope: string;
  readonly method: string;
  /** As it was sent, with its query. */
  readonly target: string;
  /** Null where it is none of the service's. */
  readonly route: EndpointId | null;
  /** The id in the path, in one case; null where there is none. */
  readonly operation: string | null;
  readonly key: string | null;
  readonly body: Uint8Array;
  /** A digest of the bearer: tells whether two are the same, and nothing else. */
  readonly bearer: string;
  /** The fault that it met; null for none. */
  fault: string | null;
  isCarriedOut: boolean;
  /** Of a create that was carried out: its operation, also where it was there before. */
  made: string | null;
  told: Told;
}

export interface SeenOperation {
  readonly id: string;
  readonly scope: string;
  readonly route: EndpointId;
  readonly key: string | null;
  /** The number of the request that made it. */
  readonly request: number;
  /** As it stood at the end of the run. */
  status: string;
  reason: string | null;
}

export interface SeenDelivery {
  /** When it was handed over, in milliseconds of the run. */
  readonly atMs: number;
  readonly type: string;
  readonly operation: ToldOperation | null;
  /** The status of each handing over; null where no answer came. */
  readonly answers: readonly (number | null)[];
}

export type StoppedFor = 'time' | 'requests' | 'rate';

export interface SeenRun {
  /** The case that it is the run of; null for a clean one. */
  readonly caseId: string | null;
  readonly requests: readonly SeenRequest[];
  readonly operations: readonly SeenOperation[];
  readonly deliveries: readonly SeenDelivery[];
  /** How the command ended: its exit code as a shell has it, 128 and the number for a signal. */
  readonly exitCode: number;
  readonly tookMs: number;
  /** Null where it ended by itself. */
  readonly stoppedFor: StoppedFor | null;
  /** How many requests met the fault. */
  readonly hits: number;
  /** With `--rerun`: the number of the first request of the second start; null where it was started once. */
  readonly rerunFrom: number | null;
  /** The end of what it printed, at most 4,000 characters. */
  readonly output: string;
}

/** Whether the command could not know by it what became of its request. */
export function isLeftOpen(told: Told): boolean {
  return told.kind !== 'answer' || told.status >= 500;
}
