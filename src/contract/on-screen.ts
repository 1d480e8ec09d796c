export function enumerated(words: readonly string[], joint: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${joint} ${last}`;
}

export function counted(count: number, noun: string): string {
  const plural = /[^aeiou]y$/.test(noun)
    ? `${noun.slice(0, -1)}ies`
    : `${noun}${noun.endsWith('ch') ? 'es' : 's'}`;
  return `${String(count)} ${count === 1 ? noun : plural}`;
}

/** Puts commas between the thousands of the number that begins `text`. */
export const groupDigits = (text: string): string =>
  text.replace(/^-?[0-9]+/, (whole) => whole.replace(/\B(?=(?:[0-9]{3})+$)/g, ','));

const HOUR_MS = 3_600_000;

export function countdown(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / 1000));
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
}

export function timeLeft(remainingMs: number): string {
  if (remainingMs < HOUR_MS) return countdown(remainingMs);
  const minutes = Math.floor(remainingMs / 60_000);
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

const PERSONAL_PATH = /(^|\.)(document\.number|account_number)$/;

export function maskPersonal(path: string, value: string): string {
  if (value === '' || !PERSONAL_PATH.test(path)) return value;
  return value.length > 4 ? `***${value.slice(-4)}` : '***';
}

const LETTER = '[\\p{L}\\p{M}]';
const JOINING_LETTER = `(?![\\p{sc=Latn}\\p{sc=Grek}\\p{sc=Cyrl}])${LETTER}`;
const joinedPatterns = new Map<string, RegExp>();

function isJoined(text: string, at: number, letter: string): boolean {
  if (!/^[\u200c\u200d\p{VS}]/u.test(text.slice(at, at + 2))) return false;
  const joinable = `(?:${letter}|[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])`;
  const joiner = `(?<=${joinable}\\p{VS}?)[\\u200c\\u200d](?=${joinable})`;
  const source = `${joiner}|(?<=(?!\\p{VS})${joinable})\\p{VS}|\\ufe0f(?=\\u20e3)`;
  const pattern = joinedPatterns.get(letter) ?? new RegExp(source, 'uy');
  joinedPatterns.set(letter, pattern);
  pattern.lastIndex = at;
  return pattern.test(text);
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const UNSEEN_CHARACTERS = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export function hasUnseen(text: string): boolean {
  return showUnseen(text, () => '') !== text;
}

export function showUnseen(
  text: string,
  form: (character: string, at: number) => string = escapeOf,
  characters = UNSEEN_CHARACTERS,
): string {
  return text.replace(characters, (character, at: number) =>
    isJoined(text, at, JOINING_LETTER) ? character : form(character, at),
  );
}

export function quoteIfOdd(joint: string, text: string): string {
  const isOdd = (/["'`\s\\]/.test(text) || hasUnseen(text)) && !/[@?#]|svc_(live|test)_/.test(text);
  return isOdd ? joint + showUnseen(JSON.stringify(text.slice(0, 80))) : '';
}

export function showInvisible(text: string): string {
  return showUnseen(text, escapeOf, INVISIBLE);
}

export function withoutJoiners(text: string): string {
  return text.replace(INVISIBLE, (character, at: number) => (isJoined(text, at, LETTER) ? '' : character));
}

/** The patterns below check for their sign first, because the lookbehind alone is slow in long texts. */
const CELL_START = '(?<=^\\s*|[;\\t|\\r\\n][\\s"]*)';
const FORMULA = new RegExp(`(?=['=+\\-@＝＋－＠])${CELL_START}'*[=+\\-@＝＋－＠]`, 'g');
const ADDED_APOSTROPHE = new RegExp(`(?=')${CELL_START}'(?='*[=+\\-@＝＋－＠])`, 'g');
const ANY_APOSTROPHE = new RegExp(`^'|${ADDED_APOSTROPHE.source}`, 'g');

/** Puts an apostrophe before each formula sign, so that no spreadsheet program runs a formula. */
export function disarm(text: string): string {
  return text.replace(FORMULA, "'$&");
}

export function rearm(text: string, isMarked = false): string {
  return text.replace(isMarked ? ANY_APOSTROPHE : ADDED_APOSTROPHE, '');
}

export function escapeOf(character: string): string {
  return character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const DEPTH_MAX = 40;

export function indentJson(
  text: string,
  { accent, faint }: Readonly<Record<'accent' | 'faint', (text: string) => string>> = {
    accent: String,
    faint: String,
  },
): string {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(TOKEN) ?? [];
  let out = '';
  let depth = 0;
  const newLine = (): string => `\n${'  '.repeat(Math.min(depth, DEPTH_MAX))}`;
  for (const [at, token] of tokens.entries()) {
    const [previousToken, nextToken] = [tokens[at - 1] ?? '', tokens[at + 1] ?? ''];
    const isOpening = token === '{' || token === '[';
    const isClosing = token === '}' || token === ']';
    if (isClosing) {
      depth -= 1;
      out += previousToken === '{' || previousToken === '[' ? token : newLine() + token;
    } else if (isOpening) {
      depth += 1;
      out += nextToken === '}' || nextToken === ']' ? token : token + newLine();
    } else if (token === ',') out += token + newLine();
    else if (token === ':') out += ': ';
    else out += nextToken === ':' ? accent(token) : token === 'null' ? faint(token) : token;
  }
  return out;
}
