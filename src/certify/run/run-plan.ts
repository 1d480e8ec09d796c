import type { ClientFault, Spoiling } from '../client/faults.js';
import type { SeenRequest } from '../client/request-seen.js';

export interface RunPlan {
  readonly caseId: string | null;
  readonly fault: ClientFault | null;
  /** Is called once for each request, with the earlier requests. Null: the fault does not hit the request. */
  readonly aim: (before: readonly SeenRequest[], seen: SeenRequest) => Spoiling | null;
  /** True if the command is started again, without a fault, after an exit code other than 0. */
  readonly isRerun: boolean;
  readonly writesMax: number;
  /** The time limit for each start of the command. */
  readonly limitMs: number;
}
