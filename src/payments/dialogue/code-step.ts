import { LIMITS } from '../../contract/limits.js';
import { cleanCode, isCode } from '../../contract/notation.js';
import {
  beginCall,
  turn,
  type KeyName,
  type Message,
  type State,
  type StepOf,
  type Turn,
} from './dialogue.js';

type CodeStep = StepOf<'code'>;
type Focus = CodeStep['focus'];

const USUAL_CODE_LENGTH = 6;
const TEXT_MAX = 32;
const FOCUS_ORDER: readonly Focus[] = ['code', 'resend', 'leave'];

export function beginCode(state: State, notice: string | null = null, focus: Focus = 'code'): State {
  return { ...state, notice: null, step: { step: 'code', text: '', warnedCode: null, focus, notice } };
}

export function beginExpired(state: State): State {
  const focus = state.resendsLeft > 0 ? 'resend' : 'code';
  return { ...beginCode(state, expiredText(state), focus), codeDeadlineMs: state.nowMs };
}

export function remainingCodeMs({ codeDeadlineMs, nowMs }: State): number | null {
  return codeDeadlineMs === null ? null : Math.max(0, codeDeadlineMs - nowMs);
}

const DEADLINE_ROUNDING_MS = 2000;

export function earlierDeadline(codeDeadlineMs: number | null, readDeadlineMs: number): number {
  return codeDeadlineMs === null || readDeadlineMs < codeDeadlineMs - DEADLINE_ROUNDING_MS
    ? readDeadlineMs
    : codeDeadlineMs;
}

export function withCodeValidity(
  state: State,
  { validity, nowMs }: Pick<Extract<Message, { type: 'codeValidity' }>, 'validity' | 'nowMs'>,
): State {
  if (validity.codeExpiresAt !== state.operation?.codeExpiresAt) return state;
  return { ...state, nowMs, codeDeadlineMs: earlierDeadline(state.codeDeadlineMs, nowMs + validity.validMs) };
}

export function typeCode(state: State, step: CodeStep, text: string): Turn {
  const code = cleanCode(step.text + text).slice(0, TEXT_MAX);
  return turn({ ...state, step: { ...step, text: code, focus: 'code', notice: null } });
}

export function pressInCode(state: State, step: CodeStep, key: KeyName): Turn {
  switch (key) {
    case 'up':
    case 'backtab':
    case 'down':
    case 'tab': {
      const offset = key === 'up' || key === 'backtab' ? FOCUS_ORDER.length - 1 : 1;
      const focus = FOCUS_ORDER[(FOCUS_ORDER.indexOf(step.focus) + offset) % FOCUS_ORDER.length] ?? 'code';
      return turn({ ...state, step: { ...step, focus, notice: null } });
    }
    case 'backspace':
      return turn({ ...state, step: { ...step, text: step.text.slice(0, -1), focus: 'code', notice: null } });
    case 'clear':
      return turn({ ...state, step: { ...step, text: '', focus: 'code', notice: null } });
    case 'enter':
      return pressEnter(state, step);
    default:
      return turn(state);
  }
}

function pressEnter(state: State, step: CodeStep): Turn {
  const id = state.id ?? '';
  if (step.focus === 'leave') return turn({ ...state, step: { step: 'done', end: 'left' } });
  if (step.focus === 'resend') return resend(state, step, id);
  const problem = problemOf(state, step.text);
  if (problem !== null) {
    const hasExpired = remainingCodeMs(state) === 0 && state.resendsLeft > 0;
    return turn({ ...state, step: { ...step, focus: hasExpired ? 'resend' : 'code', notice: problem } });
  }
  if (step.text.length !== USUAL_CODE_LENGTH && step.text !== step.warnedCode) {
    const notice = `This code has ${String(step.text.length)} characters; most codes have ${String(USUAL_CODE_LENGTH)}. Press Enter again to send it.`;
    return turn({ ...state, step: { ...step, warnedCode: step.text, notice } });
  }
  // The effect carries the code, because the state is shown on the screen.
  return beginCall(state, { type: 'confirm', id, code: step.text });
}

function resend(state: State, step: CodeStep, id: string): Turn {
  if (state.resendsLeft === 0) {
    const notice = `The service sends at most ${String(LIMITS.codeResends)} new codes, and all of them were sent.`;
    return turn({ ...state, step: { ...step, notice } });
  }
  return beginCall(state, { type: 'resend', id });
}

function problemOf(state: State, code: string): string | null {
  if (remainingCodeMs(state) === 0) return expiredText(state);
  if (code === '') return 'Type the code first.';
  return isCode(code) ? null : 'A code has 4 to 10 letters or digits. This one was not sent.';
}

function expiredText({ resendsLeft }: State): string {
  return resendsLeft > 0
    ? 'This code has expired and was not sent: it would end the pay-in. Ask for a new code.'
    : 'This code has expired and was not sent. The service sends no new one: leave, and start another pay-in.';
}
