import { isFinal } from '../../contract/operation.js';
import { beginCode, beginExpired, earlierDeadline } from './code-step.js';
import {
  beginCall,
  turn,
  type CallName,
  type MenuOption,
  type Message,
  type State,
  type Turn,
  type CallEnd,
  type OperationView,
} from './dialogue.js';
import { nounOf, receivingLines } from './wording.js';

type EndedMessage = Extract<Message, { type: 'ended' }>;
type NoOperation = Exclude<CallEnd, { kind: 'operation' }>;

const LEAVE: MenuOption = { label: 'Leave', action: 'leave' };
const EDIT: MenuOption = { label: 'Change the data', action: 'fields' };
const LOOK_UP: MenuOption = { label: 'Look it up again', action: 'lookUp' };

export function takeEnd(previous: State, { call, end, nowMs }: EndedMessage): Turn {
  const { step } = previous;
  if (step.step !== 'busy' || step.call !== call) return turn(previous);
  const state = { ...previous, nowMs };
  if (step.endAfterCall !== null) {
    const lastState = end.kind === 'operation' ? keepOperation(state, end.operation) : state;
    return turn({ ...lastState, step: { step: 'done', end: step.endAfterCall } });
  }
  if (end.kind === 'operation') return continueByStatus(state, call, end.operation);
  if (call === 'create' || call === 'repeat') return handleFailedCreate(state, end);
  if (call === 'confirm') return handleFailedConfirm(state, end);
  return call === 'resend' ? handleFailedResend(state, end) : handleFailedRead(state, end);
}

export function callForOperation(
  state: State,
  type: 'resend' | 'lookUp' | 'follow',
  notice: string | null = null,
): Turn {
  return beginCall({ ...state, notice }, { type, id: state.id ?? '' });
}

function offerMenu(
  state: State,
  title: string,
  text: string,
  options: readonly MenuOption[],
  tone: 'bad' | 'warn' = 'warn',
): Turn {
  return turn({ ...state, notice: null, step: { step: 'menu', tone, title, text, options, marked: 0 } });
}

export function canStartAgain({ setting }: State): boolean {
  return setting.catalog !== null;
}

function continueByStatus(previous: State, callName: CallName, operation: OperationView): Turn {
  const isNewCode = callName === 'resend';
  const state = keepOperation(
    isNewCode ? { ...previous, resendsLeft: Math.max(0, previous.resendsLeft - 1) } : previous,
    operation,
  );
  const { bankReference } = operation;
  const bankText = bankReference === null ? '' : `, bank reference ${bankReference}`;
  if (operation.status === 'confirmed') return finish(state, `Confirmed: ${operation.amount}${bankText}.`);
  if (operation.status === 'failed') return showFailed(state, operation);
  if (operation.pendingReason === 'awaiting_code') return awaitCode(state, callName, isNewCode);
  if (operation.pendingReason !== 'processing') {
    const lines = state.setting.showsReceivingAccount ? receivingLines(state) : [];
    return finish(state, `The ${nounOf(state.setting)} was created and waits for its payment.`, lines);
  }
  const settledState = { ...state, isConfirmOpen: false };
  if (callName !== 'follow') return callForOperation(settledState, 'follow');
  const waitOption: MenuOption = { label: 'Keep waiting', action: 'follow' };
  const text = 'It becomes final by itself.';
  return offerMenu(settledState, 'The bank has not answered yet.', text, [waitOption, LEAVE]);
}

function awaitCode(state: State, callName: CallName, isNewCode: boolean): Turn {
  if (!state.isConfirmOpen) {
    if (callName === 'confirm' && state.operation?.codeValidMs === 0) return turn(beginExpired(state));
    const newCodeNotice = isNewCode ? 'A new code was sent. The code before it no longer works.' : null;
    return turn(beginCode(state, newCodeNotice ?? state.notice));
  }
  const againOption: MenuOption = { label: 'Enter the code again', action: 'code' };
  const text =
    'The answer to the code was lost. The pay-in still waits for a code: the code did not arrive, or not yet. ' +
    'Look the pay-in up again first.';
  const options = callName === 'lookUp' ? [LOOK_UP, againOption, LEAVE] : [LOOK_UP, LEAVE];
  return offerMenu(state, 'svc does not know whether the code arrived.', text, options);
}

