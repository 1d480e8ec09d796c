/** The client's exam: two clean runs, a run for each case, and the rules that each run breaks. */
import { compareCleanRuns, relearn } from '../../certify/baseline.js';
import type { Clean, ClientCase, NotJudgedReason } from '../../certify/client-exam.js';
import type { JudgedCase } from '../../certify/client-report.js';
import { fingerprintOf } from '../../certify/fingerprint.js';
import { isDoubtful, hasStrangePayment, judgeRun } from '../../certify/judge.js';
import { casesOf } from '../../certify/points.js';
import type { SeenRun } from '../../certify/seen.js';
import { spoilingOf } from '../../certify/spoiling.js';
import { lastLines, runOnce, type ExamPlace, type RunPlan } from './run.js';

export interface ExamSettings {
  /** The most payments of each route that a fault hits, each in its own case. */
  readonly points: number;
  readonly isRerun: boolean;
  /** How many cases run at the same time. */
  readonly jobs: number;
  /** The time limit of a run. The run of a case may take ten times as long as a clean run if that is longer. */
  readonly limitMs: number;
  readonly isWanted: (id: string) => boolean;
  readonly runCase: (plan: RunPlan) => Promise<SeenRun>;
}

/** The exam calls these methods as it goes on. */
export interface ExamProgress {
  /** Called when clean run 1 or 2 begins. */
  clean(number: number): void;
  /** Called when the cases begin; `jobs` of them run at the same time. */
  cases(count: number, jobs: number): void;
  /** Called when a case has ended. */
  ran(done: number, count: number, id: string): void;
  note(text: string): void;
}

export interface ClientFindings {
  /** Null if the clean runs could not be judged; then `notJudged` says why. */
  readonly clean: Clean | null;
  readonly notJudged: NotJudgedReason | null;
  /** The last lines of a clean run that failed. */
  readonly lastLines: readonly string[];
  /** The ids of all cases of the command, also of those that were not wanted. */
  readonly ids: readonly string[];
  /** The judged cases, each with its last run. */
  readonly cases: readonly (JudgedCase & { readonly run: SeenRun })[];
}

/** The second clean run begins more than a second after the first, so that a time in a body differs. */
const RUNS_APART_MS = 1100;
/** The run of a case may take ten times as long as a clean run, if that is more than the limit. */
const CLEAN_TIME_FACTOR = 10;

/** @throws as `startRun` */
export async function examine(
  place: ExamPlace,
  settings: ExamSettings,
  progress: ExamProgress,
): Promise<ClientFindings> {
  const outcome = await cleanRuns(place, settings, progress);
  if ('notJudged' in outcome.clean) {
    const { clean: notJudged, last } = outcome;
    const isAboutEnd = notJudged.notJudged === 'exit' || notJudged.notJudged === 'stopped';
    const lines = isAboutEnd ? lastLines(last.output) : [];
    return { clean: null, notJudged, lastLines: lines, ids: [], cases: [] };
  }
  let { clean } = outcome;
  const all = casesOf(clean, settings);
  const wanted = all.filter(({ id }) => settings.isWanted(id));
  const jobs = Math.min(settings.jobs, wanted.length);
  const runner = runnerOf(place, settings, clean);
  const parallel = jobs > 1 ? await runner.together(jobs, progress) : 1;
  progress.cases(wanted.length, parallel);
  let caseRuns = await runner.all(wanted, clean, parallel, progress);
  const runs = caseRuns.map(({ run }) => run);
  // Some run made a payment that no clean run makes. One more clean run shows whether a member changes in every run.
  if (runs.some((run) => hasStrangePayment(run, clean))) {
    const third = await runOnce(place, cleanPlan(settings.limitMs));
    if (third.exitCode === 0) runs.push(third);
  }
  const learnt = relearn(clean, runs);
  if (learnt !== null) {
    progress.note(`Also different in each run: ${learnt.learnt.join(', ')}.`);
    const renamed = caseRuns.map(({ theCase, run }) => {
      return { theCase: relearntCase(theCase, clean, learnt.clean, settings), run };
    });
    clean = learnt.clean;
    caseRuns = await runAgain(renamed, isMissed, (cases) => runner.all(cases, clean, parallel, progress));
  }
  const isAlone = parallel === 1;
  // True if a case must run once more: other runs at the same time may have disturbed it, or the command is unsteady.
  const needsRerun = (one: CaseRun): boolean =>
    isAlone ? isUnsteady(one) : isDoubtful(one.run, one.theCase, judgeRun(one.run, clean));
  const reruns = caseRuns.filter(needsRerun).length;
  const before = caseRuns;
  if (reruns > 0) {
    progress.note(`${String(reruns)} ${reruns === 1 ? 'case is' : 'cases are'} run once more, alone.`);
    caseRuns = await runAgain(caseRuns, needsRerun, (cases) => runner.all(cases, clean, 1, progress));
  }
  const cases = caseRuns.map((one, at): ClientFindings['cases'][number] => {
    const broken = judgeRun(one.run, clean);
    const first = isAlone ? (before[at] ?? one) : one;
    if (isUnsteady(first) && !isUnsteady(one))
      return {
        ...{ ...one, broken: [] },
        notJudged: 'The command is unstable: two runs of this case sent different requests.',
      };
    const missed =
      'In two runs the command did not send the request of this case. Does it send the same in each run?';
    return { ...one, broken, notJudged: isMissed(one) && broken.length === 0 ? missed : null };
  });
  return { clean, notJudged: null, lastLines: [], ids: all.map(({ id }) => id), cases };
}

