/** A policy that can't be used, as a failure for an administrator: it names files, which a refusal does not. */
import type { PolicyState } from '../../guard/policy.js';
import { Failure } from '../../runtime/failure.js';

/** @throws Failure `unsafe` with the code of what is wrong */
export function requireUsable(
  state: PolicyState,
): asserts state is Exclude<PolicyState, { readonly kind: 'unusable' }> {
  if (state.kind !== 'unusable') return;
  const head = `The policy of this machine cannot be used, and only reads are sent live. ${state.why}`;
  throw new Failure('unsafe', head, { code: state.code, concernsMoney: false });
}
