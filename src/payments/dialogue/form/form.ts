import type { Draft, KeyName } from '../dialogue.js';
import { draftOf, edit, EMPTY_DRAFT, insert } from '../draft.js';

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly emptyText?: string;
  readonly isAsked?: (answers: FormState['answers']) => boolean;
  readonly isSecret: boolean;
  readonly problemOf: (value: string) => string | null;
}

export interface FormState {
  readonly fields: readonly FormField[];
  readonly answers: Readonly<Record<string, string>>;
  readonly at: number;
  readonly draft: Draft;
  readonly problem: string | null;
  readonly end: 'finished' | 'left' | 'stopped' | null;
}

export type FormMessage =
  | { readonly type: 'key'; readonly key: KeyName }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'stop' };

export function beginForm(fields: readonly FormField[]): FormState {
  return {
    fields,
    answers: {},
    at: 0,
    draft: EMPTY_DRAFT,
    problem: null,
    end: fields.length === 0 ? 'finished' : null,
  };
}

export function reduceForm(state: FormState, message: FormMessage): FormState {
  if (state.end !== null) return state;
  if (message.type === 'stop') return { ...state, end: 'stopped' };
  if (message.type === 'text') return { ...state, draft: insert(state.draft, message.text), problem: null };
  switch (message.key) {
    case 'interrupt':
      return { ...state, end: 'stopped' };
    case 'escape':
      return { ...state, end: 'left' };
    case 'enter':
    case 'tab':
    case 'down':
      return accept(state);
    case 'up':
    case 'backtab':
      return goTo(state, Math.max(0, nextAskedAt(state, state.at, -1)));
    default: {
      const draft = edit(state.draft, message.key);
      return draft === null ? state : { ...state, draft, problem: null };
    }
  }
}

export function shownDraft({ fields, at, draft }: FormState): string {
  const isSecret = fields[at]?.isSecret === true;
  const text = isSecret ? '*'.repeat(draft.text.length) : draft.text;
  return `${text.slice(0, draft.cursor)}_${text.slice(draft.cursor)}`;
}

function accept(state: FormState): FormState {
  const field = state.fields[state.at];
  if (field === undefined) return { ...state, end: 'finished' };
  const value = state.draft.text.trim();
  const problem = field.problemOf(value);
  if (problem !== null) return { ...state, problem };
  const answeredState = { ...state, answers: { ...state.answers, [field.name]: value } };
  const nextAt = nextAskedAt(answeredState, state.at, 1);
  return nextAt === state.fields.length ? { ...answeredState, end: 'finished' } : goTo(answeredState, nextAt);
}

function nextAskedAt({ fields, answers }: FormState, at: number, step: 1 | -1): number {
  let index = at + step;
  while (fields[index]?.isAsked?.(answers) === false) index += step;
  return index;
}

function goTo(state: FormState, at: number): FormState {
  const name = state.fields[at]?.name ?? '';
  return { ...state, at, draft: draftOf(state.answers[name] ?? ''), problem: null };
}
