import type { EndpointId } from '../../contract/endpoints.js';

export interface OperationState {
  readonly id: string;
  readonly status: string;
  readonly reason: string | null;
}

export type SeenAnswer =
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly status: number }
  | {
      readonly kind: 'readable';
      readonly status: number;
      readonly code: string | null;
      readonly operation: OperationState | null;
      readonly retryAfterSeconds: number | null;
      readonly events: readonly OperationState[];
    };

export interface SeenRequest {
  readonly number: number;
  readonly atMs: number;
  endedMs: number | null;
  /** The number of the sandbox and the count of its resets and imports, such as `1.0`. */
  readonly scope: string;
  readonly method: string;
  readonly target: string;
  readonly route: EndpointId | null;
  readonly operation: string | null;
  readonly key: string | null;
  readonly body: Uint8Array;
  readonly bearer: string;
  fault: string | null;
  isCarriedOut: boolean;
  madeId: string | null;
  answer: SeenAnswer;
}

export interface SeenOperation {
  readonly id: string;
  readonly scope: string;
  readonly route: EndpointId;
  readonly key: string | null;
  readonly requestNumber: number;
  status: string;
  reason: string | null;
}

export interface SeenDelivery {
  readonly atMs: number;
  readonly type: string;
  readonly operation: OperationState | null;
  readonly statuses: readonly (number | null)[];
}

/**
 * `time` means that svc stopped a command that did not end, and `gave_up` that the command itself stopped waiting for
 * an answer after `--limit`.
 */
export type StoppedFor = 'time' | 'gave_up' | 'requests' | 'rate';

export interface SeenRun {
  readonly caseId: string | null;
  readonly requests: readonly SeenRequest[];
  readonly operations: readonly SeenOperation[];
  readonly deliveries: readonly SeenDelivery[];
  readonly exitCode: number;
  readonly tookMs: number;
  readonly stoppedFor: StoppedFor | null;
  readonly hits: number;
  readonly rerunFrom: number | null;
  readonly output: string;
}

export function isOutcomeUnknown(answer: SeenAnswer): boolean {
  return answer.kind !== 'readable' || answer.status >= 500;
}
