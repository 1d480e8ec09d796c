/** What `svc certify list` shows: every case of the exams, with what it weighs and where the contract says it. Data. */
import type { ExamName, Severity } from '../report.js';
import { CLIENT_FAULTS } from './client-faults.js';
import { CLIENT_RULES } from './client-rules.js';
import { RECEIVER_CASES } from './receiver.js';

export interface ListedCase {
  readonly id: string;
  readonly severity: Severity;
  /** The section of the contract; empty where it is in none. */
  readonly section: string;
  /** What has to hold, in one sentence without its end. */
  readonly title: string;
}

/** By exam, in the order in which they are shown. */
export const LISTED_CASES = {
  receiver: RECEIVER_CASES,
  client: [...CLIENT_FAULTS, ...CLIENT_RULES],
} as const satisfies Readonly<Partial<Record<ExamName, readonly ListedCase[]>>>;
