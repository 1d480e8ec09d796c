/** The guard of a session: decides by lock and policy what may be sent live. In the sandbox it allows everything. */
import type { Permit } from '../../contract/permit.js';
import type { SendingFacts } from './decision.js';
import type { PolicyState } from './policy.js';
import type { HttpRequest } from '../../runtime/transport.js';

export interface Guard {
  state(): Promise<PolicyState>;
  /** True if this machine has a lock or a policy; else the guard refuses nothing. */
  hasRules(): Promise<boolean>;
  /** Refuses a forbidden request before a person is asked. */
  judge(request: HttpRequest, facts?: Partial<SendingFacts>): Promise<void>;
  /** Refuses an unfinished create by the rules that do not look at its body. */
  judgeDraft(request: HttpRequest): Promise<void>;
  /** Returns the permit without which the client sends no live request; null in the sandbox. */
  permit(request: HttpRequest, facts?: Partial<SendingFacts>): Promise<Permit | null>;
}

export const NO_GUARD: Guard = {
  state: () => Promise.resolve({ kind: 'none' }),
  hasRules: () => Promise.resolve(false),
  judge: () => Promise.resolve(),
  judgeDraft: () => Promise.resolve(),
  permit: () => Promise.resolve(null),
};
