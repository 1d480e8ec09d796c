import type { EndpointId } from '../../contract/endpoints.js';
import type { ClientFault } from './faults.js';
import type { CleanPayment } from './baseline.js';
import type { RunView } from './run-view.js';
import type { ChangingPaths } from './fingerprint.js';

export interface Baseline {
  readonly views: readonly RunView[];
  readonly changing: ChangingPaths;
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
  readonly id: string;
  readonly fault: ClientFault;
  readonly at: {
    readonly route: EndpointId;
    readonly fingerprint: string | null;
    readonly ordinal: number;
  } | null;
  readonly holdMs: number;
  readonly isRerun: boolean;
}
