/** The code step: typing or pasting the code, asking for another one, and the one attempt with it. */
import { LIMITS } from '../contract/limits.js';
import { codeIn, isCode } from '../contract/notation.js';
import {
  turn,
  type KeyName,
  type Message,
  type State,
  type Step,
  type StepOf,
  type Turn,
} from './dialogue.js';

type Code = StepOf<'code'>;
type Focus = Code['focus'];

/** The usual length of a code. A code of another length needs a second Enter: a digit too many or too few would end the pay-in. */
const USUAL_CODE_LENGTH = 6;
const TEXT_MAX = 32;
const FOCUS_ORDER: readonly Focus[] = ['code', 'resend', 'leave'];

/** Begins the code step, at first and after each new code. */
export function beginCode(state: State, notice: string | null = null, focus: Focus = 'code'): State {
  return { ...state, notice: null, step: { step: 'code', text: '', doubted: null, focus, notice } };
}

/** Begins the code step again after an expired code, which was not sent. */
export function beginExpired(state: State): State {
  const focus = state.resendsLeft > 0 ? 'resend' : 'code';
  return { ...beginCode(state, expiredWords(state), focus), deadlineMs: state.nowMs };
}

/** How long the code is still valid, in milliseconds; null if the service did not say. */
export function codeLeftMs({ deadlineMs, nowMs }: State): number | null {
  return deadlineMs === null ? null : Math.max(0, deadlineMs - nowMs);
}

/** Deadlines that differ by less count as the same, because answers tell the time in whole seconds. */
const TOLERANCE_MS = 2000;

/** The deadline after the pay-in was read again. It only moves closer, because time that has passed for the service does not come back. */
export function earlierDeadline(deadlineMs: number | null, readMs: number): number {
  return deadlineMs === null || readMs < deadlineMs - TOLERANCE_MS ? readMs : deadlineMs;
}

export function withCodeLeft(
  state: State,
  { left, nowMs }: Pick<Extract<Message, { type: 'codeLeft' }>, 'left' | 'nowMs'>,
): State {
  if (left.of !== state.operation?.codeExpiresAt) return state;
  return { ...state, nowMs, deadlineMs: earlierDeadline(state.deadlineMs, nowMs + left.leftMs) };
}

export function typeCode(state: State, step: Code, text: string): Turn {
  const code = codeIn(step.text + text).slice(0, TEXT_MAX);
  return turn({ ...state, step: { ...step, text: code, focus: 'code', notice: null } });
}

export function pressInCode(state: State, step: Code, key: KeyName): Turn {
  switch (key) {
    case 'up':
    case 'backtab':
    case 'down':
    case 'tab': {
      const by = key === 'up' || key === 'backtab' ? FOCUS_ORDER.length - 1 : 1;
      const focus = FOCUS_ORDER[(FOCUS_ORDER.indexOf(step.focus) + by) % FOCUS_ORDER.length] ?? 'code';
      return turn({ ...state, step: { ...step, focus, notice: null } });
    }
    case 'backspace':
      return turn({ ...state, step: { ...step, text: step.text.slice(0, -1), focus: 'code', notice: null } });
    case 'clear':
      return turn({ ...state, step: { ...step, text: '', focus: 'code', notice: null } });
    case 'enter':
      return act(state, step);
    default:
      return turn(state);
  }
}

function act(state: State, step: Code): Turn {
  const id = state.id ?? '';
  if (step.focus === 'leave') return turn({ ...state, step: { step: 'done', end: 'left' } });
  if (step.focus === 'resend') return resend(state, step, id);
  const problem = problemOf(state, step.text);
  if (problem !== null) {
    const isOver = codeLeftMs(state) === 0 && state.resendsLeft > 0;
    return turn({ ...state, step: { ...step, focus: isOver ? 'resend' : 'code', notice: problem } });
  }
  if (step.text.length !== USUAL_CODE_LENGTH && step.text !== step.doubted) {
    const notice = `This code has ${String(step.text.length)} characters; most codes have ${String(USUAL_CODE_LENGTH)}. Press Enter again to send it.`;
    return turn({ ...state, step: { ...step, doubted: step.text, notice } });
  }
  // From here on the code is only in the effect, and in no state, frame or log.
  const busy: Step = { step: 'busy', call: 'confirm', sinceMs: state.nowMs, leaving: null };
  return turn({ ...state, step: busy }, { type: 'confirm', id, code: step.text });
}

function resend(state: State, step: Code, id: string): Turn {
  if (state.resendsLeft === 0) {
    const notice = `The service sends at most ${String(LIMITS.codeResends)} new codes, and all of them were sent.`;
    return turn({ ...state, step: { ...step, notice } });
  }
  const busy: Step = { step: 'busy', call: 'resend', sinceMs: state.nowMs, leaving: null };
  return turn({ ...state, step: busy }, { type: 'resend', id });
}

function problemOf(state: State, code: string): string | null {
  if (codeLeftMs(state) === 0) return expiredWords(state);
  if (code === '') return 'Type the code first.';
  return isCode(code) ? null : 'A code has 4 to 10 letters or digits. This one was not sent.';
}

/** Says that the code has expired, and what to do. */
function expiredWords({ resendsLeft }: State): string {
  return resendsLeft > 0
    ? 'This code has expired and was not sent: it would end the pay-in. Ask for a new code.'
    : 'This code has expired and was not sent. The service sends no new one: leave, and start another pay-in.';
}
