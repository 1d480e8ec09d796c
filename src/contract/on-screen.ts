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

/** A character that joins two letters or emoji, or that chooses the form of the one before it. */
function joinedPattern(letter: string): string {
  const one = `(?:${letter}|[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])`;
  const joiner = `(?<=${one}\\p{VS}?)[\\u200c\\u200d](?=${one})`;
  return `${joiner}|(?<=(?!\\p{VS})${one})\\p{VS}|\\ufe0f(?=\\u20e3)`;
}
const JOINED = new RegExp(joinedPattern('[\\p{L}\\p{M}]'), 'gu');

/** One of those, but for what is seen by what it does: it does nothing in these letters. */
function unseenPattern(characters: string): RegExp {
  const seen = joinedPattern('(?![\\p{sc=Latn}\\p{sc=Grek}\\p{sc=Cyrl}])[\\p{L}\\p{M}]');
  return new RegExp(`(?=[${characters}])(?!${seen})[^]`, 'gu');
}
const INVISIBLE = unseenPattern('\\p{Default_Ignorable_Code_Point}');
/** And what may drive a terminal or end a line: C0, DEL and C1 (Cc), halves of a pair (Cs), line and paragraph separators. */
const UNSEEN = unseenPattern('\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}');

export function hasUnseen(text: string): boolean {
  return text.search(UNSEEN) !== -1;
}

/** Each of them in the form that is given, which is an escape unless another one is. */
export function showUnseen(text: string, form: (character: string, at: number) => string = escapeOf): string {
  return text.replace(UNSEEN, form);
}

/** The text in quotes, behind the joint, where quotes, spaces or what nobody sees make it another one than it seems; empty for any other, and for what may hold a secret. */
export function oddText(joint: string, text: string): string {
  const isOdd = (/["'`\s\\]/.test(text) || hasUnseen(text)) && !/[@?#]|svc_(live|test)_/.test(text);
  return isOdd ? joint + showUnseen(JSON.stringify(text.slice(0, 80))) : '';
}

/** What is invisible as escapes; line ends and tabs stay. */
export function showInvisible(text: string): string {
  return text.replace(INVISIBLE, escapeOf);
}

/** A name or free text without what stands in it because of its letters and emoji. */
export function withoutJoined(text: string): string {
  return text.replace(JOINED, '');
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

/** How names and nulls are painted. */
interface JsonPaint {
  readonly accent: (name: string) => string;
  readonly faint: (nothing: string) => string;
}

/**
 * JSON with a member and an element a line each: every name and value in the characters that came, only the white space between is ours.
 * Any other text stays as it is.
 */
export function laidOut(
  text: string,
  { accent, faint }: JsonPaint = { accent: String, faint: String },
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
