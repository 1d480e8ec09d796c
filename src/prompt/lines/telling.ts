/** What the dialogue says in lines that stay: each state as text for a screen reader, without signs that only an eye understands. Pure. */
import { codeLeftMs } from '../code-step.js';
import type { State, Step } from '../dialogue.js';
import { questionAt } from '../fields-step.js';
import type { Option } from '../question.js';
import { answerText, callWords, numbered, summaryRows, summaryTitle, whatFollows } from '../wording.js';

/** What is said at a step, and what its line begins with; no prompt where nothing can be typed. */
export interface Told {
  readonly lines: readonly string[];
  readonly prompt: string | null;
}

/** What is said when a step begins. */
export function tell(state: State): Told {
  const { step } = state;
  switch (step.step) {
    case 'fields':
      return tellField(state, step);
    case 'summary':
      return {
        lines: [
          `${summaryTitle(state.setting)}:`,
          ...summaryRows(state).map(([label, value]) => `${label}: ${value}`),
        ],
        prompt: `Type yes to ${whatFollows(state)}, or back, or leave: `,
      };
    case 'busy': {
      const words = step.leaving === null ? callWords(step.call, state.setting.direction) : 'Leaving';
      const isFollowed = step.leaving === null && step.call === 'follow';
      return {
        lines: [`${words}.`, ...(isFollowed ? ['Type leave to leave. It becomes final by itself.'] : [])],
        prompt: null,
      };
    }
    case 'code':
      return {
        lines: [
          ...timeLines(state),
          ...(state.setting.codeHint === null ? [] : [state.setting.codeHint]),
          'One wrong code ends this pay-in: check it before Enter.',
          `Type the code, or new for another code (${String(state.resendsLeft)} left), or leave: the pay-in stays open.`,
          `Later: ${state.operation?.resumeCommand ?? ''}`,
        ],
        prompt: 'Code: ',
      };
    case 'menu':
      return {
        lines: [step.title, step.text, ...numberedLines(step.options.map(({ label }) => label))],
        prompt: 'Number: ',
      };
    case 'done':
      return { lines: [], prompt: null };
  }
}

/** What is wrong, or has changed, at a step that stays; null for nothing. */
export function noticeOf(step: Step): string | null {
  if (step.step === 'fields' || step.step === 'summary') return step.problem;
  return step.step === 'code' ? step.notice : null;
}

/** The moments at which the time that is left is said, in seconds. */
const MOMENTS_S = [240, 180, 120, 60, 30, 10, 0];

/** The line about the time that is left, where a moment to say it has come between two states; null otherwise. */
export function timePassed(before: State, now: State): string | null {
  if (before.step.step !== 'code' || now.step.step !== 'code' || before.deadlineMs !== now.deadlineMs)
    return null;
  const [was, is] = [codeLeftMs(before), codeLeftMs(now)];
  if (was === null || is === null) return null;
  const isCome = MOMENTS_S.some((seconds) => was > seconds * 1000 && is <= seconds * 1000);
  return isCome ? (timeLines(now)[0] ?? null) : null;
}

/** Options with their numbers. */
export function optionLines(options: readonly Option[], all: readonly Option[] = options): string[] {
  return options.map((option) => {
    const name = `${option.value}  ${option.label}`.trimEnd();
    return `${String(all.indexOf(option) + 1)}. ${name}`;
  });
}

function tellField(state: State, step: Extract<Step, { step: 'fields' }>): Told {
  const question = questionAt(state, step);
  if (question === null) return { lines: ['There are no more questions.'], prompt: null };
  const title = numbered(state, step.at);
  const answer = answerText(question, state.answers);
  const kept = answer === '' ? [] : [`Enter alone keeps ${answer}.`];
  const { options, rule } = question;
  const lines =
    options === null
      ? [`${title}. ${rule}.`]
      : [`${title}: type a number, a code or a part of a name.`, ...optionLines(options)];
  return { lines: [...lines, ...kept], prompt: `${question.label}: ` };
}

function timeLines(state: State): string[] {
  const leftMs = codeLeftMs(state);
  if (leftMs === null) return ['The payer has a code.'];
  if (leftMs === 0) return ['The code has expired.'];
  const seconds = Math.ceil(leftMs / 1000);
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const parts = [
    ...(minutes === 0 ? [] : [`${String(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}`]),
    ...(rest === 0 ? [] : [`${String(rest)} ${rest === 1 ? 'second' : 'seconds'}`]),
  ];
  return [`The payer has a code, valid for ${parts.join(' and ')}.`];
}

function numberedLines(labels: readonly string[]): string[] {
  return labels.map((label, at) => `${String(at + 1)}. ${label}`);
}
