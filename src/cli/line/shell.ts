/**
 * Command lines as they were typed, and as they can be pasted into a POSIX shell: whatever is printed to be typed is put together here.
 * Pure.
 */

/** One argument, quoted only where a shell would read it differently; zsh takes `=word` for the place of a program. */
export function quote(argument: string): string {
  if (/^(?!=)[A-Za-z0-9_@%+=:,./-]+$/.test(argument)) return argument;
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** A whole command line, its words as they are. */
export function commandLine(words: readonly string[]): string {
  return words.map(quote).join(' ');
}

/**
 * A command of ours: flags before values, so that `--` keeps a value from being read as a flag where it begins like one.
 * A caller whose values are anybody's own gives the `--` itself, so that the line has one form.
 * @param command its words without `svc`: `requests repeat`
 * @param flags as words, each value behind its flag (`flagWords`)
 */
export function svcLine(
  command: string,
  flags: readonly string[] = [],
  values: readonly string[] = [],
): string {
  const isGuarded = values[0] !== '--' && values.some((value) => value.startsWith('-'));
  const end = isGuarded ? ['--'] : [];
  return commandLine(['svc', ...command.split(' '), ...flags, ...end, ...values]);
}

/** A flag with its value: in one word where the value begins like a flag. */
export function flagWords(flag: string, value: string): string[] {
  return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}

/** Flags go before `--`, behind which everything is a value. */
export function withFlags(typed: readonly string[], words: readonly string[]): string[] {
  const end = typed.indexOf('--');
  const at = end === -1 ? typed.length : end;
  return [...typed.slice(0, at), ...words, ...typed.slice(at)];
}

/** One-time codes, which may have letters: the value of `--code`, and other words that look like one. */
export function codesIn(argv: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    const value = argv[at - 1] === '--code' ? word : /^--code=(.*)$/s.exec(word)?.[1];
    if (value !== undefined) return value.length >= 4 && !value.startsWith('--') ? [value] : [];
    return /^(?=[A-Za-z-]*[0-9])[A-Za-z0-9-]{4,12}$|^[A-Z]{5,12}$/.test(word) ? [word] : [];
  });
}
