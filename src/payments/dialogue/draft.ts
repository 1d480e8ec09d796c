import type { Draft, KeyName } from './dialogue.js';

export const EMPTY_DRAFT: Draft = { text: '', cursor: 0, marked: 0 };
const MAX_CHARACTERS = 200;

export function draftOf(text: string): Draft {
  return { text, cursor: text.length, marked: 0 };
}

export function insert(draft: Draft, typed: string): Draft {
  const cleanText = typed.replace(/[\r\n\t]+/g, ' ').replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '');
  const head = draft.text.slice(0, draft.cursor) + (draft.text === '' ? cleanText.trimStart() : cleanText);
  const text = (head + draft.text.slice(draft.cursor)).slice(0, MAX_CHARACTERS);
  return { text, cursor: Math.min(head.length, text.length), marked: 0 };
}

export function edit({ text, cursor, marked }: Draft, key: KeyName): Draft | null {
  const move = (position: number): Draft => ({
    text,
    marked,
    cursor: Math.max(0, Math.min(text.length, position)),
  });
  switch (key) {
    case 'left':
      return move(cursor - 1);
    case 'right':
      return move(cursor + 1);
    case 'home':
      return move(0);
    case 'end':
      return move(text.length);
    case 'backspace': {
      const at = Math.max(0, cursor - 1);
      return { text: text.slice(0, at) + text.slice(cursor), cursor: at, marked: 0 };
    }
    case 'delete':
      return { text: text.slice(0, cursor) + text.slice(cursor + 1), cursor, marked: 0 };
    case 'clear':
      return EMPTY_DRAFT;
    default:
      return null;
  }
}
