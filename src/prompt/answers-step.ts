/** Turns the end of a call into the next step of the dialogue and, if needed, the next call. */
import { isFinal } from '../contract/operation.js';
import { beginCode, beginExpired, earlierDeadline } from './code-step.js';
import {
  turn,
  type CallName,
  type MenuOption,
  type Message,
  type State,
  type Step,
  type Turn,
} from './dialogue.js';
import type { CallEnd, OperationView } from './port.js';
import { nounOf, receivingLines } from './wording.js';

type EndedMessage = Extract<Message, { type: 'ended' }>;
type NoOperation = Exclude<CallEnd, { kind: 'operation' }>;

const LEAVE: MenuOption = { label: 'Leave', action: 'leave' };
const EDIT: MenuOption = { label: 'Change the data', action: 'fields' };
const LOOK_UP: MenuOption = { label: 'Look it up again', action: 'lookUp' };

/** Handles the end of the open call. */
export function takeEnd(before: State, { call, end, nowMs }: EndedMessage): Turn {
  const { step } = before;
  if (step.step !== 'busy' || step.call !== call) return turn(before);
  const state = { ...before, nowMs };
  if (step.leaving !== null) {
    const lastState = end.kind === 'operation' ? keepOperation(state, end.operation) : state;
    return turn({ ...lastState, step: { step: 'done', end: step.leaving } });
  }
  if (end.kind === 'operation') return continueByStatus(state, call, end.operation);
  if (call === 'create' || call === 'repeat') return handleFailedCreate(state, end);
  if (call === 'confirm') return handleFailedConfirm(state, end);
  return call === 'resend' ? handleFailedResend(state, end) : handleFailedRead(state, end);
}

/** Begins a call about the present pay-in. */
export function call(state: State, type: 'resend' | 'lookUp' | 'follow', notice: string | null = null): Turn {
  const step: Step = { step: 'busy', call: type, sinceMs: state.nowMs, leaving: null };
  return turn({ ...state, notice, step }, { type, id: state.id ?? '' });
}

export function offer(
  state: State,
  { title, tone = 'warn' }: { readonly title: string; readonly tone?: 'bad' | 'warn' },
  text: string,
  options: readonly MenuOption[],
): Turn {
  return turn({ ...state, notice: null, step: { step: 'menu', tone, title, text, options, marked: 0 } });
}

/** True if the catalog is known, which a new pay-in needs. */
export function canStartAgain({ setting }: State): boolean {
  return setting.catalog !== null;
}

/** Chooses the next step by the status of the pay-in. */
function continueByStatus(before: State, by: CallName, operation: OperationView): Turn {
  const isNewCode = by === 'resend';
  const state = keepOperation(
    isNewCode ? { ...before, resendsLeft: Math.max(0, before.resendsLeft - 1) } : before,
    operation,
  );
  const { bankReference } = operation;
  const bank = bankReference === null ? '' : `, bank reference ${bankReference}`;
  if (operation.status === 'confirmed') return finish(state, `Confirmed: ${operation.amount}${bank}.`);
  if (operation.status === 'failed') return showFailed(state, operation);
  if (operation.pendingReason === 'awaiting_code') return awaitCode(state, by, isNewCode);
  if (operation.pendingReason !== 'processing') {
    const lines = state.setting.saysAccount ? receivingLines(state) : [];
    return finish(state, `The ${nounOf(state.setting)} was created and waits for its payment.`, lines);
  }
  const settledState = { ...state, isConfirmOpen: false };
  if (by !== 'follow') return call(settledState, 'follow');
  const waitOption: MenuOption = { label: 'Keep waiting', action: 'follow' };
  return offer(settledState, { title: 'The bank has not answered yet.' }, 'It becomes final by itself.', [
    waitOption,
    LEAVE,
  ]);
}

function awaitCode(state: State, by: CallName, isNewCode: boolean): Turn {
  if (!state.isConfirmOpen) {
    if (by === 'confirm' && state.operation?.codeValidMs === 0) return turn(beginExpired(state));
    const newCodeNotice = isNewCode ? 'A new code was sent. The code before it no longer works.' : null;
    return turn(beginCode(state, newCodeNotice ?? state.notice));
  }
  const againOption: MenuOption = { label: 'Enter the code again', action: 'code' };
  const text =
    'The answer to the code was lost. The pay-in still waits for a code: the code did not arrive, or not yet. ' +
    'Look the pay-in up again first.';
  return offer(
    state,
    { title: 'svc does not know whether the code arrived.' },
    text,
    by === 'lookUp' ? [LOOK_UP, againOption, LEAVE] : [LOOK_UP, LEAVE],
  );
}