/** Does two clean runs, or only one if it can't be judged. @returns what they have in common, and the last of them */
async function cleanRuns(
  place: ExamPlace,
  settings: ExamSettings,
  progress: ExamProgress,
): Promise<{ readonly clean: Clean | NotJudgedReason; readonly last: SeenRun }> {
  const { clock } = place.ports;
  const plan = cleanPlan(settings.limitMs);
  progress.clean(1);
  const startedMs = clock.monotonic();
  const first = await runOnce(place, plan);
  const oneCleanRun = compareCleanRuns(first, first);
  if ('notJudged' in oneCleanRun) return { clean: oneCleanRun, last: first };
  await clock.sleep(Math.max(0, startedMs + RUNS_APART_MS - clock.monotonic()), place.ports.signal);
  progress.clean(2);
  const second = await runOnce(place, plan);
  return { clean: compareCleanRuns(first, second), last: second };
}

function cleanPlan(limitMs: number): RunPlan {
  return { caseId: null, fault: null, aim: () => null, isRerun: false, writesMax: Infinity, limitMs };
}

interface CaseRun {
  readonly theCase: ClientCase;
  readonly run: SeenRun;
}

function runnerOf(place: ExamPlace, settings: ExamSettings, { tookMs, views }: Clean) {
  const limitMs = Math.max(settings.limitMs, CLEAN_TIME_FACTOR * tookMs);
  const [first] = views;
  return {
    /** Runs the cases, `jobs` at a time. @returns the runs in the order of the cases */
    async all(
      cases: readonly ClientCase[],
      clean: Clean,
      jobs: number,
      progress: ExamProgress,
    ): Promise<CaseRun[]> {
      const caseRuns: CaseRun[] = [];
      // A silent case takes as long as the command waits for an answer, so it begins first.
      const isLong = ([, { fault }]: readonly [number, ClientCase]): number => Number(fault === 'silent');
      const queue = [...cases.entries()].sort((one, other) => isLong(other) - isLong(one));
      let done = 0;
      const work = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          const [at, theCase] = next;
          const { id: caseId, fault, isRerun } = theCase;
          const { writesMax } = clean;
          const aim: RunPlan['aim'] = (before, seen) => spoilingOf(theCase, clean, before, seen);
          const run = await settings.runCase({ caseId, fault, aim, isRerun, writesMax, limitMs });
          caseRuns[at] = { theCase, run };
          done += 1;
          progress.ran(done, cases.length, caseId);
        }
      };
      const workers = Array.from({ length: jobs }, () =>
        work().catch((error: unknown) => {
          queue.length = 0;
          throw error;
        }),
      );
      await settleAll(workers);
      return caseRuns;
    },
    /** Does `jobs` clean runs at the same time. @returns `jobs`, or 1 if the runs disturb each other */
    async together(jobs: number, progress: ExamProgress): Promise<number> {
      const runs = await settleAll(Array.from({ length: jobs }, () => runOnce(place, cleanPlan(limitMs))));
      const isAlike = (run: SeenRun): boolean =>
        first !== undefined && !('notJudged' in compareCleanRuns(first.run, run));
      if (runs.every(isAlike)) return jobs;
      progress.note(`${String(jobs)} clean runs at a time disturb each other: cases are run one by one.`);
      return 1;
    },
  };
}

/** Like `Promise.all`, but waits until every promise has settled, also if one fails. */
async function settleAll<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** True if the fault of the case hit no request. */
function isMissed({ theCase, run }: CaseRun): boolean {
  return theCase.at !== null && run.hits === 0;
}

/** True if the run suggests that the command does not do the same in each run. */
function isUnsteady(one: CaseRun): boolean {
  return isMissed(one) || (one.theCase.at === null && one.run.exitCode !== 0);
}

/** Repeats the runs for which `fits` is true. */
async function runAgain(
  caseRuns: readonly CaseRun[],
  fits: (one: CaseRun) => boolean,
  run: (cases: readonly ClientCase[]) => Promise<CaseRun[]>,
): Promise<CaseRun[]> {
  const newRuns = await run(caseRuns.filter(fits).map(({ theCase }) => theCase));
  return caseRuns.map((one) => (fits(one) ? (newRuns.shift() ?? one) : one));
}

/** Finds the case again after `relearn` gave the payments new fingerprints. */
function relearntCase(theCase: ClientCase, before: Clean, after: Clean, settings: ExamSettings): ClientCase {
  const body = before.payments.get(theCase.at?.fingerprint ?? '');
  if (body === undefined) return theCase;
  const fingerprint = fingerprintOf(body.route, body.body, after.changing);
  const same = casesOf(after, { ...settings, points: Infinity }).find(
    ({ fault, at }) =>
      fault === theCase.fault && at?.route === theCase.at?.route && at?.fingerprint === fingerprint,
  );
  return same ?? theCase;
}
