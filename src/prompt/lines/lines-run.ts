/** Runs the dialogue at a terminal in lines that stay: for screen readers, and for terminals that cannot move their cursor. */
import type { Terminal } from '../../runtime/ports.js';
import type { End, Message, State } from '../dialogue.js';
import { drive, type DriveOptions, type Face } from '../drive.js';
import { openLines } from './line-terminal.js';
import { readLine } from './reading.js';
import { noticeOf, optionLines, tell, timePassed } from './telling.js';
import { questionAt } from '../fields-step.js';

export interface LinesOptions extends DriveOptions {
  readonly terminal: Terminal;
  /** Makes control characters of a foreign text visible. */
  readonly escape: (text: string) => string;
}

/** Resolves when the dialogue has ended. @throws whatever the port throws: a defect */
export function runLines(options: LinesOptions): Promise<End> {
  return drive(options, (start, told) => faceOf(start, told, options));
}

function faceOf(start: State, told: (message: Message) => void, { terminal, escape }: LinesOptions): Face {
  let state = start;
  /** Said again once a line was read, whatever became of the step. */
  let isRead = true;
  let loggedCount = 0;
  /** Whether a prompt stands on the line in which the cursor is. */
  let isPrompting = false;
  /** Between the keys that make up one line there is nothing to say. */
  let quiet = false;

  const say = (lines: readonly string[]): void => {
    if (lines.length === 0) return;
    if (isPrompting) screen.write('\n');
    isPrompting = false;
    for (const line of lines) screen.write(`${escape(line)}\n`);
  };
  const ask = (prompt: string | null): void => {
    if (prompt === null || isPrompting) return;
    screen.write(escape(prompt));
    isPrompting = true;
  };
  const show = (next: State): void => {
    const before = state;
    state = next;
    say(next.log.slice(loggedCount));
    loggedCount = next.log.length;
    const { lines, prompt } = tell(next);
    const isNew = stepName(before) !== stepName(next) || isRead;
    const notice = noticeOf(next.step);
    const passed = timePassed(before, next);
    if (isNew) {
      const isSame = stepName(before) === stepName(next) && notice !== null;
      say([...(notice === null ? [] : [notice]), ...(isSame ? [] : lines)]);
    } else if (passed !== null) say([passed]);
    isRead = false;
    ask(prompt);
  };
  const take = (line: string | null): void => {
    isPrompting = false;
    if (line === null) {
      told({ type: 'key', key: 'escape' });
      return;
    }
    const read = readLine(state, line);
    if ('again' in read) {
      const all = state.step.step === 'fields' ? (questionAt(state, state.step)?.options ?? []) : [];
      say([read.again, ...optionLines(read.list ?? [], all)]);
      ask(tell(state).prompt);
      return;
    }
    read.messages.forEach((message, at) => {
      isRead = at === read.messages.length - 1;
      quiet = !isRead;
      told(message);
    });
  };
  const screen = openLines(terminal, take);
  if (start.setting.isLive) say(['LIVE: real money.']);
  else if (start.setting.saysSandbox) say(['Sandbox: no money moves.']);
  show(start);
  return {
    show: (next) => {
      if (quiet) state = next;
      else show(next);
    },
    shown: () => screen.written(),
    close: async () => {
      if (isPrompting) screen.write('\n');
      await screen.written();
      screen.close();
    },
  };
}

/** What makes one step another one. */
function stepName(state: State): string {
  const { step, deadlineMs } = state;
  switch (step.step) {
    case 'fields': {
      // The banks may come while the question stands.
      const isList = (questionAt(state, step)?.options ?? null) !== null;
      return `fields ${String(step.at)} ${isList ? 'list' : 'text'}`;
    }
    case 'busy':
      return `busy ${step.call} ${String(step.leaving)}`;
    case 'code':
      return `code ${String(deadlineMs)}`;
    case 'menu':
      return `menu ${step.title}`;
    default:
      return step.step;
  }
}
