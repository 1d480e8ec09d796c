/** What the service may add, and the order in which deliveries come, changes nothing for the command (section 9). */
import { CLIENT_FAULTS, type FaultPlace } from '../cases/client-faults.js';
import type { Rule } from '../rule.js';

export const tolerant: Rule = ({ view: { run } }) => {
  const row = CLIENT_FAULTS.find(({ id }) => id === run.caseId);
  const isWholeRun = row?.on.some((place: FaultPlace) => place === 'run') === true;
  if (!isWholeRun || run.exitCode === 0 || run.stoppedFor !== null) return null;
  return {
    why: `The command ended with exit code ${String(run.exitCode)}. A clean run ends with 0.`,
    requests: [],
  };
};
