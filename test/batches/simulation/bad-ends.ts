import { harshHistoryOf, historyOf, type History } from './acts.js';
import type { Rule } from './rules.js';
import type { Verdict } from './verdict.js';

export const BAD_ENDS: readonly [Rule, History, Verdict][] = [
  ['feed', historyOf(35), 'twice'],
  ['feed', historyOf(32), 'lost'],
  ['store', harshHistoryOf(212), 'twice'],
  ['singles', harshHistoryOf(14), 'twice'],
  ['reference in the key', historyOf(122), 'twice'],
  ['strict skip', historyOf(73), 'twice'],
  ['skipped is earlier', historyOf(141), 'lied'],
  ['first here', harshHistoryOf(1), 'twice'],
  ['earlier by status', harshHistoryOf(22), 'lost'],
];

export function looksUnder(rule: Rule): boolean {
  return rule !== 'first here';
}
