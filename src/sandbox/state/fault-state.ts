/** A fault of a kept sandbox: whether its members fit its kind, so that it can be armed. Pure. */
import { FAILURES, isFailure } from '../../contract/failures.js';
import type { Armed, ArmedDelivery } from '../store/faults.js';
import { faultOf, foreignMembers } from '../store/fault-members.js';
import type { FaultState } from './document.js';
import type { Findings } from './findings.js';

type KeptFault = Omit<Armed, 'row'> | Omit<ArmedDelivery, 'row'>;

/** The members of a fault of deliveries. */
const OF_DELIVERIES: readonly string[] = ['delivery', 'until', 'count'];

/** Null where it cannot be armed, which is noted. */
export function faultFrom(state: FaultState, findings: Findings): KeptFault | null {
  const { route, kind, delivery, until = null, count = 1, skip = 0, match = null } = state;
  const known = findings.all.length;
  if (delivery !== undefined) {
    for (const member of Object.keys(state))
      if (!OF_DELIVERIES.includes(member)) findings.add('A fault of deliveries does not have this.', member);
    const untilMs = until === null ? null : Date.parse(until);
    return findings.all.length === known ? { delivery, remaining: count, until: untilMs } : null;
  }
  if (state.until !== undefined) findings.add('Only a fault of deliveries has this.', 'until');
  if (route === undefined) findings.add('"route" is missing.');
  if (kind === undefined) findings.add('"kind" is missing.');
  if (route === undefined || kind === undefined) return null;
  for (const member of foreignMembers(kind, state))
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
  if (findings.all.length !== known || 'missing' in fault || 'surplus' in fault) return null;
  return { route, fault, remaining: count, skip, match };
}
