import { LIMITS } from '../../contract/limits.js';
import { callForOperation, canStartAgain, takeEnd } from './answers-step.js';
import { beginCode, pressInCode, typeCode, withCodeValidity } from './code-step.js';
import {
  beginCall,
  turn,
  type Action,
  type End,
  type KeyName,
  type Message,
  type Setting,
  type State,
  type StepOf,
  type Turn,
  type Answers,
} from './dialogue.js';
import { insert, EMPTY_DRAFT } from './draft.js';
import { ask, askAt, pressInField, takeBanks, typeField } from './fields-step.js';
import { questionsOf } from './questions.js';

export function begin(setting: Setting, answers: Answers, nowMs: number): Turn {
  return ask(initialState(setting, answers, nowMs));
}

export function beginExisting(setting: Setting, id: string, nowMs: number): Turn {
  return beginCall({ ...initialState(setting, {}, nowMs), id }, { type: 'lookUp', id });
}

export function reduce(state: State, message: Message): Turn {
  if (state.step.step === 'done') return turn(state);
  switch (message.type) {
    case 'key':
      return press(state, message.key);
    case 'text':
      return typeText(state, message.text);
    case 'tick':
      return turn({ ...state, nowMs: Math.max(state.nowMs, message.nowMs) });
    case 'banks':
      return takeBanks(state, message.key, { key: message.key, list: message.list ?? [] });
    case 'codeValidity':
      return turn(withCodeValidity(state, message));
    case 'said':
      return turn({ ...state, log: [...state.log, message.line] });
    case 'ended':
      return takeEnd(state, message);
    case 'stop':
      return leave(state, 'stopped');
  }
}

function initialState(setting: Setting, answers: Answers, nowMs: number): State {
  return {
    setting,
    answers,
    banks: null,
    id: null,
    operation: null,
    resendsLeft: LIMITS.codeResends,
    codeDeadlineMs: null,
    isConfirmOpen: false,
    notice: null,
    nowMs,
    log: [],
    step: { step: 'summary', typed: '', problem: null },
  };
}

function typeText(state: State, text: string): Turn {
  const { step } = state;
  if (step.step === 'fields') return typeField(state, step, text);
  if (step.step === 'code') return typeCode(state, step, text);
  if (step.step !== 'summary' || !state.setting.mustSayYes) return turn(state);
  const typed = insert({ ...EMPTY_DRAFT, text: step.typed, cursor: step.typed.length }, text).text.slice(
    0,
    10,
  );
  return turn({ ...state, step: { ...step, typed, problem: null } });
}

function press(state: State, key: KeyName): Turn {
  if (key === 'interrupt') return leave(state, 'stopped');
  if (key === 'escape') return leave(state, 'left');
  const { step } = state;
  switch (step.step) {
    case 'fields':
      return pressInField(state, step, key);
    case 'summary':
      return pressInSummary(state, step, key);
    case 'code':
      return pressInCode(state, step, key);
    case 'menu':
      return pressInMenu(state, step, key);
    case 'busy':
    case 'done':
      return turn(state);
  }
}

function leave(state: State, end: End): Turn {
  const { step } = state;
  if (step.step !== 'busy') return turn({ ...state, step: { step: 'done', end } });
  return turn({ ...state, step: { ...step, endAfterCall: end } }, { type: 'abort' });
}

function pressInSummary(state: State, step: StepOf<'summary'>, key: KeyName): Turn {
  if (key === 'backspace')
    return turn({ ...state, step: { ...step, typed: step.typed.slice(0, -1), problem: null } });
  if (key === 'clear') return turn({ ...state, step: { ...step, typed: '', problem: null } });
  if (key === 'up' || key === 'left' || key === 'backtab') return askAt(state, questionsOf(state).length - 1);
  if (key !== 'enter') return turn(state);
  if (state.setting.mustSayYes && step.typed.trim().toLowerCase() !== 'yes') {
    return turn({
      ...state,
      step: { ...step, problem: 'Real money: type yes, then Enter. Nothing was sent.' },
    });
  }
  const askTurn = ask(state);
  if (askTurn.state.step.step !== 'summary') return askTurn;
  const resendsLeft = LIMITS.codeResends;
  const createState = { ...state, resendsLeft, codeDeadlineMs: null, isConfirmOpen: false };
  return beginCall(createState, { type: 'create', answers: state.answers });
}

function pressInMenu(state: State, step: StepOf<'menu'>, key: KeyName): Turn {
  const count = step.options.length;
  if (key === 'up' || key === 'backtab' || key === 'down' || key === 'tab') {
    const offset = key === 'up' || key === 'backtab' ? count - 1 : 1;
    return turn({ ...state, step: { ...step, marked: (step.marked + offset) % count } });
  }
  const action = step.options[step.marked]?.action;
  return key === 'enter' && action !== undefined ? carryOut(state, action) : turn(state);
}

function carryOut(state: State, action: Action): Turn {
  switch (action) {
    case 'leave':
      return leave(state, 'left');
    case 'finish':
      return leave(state, 'finished');
    case 'summary':
      return turn({ ...state, step: { step: 'summary', typed: '', problem: null } });
    case 'fields':
      return canStartAgain(state) ? askAt(state, 0) : turn(state);
    case 'code':
      return turn(
        beginCode({ ...state, isConfirmOpen: false }, 'Use the newest code. A wrong one ends the pay-in.'),
      );
    case 'lookUp':
    case 'follow':
      return callForOperation(state, action);
    case 'repeat':
      return beginCall(state, { type: 'repeat' });
  }
}
