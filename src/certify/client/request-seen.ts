import type { EndpointId } from '../../contract/endpoints.js';

export interface ToldOperation {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
}

export type Told =
  /** The connection was cut, or there is no answer yet. */
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly status: number }
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly code: string | null;
      readonly operation: ToldOperation | null;
      readonly retryAfterSeconds: number | null;
      readonly events: readonly ToldOperation[];
    };

export interface SeenRequest {
  readonly number: number;
  /** The time at which the whole request had arrived, in milliseconds since the run began. */
  readonly atMs: number;
  endedMs: number | null;
  /** Names a sandbox. After a reset the sandbox gets a new name. */
  readonly scope: string;
  readonly method: string;
  readonly target: string;
  readonly route: EndpointId | null;
  readonly operation: string | null;
  readonly key: string | null;
  readonly body: Uint8Array;
  /** A digest of the bearer token. */
  readonly bearer: string;
  fault: string | null;
  isCarriedOut: boolean;
  /** The operation id in the answer to a create, also if an earlier request made the operation. */
  made: string | null;
  told: Told;
}

export interface SeenOperation {
  readonly id: string;
  readonly scope: string;
  readonly route: EndpointId;
  readonly key: string | null;
  readonly request: number;
  /** The status at the end of the run, or before the reset of its sandbox. */
  status: string;
  reason: string | null;
}

export interface SeenDelivery {
  readonly atMs: number;
  readonly type: string;
  readonly operation: ToldOperation | null;
  readonly answers: readonly (number | null)[];
}

export type StoppedFor = 'time' | 'requests' | 'rate';

export interface SeenRun {
  readonly caseId: string | null;
  readonly requests: readonly SeenRequest[];
  readonly operations: readonly SeenOperation[];
  readonly deliveries: readonly SeenDelivery[];
  /** The exit code as a shell has it: 128 plus the number of a signal. */
  readonly exitCode: number;
  readonly tookMs: number;
  readonly stoppedFor: StoppedFor | null;
  readonly hits: number;
  /** With `--rerun`, the number of the first request after the command was started again. */
  readonly rerunFrom: number | null;
  readonly output: string;
}

/** True if the answer does not tell the command whether its request was carried out. */
export function isLeftOpen(told: Told): boolean {
  return told.kind !== 'answer' || told.status >= 500;
}
