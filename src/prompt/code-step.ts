/** The code: typing or pasting it, asking for another one, and the one attempt at it. Pure. */
import { LIMITS } from '../contract/limits.js';
import { turn, type KeyName, type State, type Step, type Turn } from './dialogue.js';
import { codeTyped } from './draft.js';

type Code = Extract<Step, { step: 'code' }>;
type Focus = Code['focus'];

/** Shorter than any code: an Enter too early, which would end the pay-in. */
const SHORTEST_CODE = 4;
/** Any other length is asked about once: a digit too many or too few would end the pay-in. */
const USUAL_CODE = 6;
const ORDER: readonly Focus[] = ['code', 'resend', 'leave'];

/** The step as it begins, and begins again after a new code. */
export function beginCode(state: State, notice: string | null = null): State {
  return { ...state, notice: null, step: { step: 'code', text: '', doubted: null, focus: 'code', notice } };
}

/** How long the code is still valid, in milliseconds; null where the service did not say. */
export function codeLeftMs({ deadlineMs, nowMs }: State): number | null {
  return deadlineMs === null ? null : Math.max(0, deadlineMs - nowMs);
}

export function typeCode(state: State, step: Code, text: string): Turn {
  const code = codeTyped(step.text + text);
  return turn({ ...state, step: { ...step, text: code, focus: 'code', notice: null } });
}

export function pressInCode(state: State, step: Code, key: KeyName): Turn {
  switch (key) {
    case 'up':
    case 'backtab':
    case 'down':
    case 'tab':
      return turn({ ...state, step: { ...step, focus: next(step.focus, key), notice: null } });
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

function next(focus: Focus, key: KeyName): Focus {
  const by = key === 'up' || key === 'backtab' ? ORDER.length - 1 : 1;
  return ORDER[(ORDER.indexOf(focus) + by) % ORDER.length] ?? 'code';
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
  if (step.text.length !== USUAL_CODE && step.text !== step.doubted) {
    const notice = `This has ${String(step.text.length)} characters, and most codes have ${String(USUAL_CODE)}. Enter again sends it as it is.`;
    return turn({ ...state, step: { ...step, doubted: step.text, notice } });
  }
  // From here on the code is in the effect alone: no state, no frame, no log holds it.
  const busy: Step = { step: 'busy', call: 'confirm', sinceMs: state.nowMs, leaving: null };
  return turn({ ...state, step: busy }, { type: 'confirm', id, code: step.text });
}

function resend(state: State, step: Code, id: string): Turn {
  if (state.resendsLeft === 0) {
    const notice = `No further code: ${String(LIMITS.codeResends)} were asked for, and the service sends no more.`;
    return turn({ ...state, step: { ...step, notice } });
  }
  const busy: Step = { step: 'busy', call: 'resend', sinceMs: state.nowMs, leaving: null };
  return turn({ ...state, step: busy }, { type: 'resend', id });
}

function problemOf(state: State, code: string): string | null {
  if (codeLeftMs(state) === 0) {
    return state.resendsLeft > 0
      ? 'This code has expired, and confirming with it would end the pay-in. Ask for a new one.'
      : 'This code has expired and no new one can be had. Leave, and start another pay-in.';
  }
  if (code === '') return 'Type the code first.';
  return code.length < SHORTEST_CODE ? 'That is too short for a code. It was not sent.' : null;
}
