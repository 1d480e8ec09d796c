import { hasKeyPrefix } from '../../contract/access.js';
import { isEscaped } from '../../contract/json.js';

export type JsonPath = readonly (string | number)[];

export interface JsonProblem {
  readonly at: number;
  readonly path: JsonPath;
  readonly text: string;
}

/** Copy `path` to keep it, because the scanner changes it after the call. */
type OnValue = (path: JsonPath, start: number, end: number) => void;

const DEPTH_MAX = 3000;

const CONTROL_CHARACTER = /[^\P{Cc}\u007f-\u009f]/u;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/g;
const UNQUOTED = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])/y;

class InvalidJson extends Error {
  constructor(readonly problem: JsonProblem) {
    super(problem.text);
  }
}

export function scanJson(text: string, onValue: OnValue = () => undefined): JsonProblem | null {
  const path: (string | number)[] = [];
  let at = 0;

  const fail = (message: string, where = at): never => {
    throw new InvalidJson({ at: where, path: [...path], text: message });
  };
  const failAtCharacter = (): never =>
    at >= text.length
      ? fail('The text ends here, in the middle. It may be truncated.')
      : fail(
          `${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))} cannot stand here: this is not JSON.`,
        );
  const skipSpace = (): void => {
    for (let code = text.charCodeAt(at); code === 32 || code === 10 || code === 13 || code === 9;) {
      at += 1;
      code = text.charCodeAt(at);
    }
  };
  const readItems = (closingBracket: ']' | '}'): void => {
    skipSpace();
    let separator = text[at] === closingBracket ? closingBracket : ',';
    if (separator === closingBracket) at += 1;
    const knownNames = new Set<string>();
    for (let index = 0; separator === ','; index += 1) {
      if (closingBracket === ']') path.push(index);
      else readName(knownNames);
      readValue();
      path.pop();
      skipSpace();
      separator = text[at] ?? '';
      if (separator !== ',' && separator !== closingBracket) failAtCharacter();
      at += 1;
    }
  };
  const readName = (knownNames: Set<string>): void => {
    skipSpace();
    const start = at;
    const raw = readString();
    const name = raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
    path.push(name);
    if (knownNames.has(name)) fail('This name stands twice in one object.', start);
    knownNames.add(name);
    skipSpace();
    if (text[at] !== ':') failAtCharacter();
    at += 1;
  };
  const readString = (): string => {
    if (text[at] !== '"') failAtCharacter();
    let end = text.indexOf('"', at + 1);
    while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end === -1) fail('A text in quotes begins here and does not end. The file may be truncated.');
    const raw = text.slice(at + 1, end);
    if (CONTROL_CHARACTER.test(raw) || (raw.includes('\\') && raw.replace(ESCAPE, '').includes('\\')))
      fail('This text in quotes is not valid JSON.');
    at = end + 1;
    return raw;
  };
  const readValue = (): void => {
    skipSpace();
    const start = at;
    const first = text[at];
    if (first === '{' || first === '[') {
      if (path.length >= DEPTH_MAX) fail('Values are nested too deep here.');
      at += 1;
      readItems(first === '{' ? '}' : ']');
    } else if (first === '"') readString();
    else {
      UNQUOTED.lastIndex = at;
      if (!UNQUOTED.test(text)) failAtCharacter();
      at = UNQUOTED.lastIndex;
    }
    onValue(path, start, at);
  };

  try {
    readValue();
    skipSpace();
    return at < text.length ? { at, path: [], text: 'Nothing can follow the end of the object.' } : null;
  } catch (error) {
    if (error instanceof InvalidJson) return error.problem;
    throw error;
  }
}

export function lineNumbersOf(text: string, paths: readonly JsonPath[]): number[] {
  const matches = paths.map(() => ({ depth: -1, at: 0 }));
  scanJson(text, (path, start) => {
    for (const [index, target] of paths.entries()) {
      const match = matches[index];
      if (match === undefined || path.length <= match.depth || path.length > target.length) continue;
      if (path.every((part, place) => part === target[place])) [match.depth, match.at] = [path.length, start];
    }
  });
  return matches.map(({ at }) => lineOfCharacter(text, at));
}

export function lineOfCharacter(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', end + 1)) line += 1;
  return line;
}

export const pathText = (path: JsonPath): string =>
  path
    .map((part, index) => {
      if (typeof part === 'number') return `[${String(part)}]`;
      if (hasKeyPrefix(part)) return '["..."]';
      const isPlain = /^[A-Za-z_$][A-Za-z0-9_-]{0,63}$/.test(part);
      return isPlain ? (index === 0 ? part : `.${part}`) : `[${JSON.stringify(part.slice(0, 64))}]`;
    })
    .join('');
