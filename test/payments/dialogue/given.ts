import type {
  End,
  Message,
  Setting,
  State,
  CallEnd,
  OperationView,
} from '../../../src/payments/dialogue/dialogue.js';
import { begin, reduce } from '../../../src/payments/dialogue/reduce.js';
import { banksOf, CAPABILITIES } from '../../../src/sandbox/catalog/catalog.js';

export const SETTING: Setting = {
  ...{ direction: 'payin', isLive: false, showsSandboxNote: true, codeHint: null, isClockMovable: false },
  ...{ showsReceivingAccount: true, place: 'embedded', mustSayYes: false, catalog: CAPABILITIES, toAsk: [] },
};

export const ID = '0b9ad0f2-1c1f-4a3e-9a39-0f6f0a3a6d11';
export const FIVE_MINUTES_MS = 300_000;

export const WHOLE = {
  ...{ country: 'VE', currency: 'VES', method: 'debit_otp', amount: '10.00', 'payer.document.type': 'V' },
  ...{ 'payer.document.number': '12345678', 'payer.bank_code': '0102', 'payer.phone': '04121234567' },
};

const banks = banksOf('VE', 'debit_otp');
export const BANKS: Message = { type: 'banks', key: 'VE debit_otp', list: 'refusal' in banks ? null : banks };

export function seen(change: Partial<OperationView> = {}): OperationView {
  return {
    ...{ id: ID, status: 'pending', pendingReason: 'awaiting_code', amount: '10.00 VES' },
    ...{ codeValidMs: FIVE_MINUTES_MS, codeExpiresAt: '2026-09-23T15:05:00Z', bankReference: null },
    ...{ failure: null, resumeCommand: `svc payins confirm ${ID}` },
    ...change,
  };
}

export const CONFIRMED = seen({ status: 'confirmed', pendingReason: null, bankReference: '00000001' });
export const FAILED = seen({ status: 'failed', pendingReason: null, failure: 'The code was wrong.' });
export const PROCESSING = seen({ pendingReason: 'processing' });

export function operation(found: OperationView): CallEnd {
  return { kind: 'operation', operation: found };
}

export const key = (name: Extract<Message, { type: 'key' }>['key']): Message => ({ type: 'key', key: name });
export const text = (typed: string): Message => ({ type: 'text', text: typed });

export function ended(state: State, end: CallEnd, nowMs = state.nowMs): Message {
  if (state.step.step !== 'busy') throw new Error(`nothing is under way in ${state.step.step}`);
  return { type: 'ended', call: state.step.call, end, nowMs };
}

export function play(start: State, ...messages: readonly (Message | ((state: State) => Message))[]): State {
  return messages.reduce(
    (state, message) => reduce(state, typeof message === 'function' ? message(state) : message).state,
    start,
  );
}

export function started(answers: Readonly<Record<string, string>> = WHOLE, setting = SETTING): State {
  return begin(setting, answers, 0).state;
}

export function atCode(): State {
  return play(started(), BANKS, key('enter'), (state) => ended(state, operation(seen())));
}

export function endOf({ step }: State): End | null {
  return step.step === 'done' ? step.end : null;
}
