import { counted } from '../../../contract/on-screen.js';
import type { Terminal } from '../../../runtime/ports.js';
import type { End, Message, State, KeyName, Step, StepOf } from '../dialogue.js';
import { drive, type DriveOptions, type Face } from '../loop.js';
import { openLines } from './line-terminal.js';
import { questionAt } from '../fields-step.js';
import { matchingOptions, type Option } from '../questions.js';
import { remainingCodeMs } from '../code-step.js';
import { answerText, callText, numberedLabel, summaryRows, summaryTitle, nextStepText } from '../wording.js';

export interface LinesOptions extends DriveOptions {
  readonly terminal: Terminal;
  readonly escape: (text: string) => string;
}

export function runLines(options: LinesOptions): Promise<End> {
  return drive(options, (start, send) => openLineFace(start, send, options));
}

function openLineFace(
  firstState: State,
  send: (message: Message) => void,
  { terminal, escape }: LinesOptions,
): Face {
  let state = firstState;
  let hasReadLine = true;
  let loggedCount = 0;
  let isPrompting = false;
  let isQuiet = false;

  const say = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    if (isPrompting) screen.write('\n');
    isPrompting = false;
    for (const line of lines) screen.write(`${escape(line)}\n`);
  };
  const showPrompt = (prompt: string | null): void => {
    if (prompt === null || isPrompting) return;
    screen.write(escape(prompt));
    isPrompting = true;
  };
  const show = (nextState: State): void => {
    const previousState = state;
    state = nextState;
    say(nextState.log.slice(loggedCount));
    loggedCount = nextState.log.length;
    const { lines, prompt } = stepText(nextState);
    const isSameStep = stepName(previousState) === stepName(nextState);
    const notice = noticeOf(nextState.step);
    const timeLine = timeLineOf(previousState, nextState);
    if (!isSameStep || hasReadLine) {
      const isNoticeEnough = isSameStep && notice !== null;
      say([...(notice === null ? [] : [notice]), ...(isNoticeEnough ? [] : lines)]);
    } else if (timeLine !== null) say([timeLine]);
    hasReadLine = false;
    showPrompt(prompt);
  };
  const onLine = (line: string | null): void => {
    isPrompting = false;
    if (line === null) {
      send({ type: 'key', key: 'escape' });
      return;
    }
    const reading = readLine(state, line);
    if ('reply' in reading) {
      const allOptions = state.step.step === 'fields' ? (questionAt(state, state.step)?.options ?? []) : [];
      say([reading.reply, ...optionLines(reading.list ?? [], allOptions)]);
      showPrompt(stepText(state).prompt);
      return;
    }
    reading.messages.forEach((message, at) => {
      hasReadLine = at === reading.messages.length - 1;
      isQuiet = !hasReadLine;
      send(message);
    });
  };
  const screen = openLines(terminal, onLine);
  if (firstState.setting.isLive) say(['LIVE: real money.']);
  else if (firstState.setting.showsSandboxNote) say(['Sandbox: no money moves.']);
  show(firstState);
  return {
    show: (nextState) => {
      if (isQuiet) state = nextState;
      else show(nextState);
    },
    whenShown: () => screen.whenWritten(),
    close: async () => {
      if (isPrompting) screen.write('\n');
      await screen.whenWritten();
      screen.close();
    },
  };
}

function stepName(state: State): string {
  const { step, codeDeadlineMs } = state;
  switch (step.step) {
    case 'fields': {
      const isList = (questionAt(state, step)?.options ?? null) !== null;
      return `fields ${String(step.at)} ${isList ? 'list' : 'text'}`;
    }
    case 'busy':
      return `busy ${step.call} ${String(step.endAfterCall)}`;
    case 'code':
      return `code ${String(codeDeadlineMs)}`;
    case 'menu':
      return `menu ${step.title}`;
    default:
      return step.step;
  }
}

type LineReading =
  { readonly messages: readonly Message[] } | { readonly reply: string; readonly list?: readonly Option[] };

const key = (name: KeyName): Message => ({ type: 'key', key: name });
const text = (typed: string): Message => ({ type: 'text', text: typed });
const ESCAPE = String.fromCharCode(27);

export function readLine(state: State, line: string): LineReading {
  const typed = line.trim();
  const word = typed.toLowerCase();
  if (word === 'leave' || typed === ESCAPE) return { messages: [key('escape')] };
  const { step } = state;
  switch (step.step) {
    case 'fields':
      return readField(state, step, typed);
    case 'summary':
      if (word === 'back') return { messages: [key('up')] };
      if (state.setting.mustSayYes) return { messages: [key('clear'), text(word), key('enter')] };
      return word === 'yes' || word === 'y'
        ? { messages: [key('enter')] }
        : { reply: 'Type yes, back or leave. Nothing was sent.' };
    case 'code':
      if (word === 'new') return { messages: [key('clear'), key('down'), key('enter')] };
      return { messages: typed === '' ? [key('enter')] : [key('clear'), text(typed), key('enter')] };
    case 'menu':
      return readMenu(step, typed);
    case 'busy':
    case 'done':
      return { messages: [] };
  }
}

