import { counted } from '../../contract/on-screen.js';
import { type Baseline, compareCleanRuns, type NotJudgedReason } from '../client/baseline.js';
import type { JudgedCase } from '../report/client-report.js';
import { hasStrangePayment, judgeRun } from '../client/judge.js';
import { casesOf, type ClientCase } from '../client/points.js';
import type { SeenRun } from '../client/request-seen.js';
import { spoilingOf } from '../client/fault.js';
import { inTurns } from '../client/turns.js';
import { lastLines, runOnce, type ExamPlace } from './run-once.js';
import type { caseProgress } from '../report/print.js';
import type { RunPlan } from './interpose.js';

export interface ExamSettings {
  readonly points: number;
  readonly mayRerun: boolean;
  readonly jobs: number;
  readonly limitMs: number;
  readonly isWanted: (id: string) => boolean;
  readonly runCase: (plan: RunPlan) => Promise<SeenRun>;
}

type ExamProgress = Pick<ReturnType<typeof caseProgress>, 'count' | 'note'>;

export interface ClientFindings {
  readonly baseline: Baseline | null;
  readonly notJudged: NotJudgedReason | null;
  readonly lastLines: readonly string[];
  readonly ids: readonly string[];
  readonly cases: readonly (JudgedCase & { readonly run: SeenRun })[];
}

/** Clean run 2 begins more than a second after clean run 1, so that a time in a body differs. */
const RUNS_APART_MS = 1100;
const CLEAN_TIME_FACTOR = 10;

export async function examine(place: ExamPlace, settings: ExamSettings, progress: ExamProgress) {
  const { clock, signal } = place.ports;
  const cleanPlan = { caseId: null, fault: null, aim: () => null, isRerun: false, writesMax: Infinity };
  const runClean = (): Promise<SeenRun> => runOnce(place, { ...cleanPlan, limitMs: settings.limitMs });
  progress.note('Clean run 1 of 2.');
  const startedMs = clock.monotonic();
  const cleanRuns: [SeenRun, ...SeenRun[]] = [await runClean()];
  if (!('notJudged' in compareCleanRuns(...cleanRuns))) {
    await clock.sleep(Math.max(0, startedMs + RUNS_APART_MS - clock.monotonic()), signal);
    progress.note('Clean run 2 of 2.');
    cleanRuns.push(await runClean());
  }
  const baseline = compareCleanRuns(...cleanRuns);
  if ('notJudged' in baseline) {
    const isAboutEnd = baseline.notJudged === 'exit' || baseline.notJudged === 'stopped';
    const lines = isAboutEnd ? lastLines(cleanRuns.at(-1)?.output ?? '') : [];
    return { baseline: null, notJudged: baseline, lastLines: lines, ids: [], cases: [] };
  }
  const caseRuns = await runWanted(baseline, settings, progress);
  // A date in a reference may have changed since the clean runs, so one more clean run is compared.
  if (caseRuns.some(({ run }) => hasStrangePayment(run, baseline))) {
    const widerBaseline = compareCleanRuns(...cleanRuns, await runClean());
    if (!('notJudged' in widerBaseline)) {
      const knownPaths = changingPathsOf(baseline);
      const newPaths = changingPathsOf(widerBaseline).filter((path) => !knownPaths.includes(path));
      if (newPaths.length > 0) {
        progress.note(`Also different in each run: ${newPaths.join(', ')}.`);
        const widerRuns = await runWanted(widerBaseline, settings, progress);
        return judgeAll(widerBaseline, widerRuns, settings, progress);
      }
    }
  }
  return judgeAll(baseline, caseRuns, settings, progress);
}

function changingPathsOf({ changing }: Baseline): string[] {
  return [...changing].flatMap(([route, paths]) => [...paths].map((path) => `${route} ${path}`));
}

interface CaseRun {
  readonly theCase: ClientCase;
  readonly run: SeenRun;
}

async function runWanted(baseline: Baseline, settings: ExamSettings, progress: ExamProgress) {
  const wanted = casesOf(baseline, settings).filter(({ id }) => settings.isWanted(id));
  progress.note(casesWords(wanted.length, Math.max(1, Math.min(settings.jobs, wanted.length))));
  return runCases(wanted, baseline, settings, progress);
}

export function casesWords(count: number, jobs: number): string {
  return jobs === 1 ? `${counted(count, 'case')}.` : `${counted(count, 'case')}, ${String(jobs)} at a time.`;
}

async function runCases(
  cases: readonly ClientCase[],
  baseline: Baseline,
  settings: ExamSettings,
  progress: ExamProgress,
): Promise<CaseRun[]> {
  const caseRuns: CaseRun[] = [];
  const limitMs = Math.max(settings.limitMs, CLEAN_TIME_FACTOR * baseline.tookMs);
  const priorityOf = ([, { fault }]: readonly [number, ClientCase]): number => Number(fault === 'silent');
  const queue = [...cases.entries()].sort((one, other) => priorityOf(other) - priorityOf(one));
  await inTurns(queue, settings.jobs, async ([at, theCase]) => {
    const { id: caseId, fault, isRerun } = theCase;
    const aim: RunPlan['aim'] = (before, request) => spoilingOf(theCase, baseline, before, request);
    const plan = { caseId, fault, aim, isRerun, writesMax: baseline.writesMax, limitMs };
    caseRuns[at] = { theCase, run: await settings.runCase(plan) };
    progress.count(caseId, cases.length);
  });
  return caseRuns;
}

async function judgeAll(baseline: Baseline, runs: CaseRun[], settings: ExamSettings, progress: ExamProgress) {
  const isAlone = settings.jobs === 1 || runs.length === 1;
  const needsSecondRun = (one: CaseRun): boolean =>
    isUnstable(one) || (!isAlone && judgeRun(one.run, baseline).length > 0);
  const repeatedCases = runs.filter(needsSecondRun).map(({ theCase }) => theCase);
  if (repeatedCases.length > 0)
    progress.note(
      `${String(repeatedCases.length)} ${repeatedCases.length === 1 ? 'case is' : 'cases are'} run once more, alone.`,
    );
  const secondRuns = await runCases(repeatedCases, baseline, { ...settings, jobs: 1 }, progress);
  const cases = runs.map((first): ClientFindings['cases'][number] => {
    const last = secondRuns.find(({ theCase }) => theCase === first.theCase) ?? first;
    if (isAlone && isUnstable(first) && !isUnstable(last)) {
      const unstableText = 'The command is unstable: two runs of this case sent different requests.';
      return { ...last, broken: [], notJudged: unstableText };
    }
    const broken = judgeRun(last.run, baseline);
    return { ...last, broken, notJudged: broken.length === 0 ? whyNotJudged(last) : null };
  });
  const ids = casesOf(baseline, settings).map(({ id }) => id);
  return { baseline, notJudged: null, lastLines: [], ids, cases };
}

function whyNotJudged(one: CaseRun): string | null {
  if (one.run.stoppedFor === 'gave_up')
    return `The command waited longer than --limit for an answer, and gave up after ${String(Math.ceil(one.run.tookMs / 1000))} s. Raise --limit above that.`;
  if (!isMissed(one)) return null;
  return 'In two runs the command did not send the request of this case. Does it send the same in each run?';
}

function isMissed({ theCase, run }: CaseRun): boolean {
  return theCase.at !== null && run.hits === 0;
}

function isUnstable(one: CaseRun): boolean {
  return isMissed(one) || (one.theCase.at === null && one.run.exitCode !== 0);
}