/** Takes the operation into the state. The countdown starts again only with a new code. */
function keepOperation(state: State, operation: OperationView): State {
  const isSame =
    state.operation?.id === operation.id && state.operation.codeExpiresAt === operation.codeExpiresAt;
  const { codeValidMs } = operation;
  const newDeadlineMs = codeValidMs === null ? null : state.nowMs + codeValidMs;
  const deadlineMs = !isSame
    ? newDeadlineMs
    : newDeadlineMs === null
      ? state.deadlineMs
      : earlierDeadline(state.deadlineMs, newDeadlineMs);
  const noun = nounOf(state.setting);
  const isFirst = state.operation?.id !== operation.id;
  const log = isFirst
    ? [...state.log, `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${operation.id}, ${operation.amount}.`]
    : state.log;
  return {
    ...state,
    id: operation.id,
    operation,
    deadlineMs,
    log,
    isConfirmOpen: state.isConfirmOpen && !isFinal(operation.status),
  };
}

function finish(state: State, line: string, more: readonly string[] = []): Turn {
  return turn({ ...state, log: [...state.log, line, ...more], step: { step: 'done', end: 'finished' } });
}

function showFailed(state: State, { failure }: OperationView): Turn {
  const text = `${failure ?? 'The service gave no reason.'} No money moved. A failed ${nounOf(state.setting)} stays failed.`;
  // The text that svc prints beneath the dialogue says why it failed.
  if (!canStartAgain(state)) return turn({ ...state, step: { step: 'done', end: 'finished' } });
  const againOption: MenuOption = { label: 'Start another with the same data', action: 'summary' };
  return offer(state, { title: `The ${nounOf(state.setting)} failed.`, tone: 'bad' }, text, [
    againOption,
    EDIT,
    { label: 'Finish', action: 'finish' },
  ]);
}

function handleFailedCreate(state: State, end: NoOperation): Turn {
  const repeatOption: MenuOption = { label: 'Repeat it with the same key', action: 'repeat' };
  if (end.kind === 'unknown') {
    const text =
      `${end.text} The ${nounOf(state.setting)} may exist. Repeat it with the same key: that never makes a second one. ` +
      'A new one could.';
    return offer(state, { title: 'No answer came.' }, text, [repeatOption, LEAVE]);
  }
  if (end.kind === 'later') {
    const againOption: MenuOption = { label: 'Try again', action: 'repeat' };
    return offer(state, { title: `The ${nounOf(state.setting)} was not created.` }, end.text, [
      againOption,
      EDIT,
      LEAVE,
    ]);
  }
  const noun = nounOf(state.setting);
  return offer(
    state,
    { title: `The ${noun} was refused.`, tone: 'bad' },
    `${end.text} No ${noun} was created.`,
    [EDIT, LEAVE],
  );
}

function handleFailedConfirm(state: State, end: NoOperation): Turn {
  if (end.kind !== 'unknown')
    return call(state, 'lookUp', `The service did not accept the code: ${end.text}`);
  const text =
    `${end.text} The code was sent and may have been accepted. svc does not send it again. ` +
    'Look the pay-in up: its status says what happened.';
  return offer({ ...state, isConfirmOpen: true }, { title: 'No answer came.' }, text, [LOOK_UP, LEAVE]);
}

function handleFailedResend(state: State, end: NoOperation): Turn {
  if (end.kind === 'refused' && end.code === 'too_many_codes') {
    return turn(beginCode({ ...state, resendsLeft: 0 }, 'The service sends no more codes for this pay-in.'));
  }
  if (end.kind === 'unknown') {
    const used = { ...state, resendsLeft: Math.max(0, state.resendsLeft - 1) };
    return call(used, 'lookUp', 'The answer was lost. A new code may arrive; only the newest code works.');
  }
  return call(state, 'lookUp', `No new code was sent: ${end.text}`);
}

function handleFailedRead(state: State, end: NoOperation): Turn {
  const noun = nounOf(state.setting);
  const text = `${end.text} Reading changes nothing.`;
  return offer(state, { title: `The ${noun} could not be read.` }, text, [LOOK_UP, LEAVE]);
}