function readField(state: State, step: StepOf<'fields'>, typed: string): LineReading {
  const question = questionAt(state, step);
  const options = question?.options ?? null;
  if (typed.toLowerCase() === 'back') return { messages: [key('backtab')] };
  if (options === null) {
    return { messages: typed === '' ? [key('enter')] : [key('clear'), text(typed), key('enter')] };
  }
  const isAnswered = state.answers[question?.path ?? ''] !== undefined;
  if (typed === '') return isAnswered ? { messages: [key('enter')] } : { reply: CHOICE_HELP };
  const matches = findOptions(options, typed);
  const [match] = matches;
  if (match === undefined) return { reply: `No entry of the list matches. ${CHOICE_HELP}` };
  if (matches.length > 1) return { reply: `${String(matches.length)} match:`, list: matches };
  const downKeys = Array<Message>(options.indexOf(match)).fill(key('down'));
  return { messages: [key('clear'), ...downKeys, key('enter')] };
}

const CHOICE_HELP = 'Type a number, a code or a part of a name.';

function findOptions(options: readonly Option[], typed: string): readonly Option[] {
  const byCode = options.filter(({ value }) => value.toLowerCase() === typed.toLowerCase());
  if (byCode.length > 0) return byCode;
  const byNumber = /^[0-9]{1,3}$/.test(typed) ? options[Number(typed) - 1] : undefined;
  return byNumber === undefined ? matchingOptions(options, typed) : [byNumber];
}

function readMenu({ options, marked }: StepOf<'menu'>, typed: string): LineReading {
  const at = /^[0-9]{1,2}$/.test(typed) ? Number(typed) - 1 : -1;
  if (options[at] === undefined) return { reply: 'Type one of these numbers.' };
  const downCount = (at - marked + options.length) % options.length;
  return { messages: [...Array<Message>(downCount).fill(key('down')), key('enter')] };
}

interface StepText {
  readonly lines: readonly string[];
  readonly prompt: string | null;
}

export function stepText(state: State): StepText {
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
        prompt: `Type yes to ${nextStepText(state)}, or back, or leave: `,
      };
    case 'busy': {
      const words = step.endAfterCall === null ? callText(step.call, state.setting.direction) : 'Leaving';
      const isFollowing = step.endAfterCall === null && step.call === 'follow';
      return {
        lines: [`${words}.`, ...(isFollowing ? ['Type leave to leave. It becomes final by itself.'] : [])],
        prompt: null,
      };
    }
    case 'code':
      return {
        lines: [
          codeTimeLine(state),
          ...(state.setting.codeHint === null ? [] : [state.setting.codeHint]),
          'One wrong code ends this pay-in: check it before Enter.',
          `Type the code, or new for another code (${String(state.resendsLeft)} left), or leave: the pay-in stays open.`,
          `Later: ${state.operation?.resumeCommand ?? ''}`,
        ],
        prompt: 'Code: ',
      };
    case 'menu':
      return {
        lines: [step.title, step.text, ...step.options.map(({ label }, at) => `${String(at + 1)}. ${label}`)],
        prompt: 'Number: ',
      };
    case 'done':
      return { lines: [], prompt: null };
  }
}

function noticeOf(step: Step): string | null {
  if (step.step === 'fields' || step.step === 'summary') return step.problem;
  return step.step === 'code' ? step.notice : null;
}

const ANNOUNCED_SECONDS = [240, 180, 120, 60, 30, 10, 0];

export function timeLineOf(previous: State, current: State): string | null {
  if (
    previous.step.step !== 'code' ||
    current.step.step !== 'code' ||
    previous.codeDeadlineMs !== current.codeDeadlineMs
  )
    return null;
  const [previousMs, currentMs] = [remainingCodeMs(previous), remainingCodeMs(current)];
  if (previousMs === null || currentMs === null) return null;
  const isReached = ANNOUNCED_SECONDS.some(
    (seconds) => previousMs > seconds * 1000 && currentMs <= seconds * 1000,
  );
  return isReached ? codeTimeLine(current) : null;
}

function optionLines(options: readonly Option[], allOptions: readonly Option[] = options): string[] {
  return options.map((option) => {
    const name = `${option.value}  ${option.label}`.trimEnd();
    return `${String(allOptions.indexOf(option) + 1)}. ${name}`;
  });
}

function tellField(state: State, step: StepOf<'fields'>): StepText {
  const question = questionAt(state, step);
  if (question === null) return { lines: ['There are no more questions.'], prompt: null };
  const title = numberedLabel(state, step.at);
  const earlierAnswer = answerText(question, state.answers);
  const keepLines = earlierAnswer === '' ? [] : [`Enter alone keeps ${earlierAnswer}.`];
  const { options, rule } = question;
  const lines =
    options === null
      ? [`${title}. ${rule}.`]
      : [`${title}: type a number, a code or a part of a name.`, ...optionLines(options)];
  return { lines: [...lines, ...keepLines], prompt: `${question.label}: ` };
}

function codeTimeLine(state: State): string {
  const remainingMs = remainingCodeMs(state);
  if (remainingMs === null) return 'The payer has a code.';
  if (remainingMs === 0) return 'The code has expired.';
  const seconds = Math.ceil(remainingMs / 1000);
  const [minutes, restSeconds] = [Math.floor(seconds / 60), seconds % 60];
  const parts = [
    ...(minutes === 0 ? [] : [counted(minutes, 'minute')]),
    ...(restSeconds === 0 ? [] : [counted(restSeconds, 'second')]),
  ];
  return `The payer has a code, valid for ${parts.join(' and ')}.`;
}
