/** `svc policy show`: what is in force, as an administrator reads it, and as a script does. */
import type { Run } from '../../cli/command.js';
import { printerOfSentences } from '../../cli/printing/printer.js';
import { lockOf } from '../../cli/session/guarding.js';
import { lookAtPolicy, policyStateOf } from '../../cli/session/policy-state.js';
import type { Lock } from '../../guard/lock.js';
import { plainPolicy, policyDocument } from '../../guard/plain-policy.js';
import type { PolicyState } from '../../guard/policy.js';
import { requireUsable } from './usable.js';

/** @throws Failure `unsafe` for a policy that can't be used, once that was printed */
export async function showPolicy({ ports, flags }: Pick<Run, 'ports' | 'flags'>): Promise<void> {
  const state = await policyStateOf(lookAtPolicy(ports.machine));
  const lock = lockOf(ports);
  const printer = await printerOfSentences(ports, flags, plainPolicy(state, lock));
  await printer.answer(Buffer.from(JSON.stringify(factsOf(state, lock, ports.machine.policyFile))));
  requireUsable(state);
}

function factsOf(state: PolicyState, lock: Lock | null, file: string): object {
  const isUnusable = state.kind === 'unusable';
  return {
    state: state.kind === 'policy' ? 'in_force' : state.kind,
    file,
    code: isUnusable ? state.code : null,
    why: isUnusable ? state.why : null,
    binds: state.kind === 'policy' ? state.binds : isUnusable,
    policy: state.kind === 'policy' ? policyDocument(state.policy) : null,
    lock,
  };
}
