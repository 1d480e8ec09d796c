import { RECEIVER_CASES } from './receiver/cases.js';
import { ReceiverExam, CommandFailed } from './receiver/receiver-exam.js';
import { type ExamReport, type Outcome, isCertified } from './report/report.js';
import { requireKnownCases, selectionOfCases } from './client/selection.js';
import type { Run } from '../command/command.js';
import type { Texts } from '../command/line/flags.js';
import { durationMs } from '../runtime/typed-time.js';
import { openReceiver } from '../events/webhooks/open-receiver.js';
import { type SecretFlags, signingSecret } from '../events/webhooks/secrets.js';
import { usageFailure } from '../runtime/failure.js';
import { withEndText, type Ports } from '../runtime/ports.js';
import { flagWords, svcLine } from '../runtime/shell.js';
import { caseProgress, type ExamFlags, examShowing, notCertified } from './report/print.js';
import type { ExamEvent, Parcel } from './receiver/parcels.js';
import { askLine } from '../command/user-program.js';
import { EVENT_TYPES, type EventType } from '../contract/events.js';
import { LIMITS } from '../contract/limits.js';
import { isoSeconds } from '../runtime/clock.js';
import { sampleEvent } from '../events/webhooks/sample.js';
import { post, type Receiver } from '../events/webhooks/deliver.js';

type ReceiverFlags = SecretFlags &
  ExamFlags &
  Texts<'effect' | 'given'> &
  Readonly<Record<'to' | 'settle', string> & Record<'allow-remote', boolean>>;

const CASE_IDS = RECEIVER_CASES.map(({ id }) => id);
const JOBS_MAX = 8;
/** The case `load.20` sends 20 deliveries at once. */
const CONNECTIONS = 20;

export async function certifyReceiver({ ports, flags }: Run<ReceiverFlags>): Promise<void> {
  const { only = [], skip = [] } = flags;
  requireKnownCases('receiver', CASE_IDS, { only, skip });
  const settleMs = durationMs(flags.settle, '--settle');
  if (!/^[1-9][0-9]{0,1}$/.test(flags.jobs))
    throw usageFailure('--jobs must be a whole number from 1 to 99.');
  const jobs = Math.min(Number(flags.jobs), JOBS_MAX);
  for (const name of ['effect', 'given'] as const)
    if (flags[name]?.trim() === '') throw usageFailure(`--${name} must be a command.`);
  const showing = await examShowing(ports, flags);
  const secret = await signingSecret(ports, flags);
  const options = { connections: CONNECTIONS, keepsConnections: false };
  const receiver = await openReceiver(ports, flags.to, flags['allow-remote'], options);
  const { isWanted, leftOutOf } = selectionOfCases(only, skip);
  const progress = caseProgress(ports, flags);
  const total = CASE_IDS.filter((id) => isWanted(id)).length;
  const beganMs = ports.clock.monotonic();
  try {
    const side = {
      ...receiverSide(ports, receiver, secret, flags),
      onCase: (id: string) => progress.count(id, total),
    };
    const exam = new ReceiverExam(side, { isWanted, settleMs, jobs });
    const { findings, effectMs } = await exam.run().finally(progress.end);
    const shownIds = new Set(findings.map(({ id }): string => id));
    const report: ExamReport = {
      ...{ exam: 'receiver', command: null, clean: null, isStrict: flags.strict },
      leftOut: leftOutOf(CASE_IDS).filter((id) => !shownIds.has(id)),
      outcomes: findings.map(({ id, status, why, andSo }): Outcome => {
        const { severity, section } = RECEIVER_CASES.find((one) => one.id === id) ?? RECEIVER_CASES[0];
        const isAdvice = status === 'failed' && severity === 'should';
        return {
          ...{ id, severity, status: isAdvice ? 'advice' : status, rule: null, section, why, andSo },
          ...{ requests: [], repeat: status === 'passed' ? null : repeatLine(id, flags) },
        };
      }),
    };
    const effect = effectMs === null ? '' : ` An effect takes ${String(Math.round(effectMs))} ms.`;
    const tookMs = ports.clock.monotonic() - beganMs;
    await showing.show(report, `Receiver ${receiver.url}.${effect}`, tookMs);
    if (isCertified(report)) return;
    const unexplained = report.outcomes.filter(({ status, andSo }) => status !== 'passed' && andSo === null);
    const needsEffect =
      flags.effect === undefined && unexplained.some(({ status }) => status === 'not_judged');
    throw notCertified('The receiver did not pass.', unexplained, showing, needsEffect ? [EFFECT_HINT] : []);
  } catch (error) {
    throw withEndText(error, 'The receiver was not judged; some deliveries were sent to it.');
  } finally {
    await receiver.close();
  }
}

