/** Puts together command lines that can be pasted into a POSIX shell. */

/** Quotes one argument if a shell would read it differently. zsh takes `=word` for the path of a program. */
export function quote(argument: string): string {
  if (/^(?!=)[A-Za-z0-9_@%+=:,./-]+$/.test(argument)) return argument;
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** The prefix of every printed svc line. A person who started svc through sudo needs sudo for the next line too. */
let sudoPrefix = '';

/** Sets the prefix. In a shell that sudo started no prefix is needed, because people type as the new user. */
export function readSudo(env: Readonly<Record<string, string | undefined>>): void {
  const { SUDO_USER, SUDO_COMMAND = '', USER = 'root' } = env;
  const isSudoRun = SUDO_USER !== undefined && SUDO_USER !== USER && /^(\S*\/)?svc( |$)/.test(SUDO_COMMAND);
  sudoPrefix = isSudoRun ? `sudo -H -u ${quote(USER)} ` : '';
}

/** Joins words to a command line, each quoted if needed. */
export function commandLine(words: readonly string[]): string {
  return (words[0] === 'svc' ? sudoPrefix : '') + words.map(quote).join(' ');
}

/** Adds the prefix to every svc line in a sentence: alone, in quotes or behind a colon. @param commands the names of all commands */
export function withSudoPrefix(text: string, commands: readonly string[]): string {
  if (sudoPrefix === '') return text;
  const lines = new RegExp(`(?<=^|"|: )svc (?=(?:${commands.join('|')})\\b)`, 'g');
  return text.replace(lines, (line) => sudoPrefix + line);
}

/**
 * A line of svc: flags before values, and `--` before a value that begins with `-`. A caller with arbitrary values passes the `--` itself, so that
 * its line always has one form.
 * @param command its words without `svc`: `requests repeat`
 * @param flags words, each value behind its flag (`flagWords`)
 */
export function svcLine(
  command: string,
  flags: readonly string[] = [],
  values: readonly string[] = [],
): string {
  const isGuarded = values[0] !== '--' && values.some((value) => value.startsWith('-'));
  const separator = isGuarded ? ['--'] : [];
  return commandLine(['svc', ...command.split(' '), ...flags, ...separator, ...values]);
}

/** Returns a flag and its value as words: one word if the value begins with `-`, else two. */
export function flagWords(flag: string, value: string): string[] {
  return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}
