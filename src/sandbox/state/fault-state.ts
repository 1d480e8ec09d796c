/** Checks a fault of a state document: its members must fit its kind. Pure. */
import { FAILURES, isFailure } from '../../contract/failures.js';
import { faultOf, membersOfOtherKinds } from '../store/fault-members.js';
import type { FaultState } from './document.js';
import type { Findings } from './findings.js';

const DELIVERY_FAULT_MEMBERS: readonly string[] = ['delivery', 'until', 'count'];

/** Returns the fault to arm. Null: it cannot be armed, and findings were added. */
export function faultFrom(state: FaultState, findings: Findings) {
  const { route, kind, delivery, until = null, count = 1, skip = 0, match = null } = state;
  const countBefore = findings.all.length;
  if (delivery !== undefined) {
    for (const member of Object.keys(state))
      if (!DELIVERY_FAULT_MEMBERS.includes(member))
        findings.add('A fault of deliveries does not have this.', member);
    const untilMs = until === null ? null : Date.parse(until);
    return findings.all.length === countBefore ? { delivery, remaining: count, until: untilMs } : null;
  }
  if (state.until !== undefined) findings.add('Only a fault of deliveries has this.', 'until');
  if (route === undefined) findings.add('"route" is missing.');
  if (kind === undefined) findings.add('"kind" is missing.');
  if (route === undefined || kind === undefined) return null;
  for (const member of membersOfOtherKinds(kind, state))
    findings.add(`A fault of kind "${kind}" does not have this.`, member);
  const fault = faultOf(kind, state);
  if ('missing' in fault) findings.add(`"${fault.missing}" is missing.`);
  if ('surplus' in fault) findings.add('Give "failure" or "pending", not both.', fault.surplus);
  const { failure } = state;
  if (failure !== undefined && !isFailure(failure.code, failure.reason))
    findings.add(
      `Must be ${FAILURES[failure.code].reasons.join(' or ')} for this code.`,
      'failure',
      'reason',
    );
  if (findings.all.length !== countBefore || 'missing' in fault || 'surplus' in fault) return null;
  return { route, fault, remaining: count, skip, match };
}
