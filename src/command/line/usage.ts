/** What the parser could not read, in one line that says what to type instead. */
import { Failure } from '../../runtime/failure.js';
import { nearest } from './suggestion.js';

/** The command whose line it was: its words, and its flags with their dashes. */
export interface Typed {
  readonly id: string;
  readonly flags: readonly string[];
}

/** What the parser's errors carry, of whichever kind. */
interface ParserError {
  readonly message: string;
  readonly flags?: readonly string[];
  readonly args?: readonly (string | { readonly name: string; readonly description?: string })[];
}

/** A parser's error as a usage failure; any other failure stays what it is. */
export function usageOf(error: unknown, typed: Typed): Failure {
  if (error instanceof Failure) return error;
  const known: ParserError = error instanceof Error ? error : { message: String(error) };
  const message = unknownFlag(known, typed) ?? missingArgument(known, typed) ?? sentenceOf(known.message);
  return new Failure('usage', `${message} Nothing was sent.`, { cause: error });
}

function unknownFlag({ flags = [] }: ParserError, typed: Typed): string | null {
  const [flag] = flags;
  if (flag === undefined) return null;
  const meant = nearest(flag, typed.flags);
  const hint = meant === null ? `See "svc ${typed.id} --help".` : `Did you mean ${meant}?`;
  return `"svc ${typed.id}" has no flag ${flag}. ${hint}`;
}

function missingArgument({ args = [] }: ParserError, { id }: Typed): string | null {
  const [missing] = args;
  if (missing === undefined || typeof missing === 'string') return null;
  const { name, description = '' } = missing;
  const what = description.replace(/\.$/, '').replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
  return `${name.toUpperCase()} is missing: ${what}. See "svc ${id} --help".`;
}

/** In one line, and without the parser's own hint at help. */
function sentenceOf(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const message = lines.filter((line) => line !== '' && !line.startsWith('See more help')).join(' ');
  return `${message}${/[.!?]$/.test(message) ? '' : '.'}`;
}
