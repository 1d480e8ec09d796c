/** The report of an exam: an outcome for each case, the verdict, and both as JSON and as lines. Pure. */

/** A broken `should` is advice, a broken `must` a failure. */
export type Severity = 'must' | 'should';

export type ExamName = 'receiver' | 'client';

export const OUTCOME_STATUSES = ['passed', 'failed', 'advice', 'not_judged'] as const;
export type OutcomeStatus = (typeof OUTCOME_STATUSES)[number];

export interface Outcome {
  readonly id: string;
  /** The severity of the broken rule, or of the case if none was broken. */
  readonly severity: Severity;
  readonly status: OutcomeStatus;
  /** The rule of the client's exam that was broken, or null. */
  readonly rule: string | null;
  /** The section of the contract, such as `6 (3)`; may be empty. */
  readonly section: string;
  /** Sentences for a person; null if the case passed. */
  readonly why: string | null;
  /** Receiver: the id of the case that explains this one. Client: the broken rules that `rule` explains. */
  readonly andSo: string | null;
  /** The numbers of the requests that show the breach. */
  readonly requests: readonly number[];
  /** The command line that runs this case alone, if there is one. */
  readonly repeat: string | null;
}

export interface ExamReport {
  readonly exam: ExamName;
  /** The words of the examined command; null for a receiver. */
  readonly command: readonly string[] | null;
  /** Requests, operations and time of the clean runs; null if there were none. */
  readonly clean: Readonly<Record<string, unknown>> | null;
  /** The ids of the cases that `--only` and `--skip` left out. */
  readonly leftOut: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** True with `--strict`: advice then counts as a failure. */
  readonly isStrict: boolean;
}

/** True if there is an outcome, no case failed, each `must` was judged, and with `--strict` there is no advice. */
export function isCertified({ outcomes, isStrict }: Pick<ExamReport, 'outcomes' | 'isStrict'>): boolean {
  const isObstacle = ({ severity, status }: Outcome): boolean =>
    status === 'failed' ||
    (status === 'advice' && isStrict) ||
    (status === 'not_judged' && severity === 'must');
  return outcomes.length > 0 && !outcomes.some(isObstacle);
}

export function outcomeCounts(outcomes: readonly Outcome[]): Readonly<Record<OutcomeStatus, number>> {
  const count = (status: OutcomeStatus): number => outcomes.filter((one) => one.status === status).length;
  return {
    ...{ passed: count('passed'), failed: count('failed') },
    ...{ advice: count('advice'), not_judged: count('not_judged') },
  };
}

/** The report as one JSON object, without a line end. */
export function reportJson(report: ExamReport): string {
  const { exam, command, clean, leftOut, outcomes } = report;
  const cases = outcomes.map(({ andSo, ...outcome }) => {
    const { id, severity, status, rule, section, why, requests, repeat } = outcome;
    return { id, severity, status, rule, section, why, and_so: andSo, requests, repeat };
  });
  return JSON.stringify({ exam, passed: isCertified(report), command, clean, left_out: leftOut, cases });
}

const STATUS_LABELS: Readonly<Record<OutcomeStatus, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  advice: 'advice',
  not_judged: 'not judged',
};

/** The width of a report in columns: severity and section end there. */
const REPORT_WIDTH = 78;

/** The first line of a finding: status and name on the left, severity and section on the right. */
export function findingHead(what: string, { status, severity, section }: Outcome): string {
  const left = `${STATUS_LABELS[status].padEnd(6)}  ${what}`;
  const right = section === '' ? severity : `${severity}, section ${section}`;
  return `${left}${' '.repeat(Math.max(2, REPORT_WIDTH - left.length - right.length))}${right}`;
}

/** The last line of the report: counts and verdict. @param tookMs how long the exam ran */
export function closingLine(report: Pick<ExamReport, 'outcomes' | 'isStrict'>, tookMs: number): string {
  const { passed, failed, advice, not_judged: notJudged } = outcomeCounts(report.outcomes);
  const counts = [
    ...[`${String(passed)} passed`, `${String(failed)} failed`],
    ...[`${String(advice)} advice`, `${String(notJudged)} not judged`],
  ];
  const tookSeconds = tookMs < 10_000 ? (tookMs / 1000).toFixed(1) : String(Math.round(tookMs / 1000));
  return `${counts.join(', ')}, ${tookSeconds} s. ${isCertified(report) ? 'Passed.' : 'Not passed (19).'}`;
}
