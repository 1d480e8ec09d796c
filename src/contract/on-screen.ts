/** Values as they stand on a screen: lists of words, how long something still lasts, documents and accounts masked, and what nobody sees in a text. Pure. */

/** `a`, `a and b`, `a, b and c`; empty for none. */
export function enumerated(words: readonly string[], joint: 'and' | 'or'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${joint} ${last}`;
}

/** `1 row`, `2 rows`, `2 batches`: of a noun that takes an s, or es where it ends in ch. */
export function counted(count: number, noun: string): string {
  const ending = noun.endsWith('ch') ? 'es' : 's';
  return `${String(count)} ${noun}${count === 1 ? '' : ending}`;
}

const HOUR_MS = 3_600_000;

/** `4:32`, minutes and seconds; a part of a second counts as a whole one, so that `0:00` means over. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The same within the last hour, `47 h 59 min` before that. */
export function timeLeft(leftMs: number): string {
  if (leftMs < HOUR_MS) return countdown(leftMs);
  const minutes = Math.floor(leftMs / 60_000);
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** The paths whose values say who somebody is. */
const PERSONAL = /(^|\.)(document\.number|account_number)$/;

export function masked(path: string, value: string): string {
  if (value === '' || !PERSONAL.test(path)) return value;
  return value.length > 4 ? `***${value.slice(-4)}` : '***';
}

const LETTER = '[\\p{L}\\p{M}]';
/** In these letters a joiner does nothing that is seen. */
const JOINING_LETTER = `(?![\\p{sc=Latn}\\p{sc=Grek}\\p{sc=Cyrl}])${LETTER}`;
/** By the letters; made when one is needed, which takes milliseconds. */
const joinedPatterns = new Map<string, RegExp>();

/** Whether the character there joins two letters or emoji, or chooses the form of the one before it. */
function isJoined(text: string, at: number, letter: string): boolean {
  if (!/^[\u200c\u200d\p{VS}]/u.test(text.slice(at, at + 2))) return false;
  const one = `(?:${letter}|[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])`;
  const joiner = `(?<=${one}\\p{VS}?)[\\u200c\\u200d](?=${one})`;
  const source = `${joiner}|(?<=(?!\\p{VS})${one})\\p{VS}|\\ufe0f(?=\\u20e3)`;
  const pattern = joinedPatterns.get(letter) ?? new RegExp(source, 'uy');
  joinedPatterns.set(letter, pattern);
  pattern.lastIndex = at;
  return pattern.test(text);
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** And what may drive a terminal or end a line: C0, DEL and C1 (Cc), halves of a pair (Cs), line and paragraph separators. */
const UNSEEN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export function hasUnseen(text: string): boolean {
  return showUnseen(text, () => '') !== text;
}

/** Each of them in the form that is given, which is an escape unless another one is; not what is seen by what it does. */
export function showUnseen(
  text: string,
  form: (character: string, at: number) => string = escapeOf,
  which = UNSEEN,
): string {
  return text.replace(which, (character, at: number) =>
    isJoined(text, at, JOINING_LETTER) ? character : form(character, at),
  );
}

/** The text in quotes, behind the joint, where quotes, spaces or what nobody sees make it another one than it seems; empty for any other, and for what may hold a secret. */
export function oddText(joint: string, text: string): string {
  const isOdd = (/["'`\s\\]/.test(text) || hasUnseen(text)) && !/[@?#]|svc_(live|test)_/.test(text);
  return isOdd ? joint + showUnseen(JSON.stringify(text.slice(0, 80))) : '';
}

/** What is invisible as escapes; line ends and tabs stay. */
export function showInvisible(text: string): string {
  return showUnseen(text, escapeOf, INVISIBLE);
}

/** A name or free text without what stands in it because of its letters and emoji. */
export function withoutJoined(text: string): string {
  return text.replace(INVISIBLE, (character, at: number) => (isJoined(text, at, LETTER) ? '' : character));
}

/** Where some reader begins a cell, before the sign of a formula. The sign is looked for first: else a long text takes too long. */
const BEGINS = '(?<=^\\s*|[;\\t|\\r\\n][\\s"]*)';
const FORMULA = new RegExp(`(?=['=+\\-@＝＋－＠])${BEGINS}'*[=+\\-@＝＋－＠]`, 'g');
const DISARMED = new RegExp(`(?=')${BEGINS}'(?='*[=+\\-@＝＋－＠])`, 'g');
const MARKED = new RegExp(`^'|${DISARMED.source}`, 'g');

/** A text that no reader takes for a formula, whatever ends a cell for it. */
export function disarm(text: string): string {
  return text.replace(FORMULA, "'$&");
}

/** The text that was disarmed. @param isMarked where an apostrophe at its beginning marks it as text */
export function rearm(text: string, isMarked = false): string {
  return text.replace(isMarked ? MARKED : DISARMED, '');
}

/** `\u202e`; in two halves, as JSON has it, where one is too small. */
export function escapeOf(character: string): string {
  return character.replace(/[^]/g, (half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A text, what stands for itself, and a name or a value of another kind. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
/** Deeper than a person reads; a hostile answer nests as deep as it likes. */
const DEPTH_MAX = 40;

/**
 * JSON with a member and an element a line each: every name and value in the characters that came, only the white space between is ours.
 * Any other text stays as it is. `accent` paints names, `faint` nulls.
 */
export function laidOut(
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
  const line = (): string => `\n${'  '.repeat(Math.min(depth, DEPTH_MAX))}`;
  for (const [at, token] of tokens.entries()) {
    const [before, next] = [tokens[at - 1] ?? '', tokens[at + 1] ?? ''];
    const opens = token === '{' || token === '[';
    const closes = token === '}' || token === ']';
    if (closes) {
      depth -= 1;
      out += before === '{' || before === '[' ? token : line() + token;
    } else if (opens) {
      depth += 1;
      out += next === '}' || next === ']' ? token : token + line();
    } else if (token === ',') out += token + line();
    else if (token === ':') out += ': ';
    else out += next === ':' ? accent(token) : token === 'null' ? faint(token) : token;
  }
  return out;
}