function keepOperation(state: State, operation: OperationView): State {
  const hasSameCode =
    state.operation?.id === operation.id && state.operation.codeExpiresAt === operation.codeExpiresAt;
  const { codeValidMs } = operation;
  const newDeadlineMs = codeValidMs === null ? null : state.nowMs + codeValidMs;
  const codeDeadlineMs = !hasSameCode
    ? newDeadlineMs
    : newDeadlineMs === null
      ? state.codeDeadlineMs
      : earlierDeadline(state.codeDeadlineMs, newDeadlineMs);
  const noun = nounOf(state.setting);
  const isNewOperation = state.operation?.id !== operation.id;
  const log = isNewOperation
    ? [...state.log, `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${operation.id}, ${operation.amount}.`]
    : state.log;
  return {
    ...state,
    id: operation.id,
    operation,
    codeDeadlineMs,
    log,
    isConfirmOpen: state.isConfirmOpen && !isFinal(operation.status),
  };
}

function finish(state: State, line: string, moreLines: readonly string[] = []): Turn {
  return turn({ ...state, log: [...state.log, line, ...moreLines], step: { step: 'done', end: 'finished' } });
}

function showFailed(state: State, { failure }: OperationView): Turn {
  const text = `${failure ?? 'The service gave no reason.'} No money moved. A failed ${nounOf(state.setting)} stays failed.`;
  if (!canStartAgain(state)) return turn({ ...state, step: { step: 'done', end: 'finished' } });
  const againOption: MenuOption = { label: 'Start another with the same data', action: 'summary' };
  const options: MenuOption[] = [againOption, EDIT, { label: 'Finish', action: 'finish' }];
  return offerMenu(state, `The ${nounOf(state.setting)} failed.`, text, options, 'bad');
}

function handleFailedCreate(state: State, end: NoOperation): Turn {
  const noun = nounOf(state.setting);
  const repeatOption = (label: string): MenuOption => ({ label, action: 'repeat' });
  if (end.kind === 'unknown') {
    const text = `${end.text} The ${noun} may exist. Repeat it with the same key: that never makes a second one. A new one could.`;
    return offerMenu(state, 'No answer came.', text, [repeatOption('Repeat it with the same key'), LEAVE]);
  }
  if (end.kind === 'refused')
    return offerMenu(
      state,
      `The ${noun} was refused.`,
      `${end.text} No ${noun} was created.`,
      [EDIT, LEAVE],
      'bad',
    );
  return offerMenu(state, `The ${noun} was not created.`, end.text, [repeatOption('Try again'), EDIT, LEAVE]);
}

function handleFailedConfirm(state: State, end: NoOperation): Turn {
  if (end.kind !== 'unknown')
    return callForOperation(state, 'lookUp', `The service did not accept the code: ${end.text}`);
  const text =
    `${end.text} The code was sent and may have been accepted. svc does not send it again. ` +
    'Look the pay-in up: its status says what happened.';
  return offerMenu({ ...state, isConfirmOpen: true }, 'No answer came.', text, [LOOK_UP, LEAVE]);
}

function handleFailedResend(state: State, end: NoOperation): Turn {
  if (end.kind === 'refused' && end.code === 'too_many_codes') {
    return turn(beginCode({ ...state, resendsLeft: 0 }, 'The service sends no more codes for this pay-in.'));
  }
  if (end.kind === 'unknown') {
    const resentState = { ...state, resendsLeft: Math.max(0, state.resendsLeft - 1) };
    return callForOperation(
      resentState,
      'lookUp',
      'The answer was lost. A new code may arrive; only the newest code works.',
    );
  }
  return callForOperation(state, 'lookUp', `No new code was sent: ${end.text}`);
}

function handleFailedRead(state: State, end: NoOperation): Turn {
  const title = `The ${nounOf(state.setting)} could not be read.`;
  return offerMenu(state, title, `${end.text} Reading changes nothing.`, [LOOK_UP, LEAVE]);
}
