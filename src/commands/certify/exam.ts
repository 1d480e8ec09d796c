/** The client's exam: clean runs, the cases that they give, a run for each, and what every run is judged to break. */
import { cleanOf, relearn } from '../../certify/baseline.js';
import type { Clean, ClientCase, NotJudged } from '../../certify/client-exam.js';
import type { JudgedCase } from '../../certify/client-report.js';
import { fingerprintOf } from '../../certify/fingerprint.js';
import { isDoubtful, isStrange, judgeRun } from '../../certify/judge.js';
import { casesOf } from '../../certify/points.js';
import type { SeenRun } from '../../certify/seen.js';
import { spoilingOf } from '../../certify/spoiling.js';
import { lastLines, runOnce, type ExamPlace, type RunPlan } from './run.js';

export interface ExamSettings {
  /** How many payments of each route a fault is put on, at most. */
  readonly points: number;
  readonly isRerun: boolean;
  /** How many runs at a time. */
  readonly jobs: number;
  /** For each run; one of a case may take ten times as long as the clean run where that is more. */
  readonly limitMs: number;
  /** Whether a case of that id is asked for. */
  readonly isWanted: (id: string) => boolean;
  /** Does one run of a case. */
  readonly runCase: (plan: RunPlan) => Promise<SeenRun>;
}

/** Told as it goes. */
export interface ExamProgress {
  /** One of the first two runs begins. */
  clean(number: number): void;
  /** That many cases are run, so many at a time. */
  cases(count: number, jobs: number): void;
  /** So many have been run. */
  ran(done: number, count: number, id: string): void;
  note(text: string): void;
}

/** With the run that it was judged by. */
export interface RanAndJudged extends JudgedCase {
  readonly run: SeenRun;
}

export interface ClientFindings {
  /** Null where nothing could be judged. */
  readonly clean: Clean | null;
  /** Why nothing could be judged; null where something could. */
  readonly notJudged: NotJudged | null;
  /** What the command printed at the end of the clean run that shows why; empty for none. */
  readonly lastLines: readonly string[];
  /** The ids of all cases that there are. */
  readonly ids: readonly string[];
  readonly cases: readonly RanAndJudged[];
}

/** Two clean runs are so far apart, in milliseconds, that a time with seconds in a body shows. */
const APART_MS = 1100;
/** A case takes at most so many times as long as a clean run, where that is more than the limit. */
const TIMES_THE_CLEAN = 10;

