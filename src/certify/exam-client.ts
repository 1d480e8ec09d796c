import { counted } from '../contract/on-screen.js';
import { CLIENT_FAULTS } from './client/faults.js';
import { clientOutcome } from './report/client-report.js';
import { type ExamReport, isCertified, type Outcome } from './report/report.js';
import { requireKnownCases, selectionOfCases } from './client/selection.js';
import { durationMs } from '../runtime/typed-time.js';
import { renderNote } from '../output/error-prose.js';
import { readAsset } from '../runtime/asset.js';
import { openBrowser } from '../runtime/child.js';
import { Failure } from '../runtime/failure.js';
import { withEndText, untilStopped } from '../runtime/ports.js';
import { commandLine, flagWords } from '../runtime/shell.js';
import { makeTemporaryFolder } from '../runtime/temporary-folder.js';
import { casesWords, type ClientFindings, examine, type ExamSettings } from './run/examine.js';
import { clientLines } from './report/client-text.js';
import { caseProgress, type ExamFlags, examShowing, notCertified } from './report/print.js';
import { type ExamPlace, runOnce, startRun } from './run/run-once.js';
import type { Run } from '../command/command.js';
import type { Texts } from '../command/line/flags.js';
import type { SeenRun } from './client/request-seen.js';
import type { RunPlan } from './run/interpose.js';

type ClientFlags = ExamFlags &
  Texts<'before'> &
  Readonly<Record<'points' | 'limit', string> & Record<'rerun' | 'keep', boolean>>;

const JOBS_MAX = 64;
const POINTS_MAX = 1000;

export async function certifyClient({ ports, flags }: Run<ClientFlags>, words: readonly string[]) {
  const { only = [], skip = [], before } = flags;
  const faults = CLIENT_FAULTS.map(({ id }) => id);
  requireKnownCases('client', faults, { only, skip });
  if (flags.keep && only.length !== 1) throw usage('--keep needs one --only, which names one case.');
  if (before?.trim() === '') throw usage('--before must be a command.');
  const settings: Omit<ExamSettings, 'runCase'> = {
    ...{ isWanted: selectionOfCases(only, skip).isWanted, mayRerun: flags.rerun },
    points: wholeNumber('points', flags.points, POINTS_MAX),
    jobs: wholeNumber('jobs', flags.jobs, JOBS_MAX),
    limitMs: durationMs(flags.limit, '--limit', NOTHING_RUN),
  };
  const showing = await examShowing(ports, flags);
  const folder = makeTemporaryFolder('svc-certify-', ports.random);
  const place: ExamPlace = {
    ...{ ports, command: words, before: before ?? null, folder, salt: ports.random.hex(16) },
  };
  const keeper = sandboxKeeper(place);
  try {
    const beganMs = ports.clock.monotonic();
    const progress = caseProgress(ports, flags);
    const runCase: ExamSettings['runCase'] = flags.keep ? keeper.run : (plan) => runOnce(place, plan);
    const findings = await examine(place, { ...settings, runCase }, progress).finally(progress.end);
    requireWantedCase(findings, flags);
    const { report, head } = reportOf(findings, flags, words);
    const tookMs = ports.clock.monotonic() - beganMs;
    await showing.show(report, head, tookMs, clientLines(report, findings));
    await keeper.untilStopped(flags.quiet);
    if (isCertified(report)) return;
    const notPassed = report.outcomes.filter(({ status }) => status !== 'passed');
    throw notCertified('The command did not pass.', notPassed, showing);
  } finally {
    await keeper.close();
    folder.remove();
  }
}

function usage(text: string): Failure {
  return new Failure('usage', `${text} ${NOTHING_RUN}`, { concernsMoney: false });
}

const NOTHING_RUN = 'Nothing was run.';

function wholeNumber(flag: string, text: string, most: number): number {
  if (/^[1-9][0-9]{0,3}$/.test(text) && Number(text) <= most) return Number(text);
  throw usage(`--${flag} must be a whole number from 1 to ${String(most)}.`);
}

