import type { Permit } from '../../contract/permit.js';
import type { SendingFacts } from './decision.js';
import type { PolicyState } from './policy.js';
import type { HttpRequest } from '../../runtime/transport.js';

export interface Guard {
  state(): Promise<PolicyState>;
  hasRules(): Promise<boolean>;
  judge(request: HttpRequest, facts?: Partial<SendingFacts>): Promise<void>;
  judgeDraft(request: HttpRequest): Promise<void>;
  permit(request: HttpRequest, facts?: Partial<SendingFacts>): Promise<Permit | null>;
}

export const NO_GUARD: Guard = {
  state: () => Promise.resolve({ kind: 'none' }),
  hasRules: () => Promise.resolve(false),
  judge: () => Promise.resolve(),
  judgeDraft: () => Promise.resolve(),
  permit: () => Promise.resolve(null),
};
