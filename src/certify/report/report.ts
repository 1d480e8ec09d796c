export type Severity = 'must' | 'should';

export type ExamName = 'receiver' | 'client';

export const OUTCOME_STATUSES = ['passed', 'failed', 'advice', 'not_judged'] as const;
export type OutcomeStatus = (typeof OUTCOME_STATUSES)[number];

export interface Outcome {
  readonly id: string;
  readonly severity: Severity;
  readonly status: OutcomeStatus;
  readonly rule: string | null;
  readonly section: string;
  readonly why: string | null;
  readonly andSo: string | null;
  readonly requests: readonly number[];
  readonly repeat: string | null;
}

export interface ExamReport {
  readonly exam: ExamName;
  readonly command: readonly string[] | null;
  readonly clean: Readonly<Record<string, unknown>> | null;
  readonly leftOut: readonly string[];
  readonly outcomes: readonly Outcome[];
  readonly isStrict: boolean;
}

export function isCertified({ outcomes, isStrict }: Pick<ExamReport, 'outcomes' | 'isStrict'>): boolean {
  const isObstacle = ({ severity, status }: Outcome): boolean =>
    status === 'failed' ||
    (status === 'advice' && isStrict) ||
    (status === 'not_judged' && severity === 'must');
  return outcomes.length > 0 && !outcomes.some(isObstacle);
}

export function outcomeCounts(outcomes: readonly Outcome[]): Readonly<Record<OutcomeStatus, number>> {
  const count = (status: OutcomeStatus): number => outcomes.filter((one) => one.status === status).length;
  const counts = OUTCOME_STATUSES.map((status) => [status, count(status)] as const);
  return Object.fromEntries(counts) as Record<OutcomeStatus, number>;
}

export function reportJson(report: ExamReport): string {
  const { exam, command, clean, leftOut, outcomes } = report;
  const cases = outcomes.map(({ andSo, ...outcome }) => {
    const { id, severity, status, rule, section, why, requests, repeat } = outcome;
    return { id, severity, status, rule, section, why, and_so: andSo, requests, repeat };
  });
  return JSON.stringify({ exam, passed: isCertified(report), command, clean, left_out: leftOut, cases });
}

const REPORT_WIDTH = 78;

export function findingHead(what: string, { status, severity, section }: Outcome): string {
  const label = status === 'failed' ? 'FAILED' : status.replace('_', ' ');
  const left = `${label.padEnd(6)}  ${what}`;
  const right = section === '' ? severity : `${severity}, section ${section}`;
  return `${left}${' '.repeat(Math.max(2, REPORT_WIDTH - left.length - right.length))}${right}`;
}

export function closingLine(report: Pick<ExamReport, 'outcomes' | 'isStrict'>, tookMs: number): string {
  const counts = Object.entries(outcomeCounts(report.outcomes)).map(
    ([status, count]) => `${String(count)} ${status.replace('_', ' ')}`,
  );
  const tookSeconds = tookMs < 10_000 ? (tookMs / 1000).toFixed(1) : String(Math.round(tookMs / 1000));
  return `${counts.join(', ')}, ${tookSeconds} s. ${isCertified(report) ? 'Passed.' : 'Not passed (19).'}`;
}
