import { partyOf } from '../../contract/operation.js';
import { turn, type Effect, type KeyName, type State, type StepOf, type Turn } from './dialogue.js';
import { draftOf, edit, EMPTY_DRAFT, insert } from './draft.js';
import {
  decidedAnswers,
  matchingOptions,
  intendedValue,
  type Option,
  type Question,
  banksKey,
  questionsOf,
} from './questions.js';

type FieldsStep = StepOf<'fields'>;

export const LIST_ROWS = 6;

export function ask(previous: State): Turn {
  const state = fillDecided(previous);
  const at = questionsOf(state).findIndex(({ path, accepts }) => {
    const answer = state.answers[path];
    return answer === undefined || !accepts(answer);
  });
  return at === -1
    ? turn({ ...state, step: { step: 'summary', typed: '', problem: null } }, banksEffect(state))
    : askAt(state, at);
}

export function askAt(previous: State, at: number): Turn {
  const state = fillDecided(previous);
  const question = questionsOf(state)[at];
  const answer = question === undefined ? '' : (state.answers[question.path] ?? '');
  const options = question?.options ?? null;
  const marked = Math.max(0, options?.findIndex(({ value }) => value === answer) ?? 0);
  const draft = options === null ? draftOf(answer) : { ...EMPTY_DRAFT, marked };
  return turn({ ...state, step: { step: 'fields', at, draft, problem: null } }, banksEffect(state));
}

export function questionAt(state: State, { at }: FieldsStep): Question | null {
  return questionsOf(state)[at] ?? null;
}

export function optionsOf(question: Question, { draft }: FieldsStep): readonly Option[] | null {
  return question.options === null ? null : matchingOptions(question.options, draft.text);
}

export function typeField(state: State, step: FieldsStep, text: string): Turn {
  return turn({ ...state, step: { ...step, draft: insert(step.draft, text), problem: null } });
}

export function pressInField(state: State, step: FieldsStep, key: KeyName): Turn {
  const question = questionAt(state, step);
  if (question === null) return ask(state);
  const options = optionsOf(question, step);
  if (key === 'backtab' || (key === 'up' && options === null) || (key === 'left' && options !== null)) {
    if (step.at === 0) return turn(state);
    const { text } = step.draft;
    const isTyped = options === null && text !== '';
    const answers = isTyped ? { ...state.answers, [question.path]: text } : state.answers;
    return askAt({ ...state, answers }, step.at - 1);
  }
  if (options !== null && (key === 'up' || key === 'down')) {
    const marked = step.draft.marked + (key === 'up' ? -1 : 1);
    const draft = { ...step.draft, marked: Math.max(0, Math.min(options.length - 1, marked)) };
    return turn({ ...state, step: { ...step, draft, problem: null } });
  }
  const isForward = key === 'enter' || key === 'tab' || key === (options === null ? 'down' : 'right');
  if (isForward) return accept(state, step, question, options);
  const draft = edit(step.draft, key);
  return turn(draft === null ? state : { ...state, step: { ...step, draft, problem: null } });
}

export function takeBanks(state: State, listKey: string, banks: State['banks']): Turn {
  if (banksKey(state.answers) !== listKey) return turn(state);
  const stateWithBanks = { ...state, banks };
  const { step } = stateWithBanks;
  if (step.step === 'summary') return turn(ask(stateWithBanks).state);
  const bankPath = `${partyOf(stateWithBanks.setting.direction)}.bank_code`;
  if (step.step === 'fields' && questionAt(stateWithBanks, step)?.path === bankPath) {
    const isUntouched = step.draft.text === '' || step.draft.text === stateWithBanks.answers[bankPath];
    if (isUntouched) return turn(askAt(stateWithBanks, step.at).state);
  }
  return turn(stateWithBanks);
}

function accept(state: State, step: FieldsStep, question: Question, options: readonly Option[] | null): Turn {
  const value =
    options === null ? intendedValue(question, step.draft.text) : (options[step.draft.marked]?.value ?? '');
  if (!question.accepts(value)) {
    const problem =
      options === null
        ? `${value === '' ? '' : 'Not valid. '}${question.rule}`
        : 'No entry of the list matches.';
    return turn({ ...state, step: { ...step, problem } });
  }
  const answeredState = fillDecided({ ...state, answers: { ...state.answers, [question.path]: value } });
  const isLast = step.at >= questionsOf(answeredState).length - 1;
  return isLast ? ask(answeredState) : askAt(answeredState, step.at + 1);
}

function fillDecided(state: State): State {
  return { ...state, answers: decidedAnswers(state.setting, state.answers) };
}

function banksEffect(state: State): Effect | null {
  const listKey = banksKey(state.answers);
  const { country, method } = state.answers;
  if (listKey === null || country === undefined || method === undefined || state.banks?.key === listKey)
    return null;
  return { type: 'banks', key: listKey, country, method };
}
