export const HOSTILE_WORDS = [
  ...['-rf', '--live', 'two words', `it's "quoted"`, '$(id)`id`', 'a;b|c&d>e', '*', '#x', '~', 'a\nb'],
] as const;

const PIECES = /'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\([^\n])|([^\s'"\\$`|&;<>()*?[\]#~!{}]+|[~#{}!](?!\s|$))/y;

export function wordsOf(line: string, name = 'svc'): string[] {
  const [begins] = new RegExp(`^(?:[A-Z_]+=[\\w.:/-]* )*${name} `).exec(line) ?? [];
  if (begins === undefined) throw new Error(`no command line of ${name}: ${line}`);
  const words: string[] = [];
  for (let at = begins.length; at < line.length;) {
    const [spaces = ''] = /^[ \t]*/.exec(line.slice(at)) ?? [];
    at += spaces.length;
    if (at === line.length) break;
    const start = at;
    let word = '';
    for (PIECES.lastIndex = at; at < line.length && !/[ \t]/.test(line[at] ?? ''); at = PIECES.lastIndex) {
      const found = PIECES.exec(line);
      const [, single, double, escaped, plain = ''] = found ?? [];
      if (found === null || (at === start && /^[~#{}!]/.test(plain)))
        throw new Error(`a shell takes ${JSON.stringify(line.slice(at))} for more than a word: ${line}`);
      word += single ?? double?.replace(/\\([$`"\\])/g, '$1') ?? escaped ?? plain;
    }
    words.push(word);
  }
  return words;
}
