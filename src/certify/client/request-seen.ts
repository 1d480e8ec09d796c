/** The record of one run of a command in an exam: every request with its answer, the operations, and the deliveries. */
import type { EndpointId } from '../../contract/endpoints.js';

/** An operation as an answer, a list of events or a delivery shows it. */
export interface ToldOperation {
  readonly id: string;
  readonly status: string;
  /** The `pending_reason`; null if there was none. */
  readonly reason: string | null;
}

/** The answer to a request, as far as the command got it. */
export type Told =
  /** The connection was cut, or there is no answer yet. */
  | { readonly kind: 'none' }
  /** An answer whose body can't be read. */
  | { readonly kind: 'unreadable'; readonly status: number }
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The code of an error; null if the answer is no error. */
      readonly code: string | null;
      readonly operation: ToldOperation | null;
      readonly retryAfterSeconds: number | null;
      /** The operations of a list of events; empty for every other answer. */
      readonly events: readonly ToldOperation[];
    };

export interface SeenRequest {
  /** The request's number in the run, from 1. */
  readonly number: number;
  /** When the whole request had arrived, in milliseconds since the run began. */
  readonly atMs: number;
  /** When the answer was sent, or the connection was cut; null before that. */
  endedMs: number | null;
  /** A name for one sandbox between two of its resets. Payments are counted within a scope. */
  readonly scope: string;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Null for a path that the service does not have. */
  readonly route: EndpointId | null;
  /** The operation id in the path; a UUID in lower case. */
  readonly operation: string | null;
  readonly key: string | null;
  readonly body: Uint8Array;
  /** A digest of the bearer token, only good for comparing. */
  readonly bearer: string;
  /** The name of the fault that hit the request. */
  fault: string | null;
  isCarriedOut: boolean;
  /** The operation id in the service's answer to a create, also if an earlier request made the operation. */
  made: string | null;
  told: Told;
}

export interface SeenOperation {
  readonly id: string;
  readonly scope: string;
  readonly route: EndpointId;
  readonly key: string | null;
  /** The number of the request that made the operation. */
  readonly request: number;
  /** The status at the end of the run, or before the reset of its sandbox. */
  status: string;
  reason: string | null;
}

export interface SeenDelivery {
  /** When the delivery was first sent, in milliseconds since the run began. */
  readonly atMs: number;
  readonly type: string;
  readonly operation: ToldOperation | null;
  /** The status of each attempt; null if no answer came. */
  readonly answers: readonly (number | null)[];
}

export type StoppedFor = 'time' | 'requests' | 'rate';

export interface SeenRun {
  /** Null for a clean run. */
  readonly caseId: string | null;
  readonly requests: readonly SeenRequest[];
  readonly operations: readonly SeenOperation[];
  readonly deliveries: readonly SeenDelivery[];
  /** The exit code as a shell has it: 128 plus the number of a signal. */
  readonly exitCode: number;
  readonly tookMs: number;
  /** Why the exam stopped the run; null if the command ended by itself. */
  readonly stoppedFor: StoppedFor | null;
  /** How many requests the fault hit. */
  readonly hits: number;
  /** With `--rerun`: the number of the first request of the second start; null if there was one start. */
  readonly rerunFrom: number | null;
  /** The end of the command's output, at most 4,000 characters. */
  readonly output: string;
}

/** True if the answer does not tell the command whether its request was carried out. */
export function isLeftOpen(told: Told): boolean {
  return told.kind !== 'answer' || told.status >= 500;
}
