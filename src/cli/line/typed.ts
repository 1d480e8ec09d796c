/** The command line as it was typed, with more words in the right place. Pure. */

/** Flags go before `--`, behind which everything is a value. */
export function withFlags(typed: readonly string[], words: readonly string[]): string[] {
  const end = typed.indexOf('--');
  const at = end === -1 ? typed.length : end;
  return [...typed.slice(0, at), ...words, ...typed.slice(at)];
}
