/** What nobody sees in a text, though it may drive a terminal, end a line or turn its direction: one list for all who show texts. Pure. */

/** C0, DEL and C1 (Cc), halves of a pair (Cs), line and paragraph separators, bidi controls, invisible spaces. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\ufeff]/gu;

export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) !== -1;
}

/** Each of them in the form that is given, which is an escape unless another one is. */
export function showUnseen(text: string, form: (character: string, at: number) => string = escapeOf): string {
  return text.replace(UNSEEN, form);
}

/** `\u202e` */
export function escapeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
