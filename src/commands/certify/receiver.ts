/** `svc certify receiver`: delivers what is right and what is not to a receiver on this machine, and judges what it does. */
import { RECEIVER_CASES } from '../../certify/cases/receiver.js';
import { type ReceiverFinding, examineReceiver } from '../../certify/receiver.js';
import { type ExamReport, type Outcome, isCertified } from '../../certify/report.js';
import { requireKnownCases, selectionOfCases } from '../../certify/selection.js';
import type { Run } from '../../cli/command.js';
import { durationMs } from '../../cli/line/moment.js';
import { openReceiver } from '../../cli/webhook/receiver.js';
import { type SecretFlags, signingSecret } from '../../cli/webhook/secrets.js';
import { Failure } from '../../runtime/failure.js';
import { asEnd } from '../../runtime/ports.js';
import { flagWords, svcLine } from '../../runtime/shell.js';
import { receiverSide } from './delivering.js';
import { caseProgress } from './progress.js';
import { type ExamFlags, examShowing } from './showing.js';

type ReceiverFlags = SecretFlags &
  ExamFlags & {
    readonly to: string;
    readonly effect?: string | undefined;
    readonly given?: string | undefined;
    readonly settle: string;
    readonly 'allow-remote': boolean;
  };

const IDS = RECEIVER_CASES.map(({ id }) => id);
/** More would start more programs at a time than help. */
const JOBS_MAX = 8;
/** As many deliveries as ever are under way at once. */
const CONNECTIONS = 20;

/**
 * @throws Failure `usage`, `unsafe` or `network` before anything was judged; `not_certified` after the report was shown; `local_state` or
 * `unsafe` where the file of --junit can't be written; Stopped
 */
export async function certifyReceiver({ ports, flags }: Run<ReceiverFlags>): Promise<void> {
  const { only = [], skip = [] } = flags;
  requireKnownCases('receiver', IDS, { only, skip });
  const settleMs = durationMs(flags.settle, '--settle');
  const jobs = Math.min(readJobs(flags.jobs), JOBS_MAX);
  for (const name of ['effect', 'given'] as const) requireLine(name, flags[name]);
  const showing = await examShowing(ports, flags);
  const secret = await signingSecret(ports, flags);
  const connecting = { connections: CONNECTIONS, keepsConnections: false };
  const receiver = await openReceiver(ports, flags.to, flags['allow-remote'], connecting);
  const { isWanted, leftOut } = selectionOfCases(only, skip);
  const progress = caseProgress(ports, flags, IDS.filter((id) => isWanted(id)).length);
  const beganMs = ports.clock.monotonic();
  try {
    const side = { ...receiverSide(ports, receiver, secret, flags), onCase: progress.begin };
    const { findings, effectMs } = await examineReceiver(side, { isWanted, settleMs, jobs }).finally(
      progress.end,
    );
    const shown = new Set(findings.map(({ id }): string => id));
    const report: ExamReport = {
      ...{ exam: 'receiver', command: null, clean: null, isStrict: flags.strict },
      leftOut: leftOut(IDS).filter((id) => !shown.has(id)),
      outcomes: findings.map((finding) => outcomeOf(finding, flags)),
    };
    const effect = effectMs === null ? '' : ` An effect takes ${String(Math.round(effectMs))} ms.`;
    const tookMs = ports.clock.monotonic() - beganMs;
    await showing.show(report, `Receiver ${receiver.url}.${effect}`, tookMs);
    if (!isCertified(report)) throw notCertified(report, flags, showing.isRead);
  } catch (error) {
    throw asEnd(error, 'The receiver was not judged; some deliveries were sent to it.');
  } finally {
    await receiver.close();
  }
}

function outcomeOf({ id, status, why, andSo }: ReceiverFinding, flags: ReceiverFlags): Outcome {
  const { severity, section } = RECEIVER_CASES.find((one) => one.id === id) ?? RECEIVER_CASES[0];
  const isAdvice = status === 'failed' && severity === 'should';
  const repeat = status === 'passed' ? null : repeatLine(id, flags);
  return {
    ...{ id, severity, status: isAdvice ? 'advice' : status, rule: null, section },
    ...{ why, andSo, requests: [], repeat },
  };
}

/** The same exam with that case alone. */
function repeatLine(id: string, flags: ReceiverFlags): string {
  const { to, effect, given, settle, 'secret-file': secretFile } = flags;
  const optional = (flag: string, value: string | undefined): string[] =>
    value === undefined ? [] : flagWords(flag, value);
  return svcLine('certify receiver', [
    ...flagWords('--to', to),
    ...optional('--effect', effect),
    ...optional('--given', given),
    ...(settle === DEFAULT_SETTLE ? [] : flagWords('--settle', settle)),
    ...optional('--secret-file', secretFile),
    ...(flags['allow-remote'] ? ['--allow-remote'] : []),
    ...flagWords('--only', id),
  ]);
}

const DEFAULT_SETTLE = '3s';

/** A person has read the table; a script reads the error alone. */
function notCertified({ outcomes }: ExamReport, { effect }: ReceiverFlags, isRead: boolean): Failure {
  const own = outcomes.filter(({ status, andSo }) => status !== 'passed' && andSo === null);
  const isBlind = effect === undefined && own.some(({ status }) => status === 'not_judged');
  const [first] = own;
  return new Failure('not_certified', 'The receiver did not pass.', {
    concernsMoney: false,
    outcome: 'sent',
    items: isRead ? [] : own.map(({ id, why }) => `${id}: ${why ?? ''}`),
    advice: isBlind
      ? [
          'To have effects judged, give a command that prints the state of one operation: --effect COMMAND. To pass without: --skip twice --skip ping',
        ]
      : [],
    nextCommand: isRead ? undefined : (first?.repeat ?? undefined),
  });
}

function readJobs(text: string): number {
  if (/^[1-9][0-9]{0,1}$/.test(text)) return Number(text);
  throw new Failure('usage', '--jobs must be a whole number from 1 to 99. Nothing was sent.');
}

function requireLine(name: string, line: string | undefined): void {
  if (line?.trim() === '') throw new Failure('usage', `--${name} must be a command. Nothing was sent.`);
}
