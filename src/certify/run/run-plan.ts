/** The plan of one run of an exam. */
import type { ClientFault, Spoiling } from '../client/faults.js';
import type { SeenRequest } from '../client/request-seen.js';

/** What a case does to its run. */
export interface RunPlan {
  /** The id of the case; null for a clean run. */
  readonly caseId: string | null;
  readonly fault: ClientFault | null;
  /** Called once for each request, with the earlier requests. Returns null if the fault does not hit the request. */
  readonly aim: (before: readonly SeenRequest[], seen: SeenRequest) => Spoiling | null;
  /** True if COMMAND is started again, without a fault, after an exit code other than 0. */
  readonly isRerun: boolean;
  /** The most writes of a run: one more stops it. */
  readonly writesMax: number;
  /** The time limit of each start of COMMAND. */
  readonly limitMs: number;
}
