/** Command lines that can be pasted into a POSIX shell. */

/** One argument, quoted only where a shell would read it differently. */
export function quote(argument: string): string {
  if (/^[A-Za-z0-9_@%+=:,./-]+$/.test(argument)) return argument;
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** A whole command line. */
export function commandLine(words: readonly string[]): string {
  return words.map(quote).join(' ');
}
