/** Command lines in units of systemd, by its rules (systemd.service, systemd.syntax): each word means itself, whatever it holds. Pure. */
import { showUnseen } from '../../contract/unseen.js';

/** Read as it stands, wherever it stands in a command line. */
const PLAIN = /^[A-Za-z0-9_@+=:,./-]+$/;

/** One word: quoted unless it is plain; specifiers, variables, quotes and backslashes are none. */
export function unitWord(word: string): string {
  if (PLAIN.test(word)) return word;
  const text = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return `"${showUnseen(text, escaped)}"`;
}

/** The value of `ExecStart`. @param program a path that needs no quotes */
export function execLine(program: string, words: readonly string[]): string {
  return [program, ...words.map(unitWord)].join(' ');
}

/** A byte below 0x80, or a character of Unicode, as systemd reads it. */
function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80
    ? `\\x${code.toString(16).padStart(2, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`;
}
