/** Texts of a ledger and of the service as they stand in a document: what could be markup, or turn the direction of a line, is shown as text. */

/** What nobody sees: control characters, halves of a pair, ends of lines, marks of direction, spaces without a width. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\ufeff]/gu;

/** Each of them as an escape. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text between tags, and in an attribute within quotes. */
export function inHtml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A value as JSON inside a script element, whose end and whose comments are found before anything reads JSON. */
export function inScript(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? visible(member) : member,
  ).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
