import type { Bank, Capabilities } from '../../contract/catalog.js';
import type { Direction } from '../../contract/operation.js';

export interface Setting {
  readonly direction: Direction;
  readonly isLive: boolean;
  readonly showsSandboxNote: boolean;
  readonly place: string;
  readonly mustSayYes: boolean;
  readonly showsReceivingAccount: boolean;
  readonly codeHint: string | null;
  readonly isClockMovable: boolean;
  readonly catalog: Capabilities | null;
  readonly toAsk: readonly string[];
}

export type CallName = 'create' | 'repeat' | 'confirm' | 'resend' | 'lookUp' | 'follow';
export type End = 'finished' | 'left' | 'stopped';

export interface Draft {
  readonly text: string;
  readonly cursor: number;
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
  | {
      readonly step: 'busy';
      readonly call: CallName;
      readonly sinceMs: number;
      readonly endAfterCall: End | null;
    }
  | {
      readonly step: 'code';
      readonly text: string;
      readonly warnedCode: string | null;
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
  readonly banks: { readonly key: string; readonly list: readonly Bank[] } | null;
  readonly id: string | null;
  readonly operation: OperationView | null;
  readonly resendsLeft: number;
  readonly codeDeadlineMs: number | null;
  readonly isConfirmOpen: boolean;
  readonly notice: string | null;
  readonly nowMs: number;
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
  | 'clear'
  | 'escape'
  | 'interrupt';

export type Message =
  | { readonly type: 'key'; readonly key: KeyName }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tick'; readonly nowMs: number }
  | { readonly type: 'banks'; readonly key: string; readonly list: readonly Bank[] | null }
  | { readonly type: 'codeValidity'; readonly validity: CodeValidity; readonly nowMs: number }
  | { readonly type: 'said'; readonly line: string }
  | { readonly type: 'ended'; readonly call: CallName; readonly end: CallEnd; readonly nowMs: number }
  | { readonly type: 'stop' };

export type Effect =
  | { readonly type: 'banks'; readonly key: string; readonly country: string; readonly method: string }
  | { readonly type: 'create'; readonly answers: Answers }
  | { readonly type: 'repeat' }
  | { readonly type: 'confirm'; readonly id: string; readonly code: string }
  | { readonly type: 'resend' | 'lookUp' | 'follow'; readonly id: string }
  | { readonly type: 'abort' };

export interface Turn {
  readonly state: State;
  readonly effect: Effect | null;
}

export function turn(state: State, effect: Effect | null = null): Turn {
  return { state, effect };
}

export type CallEffect = Extract<Effect, { readonly type: CallName }>;

export function beginCall(state: State, effect: CallEffect): Turn {
  const step: Step = { step: 'busy', call: effect.type, sinceMs: state.nowMs, endAfterCall: null };
  return turn({ ...state, step }, effect);
}

/** The keys are paths in the body, such as `payer.document.number`. */
export type Answers = Readonly<Record<string, string>>;

export interface OperationView {
  readonly id: string;
  readonly status: string;
  readonly pendingReason: string | null;
  readonly amount: string;
  readonly codeValidMs: number | null;
  readonly codeExpiresAt: string | null;
  readonly bankReference: string | null;
  readonly failure: string | null;
  readonly resumeCommand: string;
}

export interface CodeValidity {
  readonly codeExpiresAt: string | null;
  readonly validMs: number;
}

export type CallEnd =
  | { readonly kind: 'operation'; readonly operation: OperationView }
  | { readonly kind: 'refused'; readonly code: string; readonly text: string }
  | { readonly kind: 'later'; readonly text: string }
  | { readonly kind: 'unknown'; readonly text: string };

export type Say = (line: string) => Promise<void>;

export interface ServicePort {
  banks(country: string, method: string): Promise<readonly Bank[] | null>;
  call(effect: CallEffect): Promise<CallEnd>;
  readCodeValidity(id: string): Promise<CodeValidity | null>;
  abort(): void;
}
