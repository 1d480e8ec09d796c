/** How pages of help are laid out: sections, columns and commands within a width. Pure. */

const WIDTH = 100;

/** A page of sections, an empty line between them; an empty one is left out. */
export function page(sections: readonly string[]): string {
  return sections.filter((text) => text !== '').join('\n\n') + '\n';
}

/** A title and its lines, indented; nothing where there are none. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Two columns; where the left one is long its text stands on the line below. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const left = Math.min(34, Math.max(0, ...rows.map(([name]) => name.length)));
  return rows.flatMap(([name, text]) => {
    const lines = wrap(text, WIDTH - left - 4);
    const first = name.length <= left ? [`${name.padEnd(left)}  ${lines[0] ?? ''}`.trimEnd()] : [name];
    const rest = name.length <= left ? lines.slice(1) : lines;
    return [...first, ...rest.map((line) => `${' '.repeat(left)}  ${line}`)];
  });
}

/** A command as it is pasted: what is too long for a line goes on behind a backslash. */
export function shellLines(command: string, indent: string): string {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? [];
  // A flag and its value stay together.
  const pieces = words.reduce<string[]>((done, word) => {
    const last = done.at(-1);
    const isValue = last !== undefined && /^-\S+$/.test(last) && !word.startsWith('-');
    if (isValue) done[done.length - 1] = `${last} ${word}`;
    else done.push(word);
    return done;
  }, []);
  return `$ ${wrapPieces(pieces, WIDTH - indent.length - 4).join(` \\\n${indent}`)}`;
}

/** Paragraphs as wide as the page; those that are not there are left out. */
export function paragraphs(texts: readonly (string | undefined)[]): string {
  return texts
    .filter((text) => text !== undefined && text !== '')
    .map((text) => wrap(text ?? '', WIDTH).join('\n'))
    .join('\n\n');
}

function wrap(text: string, width: number): string[] {
  return wrapPieces(text.split(' '), width);
}

function wrapPieces(pieces: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const word of pieces) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