function requireWantedCase({ notJudged, cases, ids }: ClientFindings, { only = [], keep }: ClientFlags) {
  if (notJudged !== null) return;
  const [wanted = ''] = only;
  const noCaseText = `--only: this command has no case that begins with ${JSON.stringify(wanted)}.`;
  if (!ids.some(selectionOfCases(only, []).isWanted))
    throw new Failure('usage', noCaseText, { concernsMoney: false, items: [`It has ${ids.join(', ')}`] });
  if (!keep || cases.length <= 1) return;
  throw new Failure('usage', `--keep needs one case, and several begin with ${JSON.stringify(wanted)}.`, {
    concernsMoney: false,
    items: cases.map(({ theCase }) => theCase.id),
  });
}

function reportOf(
  { baseline, notJudged, lastLines, cases, ids }: ClientFindings,
  { only = [], skip = [], before, rerun, points, limit, strict: isStrict }: ClientFlags,
  words: readonly string[],
): { readonly report: ExamReport; readonly head: string } {
  const repeat = (id: string): string =>
    commandLine([
      ...['svc', 'certify', 'client', ...flagWords('--only', id), '--keep'],
      ...(before === undefined ? [] : flagWords('--before', before)),
      ...(rerun ? ['--rerun'] : []),
      ...(points === '2' ? [] : flagWords('--points', points)),
      ...(limit === '60s' ? [] : flagWords('--limit', limit)),
      ...['--', ...words],
    ]);
  const { requests = 0, tookMs = 0, views: [first] = [] } = baseline ?? {};
  const operations = first?.run.operations.length ?? 0;
  const seconds = (tookMs / 1000).toFixed(1);
  const output = lastLines.length === 0 ? '' : ` It printed at its end: ${lastLines.join(' / ')}`;
  const why = notJudged === null ? 'You left out every case that this command has.' : notJudged.why + output;
  const isJudged = notJudged === null && cases.length > 0;
  return {
    head:
      baseline === null
        ? 'Nothing was judged.'
        : `2 clean runs: ${counted(requests, 'request')}, ${counted(operations, 'operation')}, ${seconds} s each. ${casesWords(cases.length, 1)}`,
    report: {
      ...{ exam: 'client', command: words, isStrict, leftOut: selectionOfCases(only, skip).leftOutOf(ids) },
      clean: first === undefined ? null : { requests, operations, took_ms: Math.round(tookMs) },
      outcomes: isJudged ? cases.map((one) => clientOutcome(one, repeat)) : [{ ...CLEAN_RUNS_OUTCOME, why }],
    },
  };
}

const CLEAN_RUNS_OUTCOME: Outcome = {
  ...{ id: 'clean', severity: 'must', status: 'not_judged', rule: null, section: '', why: null },
  ...{ andSo: null, requests: [], repeat: null },
};

function sandboxKeeper(place: ExamPlace) {
  const { ports } = place;
  let lastRun: Awaited<ReturnType<typeof startRun>> | null = null;
  const close = async (): Promise<void> => {
    const run = lastRun;
    lastRun = null;
    await run?.close();
  };
  return {
    close,
    run: async (plan: RunPlan): Promise<SeenRun> => {
      await close();
      lastRun = await startRun(place, plan, readAsset);
      return lastRun.seen;
    },
    untilStopped: async (isQuiet: boolean): Promise<void> => {
      if (lastRun === null) return;
      const text = `The sandbox of this case is at ${lastRun.url} until you press Ctrl-C.`;
      if (!isQuiet) await ports.errors.write(renderNote(text, ports.errors));
      openBrowser(lastRun.url, ports.env);
      const never = new Promise<never>(() => undefined);
      await untilStopped(never, ports.signal).catch((error: unknown) => {
        throw withEndText(error, 'The sandbox has stopped.');
      });
    },
  };
}