/** @throws as `startRun` */
export async function examine(
  place: ExamPlace,
  settings: ExamSettings,
  progress: ExamProgress,
): Promise<ClientFindings> {
  const found = await cleanRuns(place, settings, progress);
  if ('notJudged' in found.clean) {
    const { clean: notJudged, last } = found;
    const isAboutEnd = notJudged.notJudged === 'exit' || notJudged.notJudged === 'stopped';
    const said = isAboutEnd ? lastLines(last.output) : [];
    return { clean: null, notJudged, lastLines: said, ids: [], cases: [] };
  }
  let { clean } = found;
  const all = casesOf(clean, settings);
  const wanted = all.filter(({ id }) => settings.isWanted(id));
  const jobs = Math.min(settings.jobs, wanted.length);
  const runner = runnerOf(place, settings, clean);
  const together = jobs > 1 ? await runner.together(jobs, progress) : 1;
  progress.cases(wanted.length, together);
  let ran = await runner.all(wanted, clean, together, progress);
  const runs = ran.map(({ run }) => run);
  // A payment that no clean run makes: perhaps it changes by itself, which a clean run more shows.
  if (runs.some((run) => isStrange(run, clean))) {
    const third = await runOnce(place, cleanPlan(settings.limitMs));
    if (third.exitCode === 0) runs.push(third);
  }
  const learnt = relearn(clean, runs);
  if (learnt !== null) {
    progress.note(`Also different in each run: ${learnt.learnt.join(', ')}.`);
    const moved = ran.map((one) => ({
      ...one,
      theCase: movedTo(one.theCase, clean, learnt.clean, settings),
    }));
    clean = learnt.clean;
    ran = await again(moved, isMissed, (cases) => runner.all(cases, clean, together, progress));
  }
  const isAlone = together === 1;
  // What others that run beside it may have done to it; alone, what the command does that is not the same each time.
  const isOpen = (one: RanCase): boolean =>
    isAlone ? isUnsteady(one) : isDoubtful(one.run, one.theCase, judgeRun(one.run, clean));
  const open = ran.filter(isOpen).length;
  const before = ran;
  if (open > 0) {
    progress.note(`${String(open)} ${open === 1 ? 'case is' : 'cases are'} run once more, alone.`);
    ran = await again(ran, isOpen, (cases) => runner.all(cases, clean, 1, progress));
  }
  const cases = ran.map((one, at): RanAndJudged => {
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

/** @returns the later of the two runs beside what both say */
async function cleanRuns(
  place: ExamPlace,
  settings: ExamSettings,
  progress: ExamProgress,
): Promise<{ readonly clean: Clean | NotJudged; readonly last: SeenRun }> {
  const { clock } = place.ports;
  const plan = cleanPlan(settings.limitMs);
  progress.clean(1);
  const startedMs = clock.monotonic();
  const first = await runOnce(place, plan);
  const alone = cleanOf(first, first);
  if ('notJudged' in alone) return { clean: alone, last: first };
  await clock.sleep(Math.max(0, startedMs + APART_MS - clock.monotonic()), place.ports.signal);
  progress.clean(2);
  const second = await runOnce(place, plan);
  return { clean: cleanOf(first, second), last: second };
}

function cleanPlan(limitMs: number): RunPlan {
  return { caseId: null, fault: null, aim: () => null, isRerun: false, writesMax: Infinity, limitMs };
}

/** A case and the run of it. */
interface RanCase {
  readonly theCase: ClientCase;
  readonly run: SeenRun;
}

function runnerOf(place: ExamPlace, settings: ExamSettings, { tookMs, views }: Clean) {
  const limitMs = Math.max(settings.limitMs, TIMES_THE_CLEAN * tookMs);
  const [first] = views;
  return {
    /** Runs each, in the order in which they are given, so many at a time. */
    async all(
      cases: readonly ClientCase[],
      clean: Clean,
      jobs: number,
      progress: ExamProgress,
    ): Promise<RanCase[]> {
      const ran: RanCase[] = [];
      // What takes as long as the patience of the command is not begun last.
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
          ran[at] = { theCase, run };
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
      await allOrFirst(workers);
      return ran;
    },
    /** How many can run at a time: all of them, or one where clean runs disturb each other. */
    async together(jobs: number, progress: ExamProgress): Promise<number> {
      const runs = await allOrFirst(Array.from({ length: jobs }, () => runOnce(place, cleanPlan(limitMs))));
      const isAlike = (run: SeenRun): boolean =>
        first !== undefined && !('notJudged' in cleanOf(first.run, run));
      if (runs.every(isAlike)) return jobs;
      progress.note(`${String(jobs)} clean runs at a time disturb each other: cases are run one by one.`);
      return 1;
    },
  };
}

/** All of them have ended when it does. @throws what the first that failed threw */
async function allOrFirst<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Whether its fault has met nothing. */
function isMissed({ theCase, run }: RanCase): boolean {
  return theCase.at !== null && run.hits === 0;
}

/** What a command does that is not the same each time. */
function isUnsteady(one: RanCase): boolean {
  return isMissed(one) || (one.theCase.at === null && one.run.exitCode !== 0);
}

/** Runs those again that are so. */
async function again(
  ran: readonly RanCase[],
  isSo: (one: RanCase) => boolean,
  run: (cases: readonly ClientCase[]) => Promise<RanCase[]>,
): Promise<RanCase[]> {
  const fresh = await run(ran.filter(isSo).map(({ theCase }) => theCase));
  return ran.map((one) => (isSo(one) ? (fresh.shift() ?? one) : one));
}

/** The same case where fingerprints were made again. */
function movedTo(theCase: ClientCase, before: Clean, after: Clean, settings: ExamSettings): ClientCase {
  const body = before.payments.get(theCase.at?.fingerprint ?? '');
  if (body === undefined) return theCase;
  const fingerprint = fingerprintOf(body.route, body.body, after.changing);
  const same = casesOf(after, { ...settings, points: Infinity }).find(
    ({ fault, at }) =>
      fault === theCase.fault && at?.route === theCase.at?.route && at?.fingerprint === fingerprint,
  );
  return same ?? theCase;
}
