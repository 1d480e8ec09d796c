/** Who judges what a session is about to send, as commands see it. In the sandbox nobody has to. */
import type { Permit } from '../../contract/permit.js';
import type { SendingFacts } from '../../guard/decision.js';
import type { PolicyState } from '../../guard/policy.js';
import type { HttpRequest } from '../../runtime/transport.js';

export interface Guard {
  state(): Promise<PolicyState>;
  /** False where nothing is ever refused: no lock is on, and no policy is there. */
  isAsked(): Promise<boolean>;
  /**
   * Says early what would be refused: before anybody is asked, and before anything is recorded.
   * @throws Failure `unsafe`
   */
  judge(request: HttpRequest, standing?: Partial<SendingFacts>): Promise<void>;
  /**
   * The same of a create that is not whole yet: what no amount, currency or method would change.
   * @throws Failure `unsafe`
   */
  judgeDraft(request: HttpRequest): Promise<void>;
  /** What a request takes along when it leaves; null in the sandbox. @throws Failure `unsafe` */
  permit(request: HttpRequest, standing?: Partial<SendingFacts>): Promise<Permit | null>;
}

export const UNGUARDED: Guard = {
  state: () => Promise.resolve({ kind: 'none' }),
  isAsked: () => Promise.resolve(false),
  judge: () => Promise.resolve(),
  judgeDraft: () => Promise.resolve(),
  permit: () => Promise.resolve(null),
};