function repeatLine(id: string, flags: ReceiverFlags): string {
  const { to, effect, given, settle, 'secret-file': secretFile } = flags;
  const optionalFlag = (flag: string, value: string | undefined): string[] =>
    value === undefined ? [] : flagWords(flag, value);
  return svcLine('certify receiver', [
    ...flagWords('--to', to),
    ...optionalFlag('--effect', effect),
    ...optionalFlag('--given', given),
    ...(settle === '3s' ? [] : flagWords('--settle', settle)),
    ...optionalFlag('--secret-file', secretFile),
    ...(flags['allow-remote'] ? ['--allow-remote'] : []),
    ...flagWords('--only', id),
  ]);
}

const EFFECT_HINT =
  'To have effects judged, give a command that prints the state of one operation: --effect COMMAND. To pass without: --skip twice --skip ping';

function receiverSide(ports: Ports, receiver: Receiver, secret: string, { effect, given }: ReceiverFlags) {
  const ask = async (flag: string, line: string, event: ExamEvent): Promise<string> => {
    const { operationId, reference, eventId, type, amount, currency } = event;
    const answer = await askLine(ports, line, {
      SVC_OPERATION_ID: operationId,
      SVC_REFERENCE: reference,
      SVC_EVENT_ID: eventId,
      SVC_TYPE: type,
      SVC_AMOUNT: amount,
      SVC_CURRENCY: currency,
    });
    if ('problem' in answer) throw new CommandFailed(`the command of ${flag} ${answer.problem}`);
    return answer.text;
  };
  return {
    ...{ clock: ports.clock, signal: ports.signal, secret },
    event: (type: string) => examEvent(ports, type),
    send: async ({ method, headers, body }: Parcel) => {
      const { error, ...answer } = await post(receiver, body, headers, method);
      const isLate = error?.startsWith('no complete answer within') === true;
      const noneText = `none within ${String(LIMITS.receiverAnswerMs / 1000)} s`;
      return { ...answer, error: isLate ? noneText : error };
    },
    sendAndCut: (parcel: Parcel) => sendAndCut(receiver, parcel),
    look: effect === undefined ? null : (event: ExamEvent) => ask('--effect', effect, event),
    give: given === undefined ? null : (event: ExamEvent) => ask('--given', given, event),
  };
}

function examEvent({ random, clock }: Ports, type: string): ExamEvent {
  const eventType: EventType = EVENT_TYPES.find((one) => one === type) ?? 'payin.confirmed';
  const ids = { eventId: random.uuid(), operationId: random.uuid(), nowIso: isoSeconds(clock.now()) };
  const reference = `certify-${ids.eventId.slice(0, 8)}`;
  const sample = JSON.parse(sampleEvent(eventType, ids, [{ path: ['reference'], text: reference }])) as {
    readonly data: { readonly id: string; readonly amount: string; readonly currency: string };
  };
  const { id: operationId, amount, currency } = sample.data;
  const text = JSON.stringify({ ...sample, type });
  return { eventId: ids.eventId, type, operationId, reference, amount, currency, text };
}

const CUT_AFTER_MS = 2;

async function sendAndCut(receiver: Receiver, { headers, body }: Parcel): Promise<void> {
  const { clock, signal } = receiver;
  const cut = new AbortController();
  const onLeaving = (): void => {
    clock.sleep(CUT_AFTER_MS, signal).then(
      () => cut.abort(new Error('cut')),
      () => undefined,
    );
  };
  const cuttableReceiver = { ...receiver, onLeaving, signal: AbortSignal.any([signal, cut.signal]) };
  try {
    await post(cuttableReceiver, body, headers);
  } catch (error) {
    signal.throwIfAborted();
    if (!cut.signal.aborted) throw error;
  }
}
