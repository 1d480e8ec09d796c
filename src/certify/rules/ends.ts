/** A command ends, whatever it is answered, and does not flood the service. */
import { counted } from '../../contract/on-screen.js';
import type { Rule } from '../rule.js';
import type { StoppedFor } from '../seen.js';

const WORDS: Readonly<Record<StoppedFor, (requests: number, tookMs: number) => string>> = {
  time: (_, tookMs) =>
    `The command did not end, and was stopped after ${String(Math.round(tookMs / 1000))} s.`,
  requests: (requests) => `The command was stopped after ${counted(requests, 'request')}.`,
  rate: (requests) =>
    `The command was stopped after ${counted(requests, 'request')}: 500 of them in one second.`,
};

export const ends: Rule = ({ view: { run }, clean }) => {
  if (run.stoppedFor === null) return null;
  const what = WORDS[run.stoppedFor](run.requests.length, run.tookMs);
  return { why: `${what} A clean run sends ${counted(clean.requests, 'request')}.`, requests: [] };
};
