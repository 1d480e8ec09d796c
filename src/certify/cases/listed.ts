/** The cases that `svc certify list` shows, with severity and section of the contract. Data. */
import type { ExamName, Severity } from '../report.js';
import { CLIENT_FAULTS } from './client-faults.js';
import { CLIENT_RULES } from './client-rules.js';
import { RECEIVER_CASES } from './receiver.js';

export interface ListedCase {
  readonly id: string;
  readonly severity: Severity;
  /** The section of the contract that asks for the case; empty if none does. */
  readonly section: string;
  /** The case in one sentence, without a full stop. */
  readonly title: string;
}

/** The cases of each exam, in the order of the list. */
export const LISTED_CASES = {
  receiver: RECEIVER_CASES,
  client: [...CLIENT_FAULTS, ...CLIENT_RULES],
} as const satisfies Readonly<Partial<Record<ExamName, readonly ListedCase[]>>>;
