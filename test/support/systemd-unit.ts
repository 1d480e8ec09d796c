/** A unit as systemd reads it (systemd.syntax, systemd.service): what its settings are, and which words a command line comes to. */
import { spawnSync } from 'node:child_process';

/** Every value of a setting, in order. */
export function settingsOf(unit: string, name: string): string[] {
  return unit
    .split('\n')
    .filter((line) => line.startsWith(`${name}=`))
    .map((line) => line.slice(name.length + 1));
}

/**
 * The words of a command line, with specifiers and variables put in.
 * @throws Error for what systemd would warn of or change: an unknown escape, a variable, an open quote
 */
export function wordsOfExec(line: string, specifiers: Readonly<Record<string, string>> = {}): string[] {
  return split(line).map((word) => variablesIn(specifiersIn(word, specifiers)));
}

export function specifiersIn(text: string, specifiers: Readonly<Record<string, string>>): string {
  return text.replace(/%(.?)/gs, (_, letter: string) => {
    if (letter === '%') return '%';
    const value = specifiers[letter];
    if (value === undefined) throw new Error(`%${letter} is no specifier here`);
    return value;
  });
}

function variablesIn(word: string): string {
  return word.replace(/\$(.?)/gs, (_, next: string) => {
    if (next === '$') return '$';
    throw new Error(`a variable in ${word}`);
  });
}

function split(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] ?? '';
    if (character === '\\') {
      const [text, length] = unescaped(line.slice(at));
      word = (word ?? '') + text;
      at += length - 1;
    } else if (quote !== '') {
      if (character === quote) quote = '';
      else word = (word ?? '') + character;
    } else if (word === null && (character === '"' || character === "'")) {
      [word, quote] = ['', character];
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (character === '"' || character === "'") {
      throw new Error('a quote within a word');
    } else {
      if (word === null && character === ';' && /^(\s|$)/.test(line.slice(at + 1)))
        throw new Error('a second command');
      word = (word ?? '') + character;
    }
  }
  if (quote !== '') throw new Error('an open quote');
  return word === null ? words : [...words, word];
}

function unescaped(text: string): [string, number] {
  const [, plain] = /^\\([\\"'])/.exec(text) ?? [];
  if (plain !== undefined) return [plain, 2];
  const [whole, byte, unit] = /^\\(?:x([0-7][0-9a-f])|u([0-9a-f]{4}))/.exec(text) ?? [];
  if (whole === undefined || byte === '00') throw new Error(`an unknown escape: ${text.slice(0, 6)}`);
  return [String.fromCharCode(parseInt(byte ?? unit ?? '', 16)), whole.length];
}

/** What `systemd-analyze verify` finds wrong with a unit file; null where it is not installed. */
export function verifyUnit(path: string): string | null {
  const { error, stderr } = spawnSync('systemd-analyze', ['verify', path], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  if (error === undefined) return stderr;
  process.stderr.write('No systemd-analyze here: units are not verified by it.\n');
  return null;
}
