/** What an exam found: an outcome for each case, what they come to, and the report as JSON and as lines. Pure. */

/** A case that is broken where its severity is `should` is advice. */
export type Severity = 'must' | 'should';

export type ExamName = 'receiver' | 'client';

export const OUTCOME_STATUSES = ['passed', 'failed', 'advice', 'not_judged'] as const;
export type OutcomeStatus = (typeof OUTCOME_STATUSES)[number];

export interface Outcome {
  readonly id: string;
  /** Of what was broken; of the case itself where nothing was. */
  readonly severity: Severity;
  readonly status: OutcomeStatus;
  /** The rule that was broken; null where the case has none, or none was broken. */
  readonly rule: string | null;
  /** The section of the contract, `6 (3)`; empty where it is in none. */
  readonly section: string;
  /** One sentence; null where it passed. */
  readonly why: string | null;
  /** Of a receiver the id of the case that explains it, of a client the rules that it explains; null where there is none. */
  readonly andSo: string | null;
  /** The numbers of the requests that show it. */
  readonly requests: readonly number[];
  /** The line to type that runs this case alone; null where there is none. */
  readonly repeat: string | null;
}

export interface ExamReport {
  readonly exam: ExamName;
  /** What was examined, as its words; null where it is no command. */
  readonly command: readonly string[] | null;
  /** What the clean runs showed; null where the exam has none. */
  readonly clean: Readonly<Record<string, unknown>> | null;
  /** The ids of the cases that were left out on request. */
  readonly leftOut: readonly string[];
  readonly outcomes: readonly Outcome[];
  /** With `--strict`: advice counts too. */
  readonly isStrict: boolean;
}

/** Whether every must passed. Where there is no case at all, nothing did. */
export function isCertified({ outcomes, isStrict }: Pick<ExamReport, 'outcomes' | 'isStrict'>): boolean {
  const isBroken = ({ severity, status }: Outcome): boolean =>
    status === 'failed' ||
    (status === 'advice' && isStrict) ||
    (status === 'not_judged' && severity === 'must');
  return outcomes.length > 0 && !outcomes.some(isBroken);
}

export function outcomeCounts(outcomes: readonly Outcome[]): Readonly<Record<OutcomeStatus, number>> {
  const count = (status: OutcomeStatus): number => outcomes.filter((one) => one.status === status).length;
  return {
    ...{ passed: count('passed'), failed: count('failed') },
    ...{ advice: count('advice'), not_judged: count('not_judged') },
  };
}

/** The report as JSON: one object, without a line end. */
export function reportJson(report: ExamReport): string {
  const { exam, command, clean, leftOut, outcomes } = report;
  const cases = outcomes.map(({ andSo, ...outcome }) => {
    const { id, severity, status, rule, section, why, requests, repeat } = outcome;
    return { id, severity, status, rule, section, why, and_so: andSo, requests, repeat };
  });
  return JSON.stringify({ exam, passed: isCertified(report), command, clean, left_out: leftOut, cases });
}

const LABELS: Readonly<Record<OutcomeStatus, string>> = {
  passed: 'passed',
  failed: 'FAILED',
  advice: 'advice',
  not_judged: 'not judged',
};

/** How wide a report is: where severity and section end. */
const WIDTH = 78;

/** The line that a finding begins with: what it is on the left, how much it weighs on the right. */
export function findingHead(what: string, { status, severity, section }: Outcome): string {
  const left = `${LABELS[status].padEnd(6)}  ${what}`;
  const right = section === '' ? severity : `${severity}, section ${section}`;
  return `${left}${' '.repeat(Math.max(2, WIDTH - left.length - right.length))}${right}`;
}

/** What all of it comes to. @param tookMs how long the exam ran */
export function closingLine(report: Pick<ExamReport, 'outcomes' | 'isStrict'>, tookMs: number): string {
  const { passed, failed, advice, not_judged: notJudged } = outcomeCounts(report.outcomes);
  const counts = [
    ...[`${String(passed)} passed`, `${String(failed)} failed`],
    ...[`${String(advice)} advice`, `${String(notJudged)} not judged`],
  ];
  const took = tookMs < 10_000 ? (tookMs / 1000).toFixed(1) : String(Math.round(tookMs / 1000));
  return `${counts.join(', ')}, ${took} s. ${isCertified(report) ? 'Passed.' : 'Not passed (19).'}`;
}
