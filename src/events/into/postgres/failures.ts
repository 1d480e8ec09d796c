/** What a database that events are written into fails with: what passes by itself, and what a person reads of the rest. */
import { Failure } from '../../../runtime/failure.js';
import {
  isInTheWay,
  isLost,
  isRotated,
  isState,
  REFUSED,
  refusedText,
  saidBy,
} from '../../../state/failures.js';
import { TableAway } from '../table.js';

const TEXTS: Readonly<Record<string, string>> = {
  ...REFUSED,
  '42501':
    'does not give this user the rights it needs: SELECT, INSERT and UPDATE on svc_events, svc_operations and svc_feed, and CREATE for --create',
  '42P07': 'has a table with that name that svc did not make: name another schema with ?schema=NAME',
  '53100': 'cannot grow: its disk is full. What was written before is kept',
};
/** No table, or no schema. */
const NOTHING_THERE = ['42P01', '3F000'];

export function isNothingThere(error: unknown): boolean {
  return NOTHING_THERE.some((state) => isState(error, state));
}

/** @param wasLetIn a password that was good may be replaced at this moment */
export function tableFailure(error: unknown, wasLetIn: boolean): Error {
  if (error instanceof TableAway) return error;
  // A commit that its standbys did not see may be forgotten, and then its place is forgotten with it.
  if (error instanceof Failure) return error.facts.code === 'commit_not_replicated' ? away(error) : error;
  const isPassing = isLost(error) || isInTheWay(error) || isRotated(error, wasLetIn);
  return isPassing
    ? away(error)
    : unusable(refusedText(error, TEXTS, 'SVC_INTO_PASSWORD or SVC_INTO_PASSWORD_FILE'), error);
}

function away(error: unknown): TableAway {
  const text = `The database of --into cannot be reached: ${saidBy(error)}. svc reads again what it has not written yet.`;
  return new TableAway(
    new Failure('local_state', text, { code: 'into_unreachable', retryable: true, cause: error }),
  );
}

/** It has forgotten what it had acknowledged, or somebody else changed it: what is in memory may stand behind another place. */
export function movedAway(): TableAway {
  const text =
    'The tables of --into are not as this run left them: another server took over, or somebody restored them.';
  return new TableAway(new Failure('local_state', text, { code: 'into_unreachable', retryable: true }));
}

/** @param what as the rest of a sentence */
export function unusable(what: string, cause?: unknown): Failure {
  return new Failure('local_state', `The database of --into ${what}. Nothing more was written.`, {
    code: 'into_unusable',
    cause,
  });
}
