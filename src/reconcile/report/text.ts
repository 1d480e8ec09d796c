/** Texts of a ledger and of the service as they stand in a document: what could be markup, or turn the direction of a line, is shown as text. */
import { showUnseen } from '../../contract/on-screen.js';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text between tags, and in an attribute within quotes. */
export function inHtml(text: string): string {
  return showUnseen(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/** A value as JSON inside a script element, whose end and whose comments are found before anything reads JSON. */
export function inScript(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'string' ? showUnseen(member) : member,
  ).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}
