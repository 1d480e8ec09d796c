/** Command lines that can be pasted into a POSIX shell: whatever is printed to be typed is put together here. */

/** One argument, quoted only where a shell would read it differently; zsh takes `=word` for the place of a program. */
export function quote(argument: string): string {
  if (/^(?!=)[A-Za-z0-9_@%+=:,./-]+$/.test(argument)) return argument;
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** Stands before each line of ours: who started svc through sudo types the next line as themselves. */
let throughSudo = '';

/** In a shell that sudo started, people type as the user that it made of them. */
export function readSudo(env: Readonly<Record<string, string | undefined>>): void {
  const { SUDO_USER, SUDO_COMMAND = '', USER = 'root' } = env;
  const isThrough = SUDO_USER !== undefined && SUDO_USER !== USER && /^(\S*\/)?svc( |$)/.test(SUDO_COMMAND);
  throughSudo = isThrough ? `sudo -H -u ${quote(USER)} ` : '';
}

/** A whole command line, its words as they are. */
export function commandLine(words: readonly string[]): string {
  return (words[0] === 'svc' ? throughSudo : '') + words.map(quote).join(' ');
}

/** A sentence whose lines of ours begin so too: alone, in quotes or behind a colon. @param commands the names of all that there are */
export function withLinesOf(text: string, commands: readonly string[]): string {
  if (throughSudo === '') return text;
  const lines = new RegExp(`(?<=^|"|: )svc (?=(?:${commands.join('|')})\\b)`, 'g');
  return text.replace(lines, (line) => throughSudo + line);
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
