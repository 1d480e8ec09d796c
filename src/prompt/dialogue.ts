/** The words of the dialogue: its state, what can happen to it, and what it asks to be done. Plain data. */
import type { Bank, Capabilities } from '../contract/catalog.js';
import type { Direction } from '../contract/operation.js';
import type { Answers, CallEnd, CodeLeft, Seen } from './port.js';

/** What does not change while the dialogue lasts. */
export interface Setting {
  /** Which way the money goes. */
  readonly direction: Direction;
  readonly isLive: boolean;
  /** Whether it is said here that a sandbox moves no money: the session may have said it already. */
  readonly saysSandbox: boolean;
  /** Where requests go, for the summary. */
  readonly place: string;
  /** Live without `--yes`: the summary asks for the word. */
  readonly mustSayYes: boolean;
  /** Whether the account to pay into is said here: beneath the answer it is said only where that is for a person too. */
  readonly saysAccount: boolean;
  /** Which code is the one, in a sandbox that says so. */
  readonly codeHint: string | null;
  /** Whether the service's clock may be moved while a code is awaited: a sandbox of this machine is asked for it again and again. */
  readonly clockMoves: boolean;
  /** Null where the dialogue begins with a pay-in that exists. */
  readonly catalog: Capabilities | null;
  /** Paths of country, currency and method that are asked for: the others are decided. */
  readonly asked: readonly string[];
}

export type CallName = 'create' | 'repeat' | 'confirm' | 'resend' | 'lookUp' | 'follow';
export type End = 'finished' | 'left' | 'stopped';

/** A text under way: what stands there, and where in it the next character goes. For a list: what it is filtered by. */
export interface Draft {
  readonly text: string;
  readonly cursor: number;
  /** Which of the options that pass the filter is marked. */
  readonly marked: number;
}

export type Action = 'repeat' | 'summary' | 'fields' | 'lookUp' | 'follow' | 'code' | 'leave' | 'finish';

export interface MenuOption {
  readonly label: string;
  readonly action: Action;
}

export type Step =
  | { readonly step: 'fields'; readonly at: number; readonly draft: Draft; readonly problem: string | null }
  | { readonly step: 'summary'; readonly typed: string; readonly problem: string | null }
  | { readonly step: 'busy'; readonly call: CallName; readonly sinceMs: number; readonly leaving: End | null }
  /** `focus`: the code, the resend, the way out. `doubted`: the unusual code that was asked about. */
  | {
      readonly step: 'code';
      readonly text: string;
      readonly doubted: string | null;
      readonly focus: 'code' | 'resend' | 'leave';
      readonly notice: string | null;
    }
  | {
      readonly step: 'menu';
      readonly tone: 'bad' | 'warn';
      readonly title: string;
      readonly text: string;
      readonly options: readonly MenuOption[];
      readonly marked: number;
    }
  | { readonly step: 'done'; readonly end: End };

export type StepOf<Name extends Step['step']> = Extract<Step, { step: Name }>;

export interface State {
  readonly setting: Setting;
  readonly answers: Answers;
  /** The banks of one country and method; an empty list where they can't be had. */
  readonly banks: { readonly of: string; readonly list: readonly Bank[] } | null;
  /** The operation that this is about; null before there is one. */
  readonly id: string | null;
  readonly operation: Seen | null;
  readonly resendsLeft: number;
  /** Until when the code is valid, on the monotonic clock. */
  readonly deadlineMs: number | null;
  /** The confirm left and its answer was lost: a lookup that still awaits the code settles nothing. */
  readonly isConfirmOpen: boolean;
  /** What a lookup is to say once it is back in the dialogue. */
  readonly notice: string | null;
  /** The monotonic clock at the last tick or answer. */
  readonly nowMs: number;
  /** Lines that stay on the screen. */
  readonly log: readonly string[];
  readonly step: Step;
}

export type KeyName =
  | 'enter'
  | 'tab'
  | 'backtab'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'backspace'
  | 'delete'
  /** The whole line goes: Ctrl-U. */
  | 'clear'
  | 'escape'
  | 'interrupt';

export type Message =
  | { readonly type: 'key'; readonly key: KeyName }
  /** Typed or pasted; it may hold anything. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tick'; readonly nowMs: number }
  | { readonly type: 'banks'; readonly of: string; readonly list: readonly Bank[] | null }
  | { readonly type: 'codeLeft'; readonly left: CodeLeft; readonly nowMs: number }
  | { readonly type: 'said'; readonly line: string }
  | { readonly type: 'ended'; readonly call: CallName; readonly end: CallEnd; readonly nowMs: number }
  /** The process was asked to end. */
  | { readonly type: 'stop' };

export type Effect =
  | { readonly type: 'banks'; readonly of: string; readonly country: string; readonly method: string }
  | { readonly type: 'create'; readonly answers: Answers }
  | { readonly type: 'repeat' }
  | { readonly type: 'confirm'; readonly id: string; readonly code: string }
  | { readonly type: 'resend' | 'lookUp' | 'follow'; readonly id: string }
  | { readonly type: 'abort' };

/** A new state, and what is to be done about it. */
export interface Turn {
  readonly state: State;
  readonly effect: Effect | null;
}

export function turn(state: State, effect: Effect | null = null): Turn {
  return { state, effect };
}
