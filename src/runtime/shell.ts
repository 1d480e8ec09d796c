/** `=word` is quoted too, because zsh would take it for the path of a program. */
export function quote(argument: string): string {
  if (/^(?!=)[A-Za-z0-9_@%+=:,./-]+$/.test(argument)) return argument;
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

let sudoPrefix = '';

export function readSudo(env: Readonly<Record<string, string | undefined>>): void {
  const { SUDO_USER, SUDO_COMMAND = '', USER = 'root' } = env;
  const isSudoRun = SUDO_USER !== undefined && SUDO_USER !== USER && /^(\S*\/)?svc( |$)/.test(SUDO_COMMAND);
  sudoPrefix = isSudoRun ? `sudo -H -u ${quote(USER)} ` : '';
}

export function commandLine(words: readonly string[]): string {
  return (words[0] === 'svc' ? sudoPrefix : '') + words.map(quote).join(' ');
}

export function withSudoPrefix(text: string, commands: readonly string[]): string {
  if (sudoPrefix === '') return text;
  const commandStart = new RegExp(`(?<=^|"|: )svc (?=(?:${commands.join('|')})\\b)`, 'g');
  return text.replace(commandStart, (line) => sudoPrefix + line);
}

export function svcLine(
  command: string,
  flags: readonly string[] = [],
  values: readonly string[] = [],
): string {
  const isSeparatorNeeded = values[0] !== '--' && values.some((value) => value.startsWith('-'));
  const separator = isSeparatorNeeded ? ['--'] : [];
  return commandLine(['svc', ...command.split(' '), ...flags, ...separator, ...values]);
}

export function flagWords(flag: string, value: string): string[] {
  return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value];
}
