/** How pages of help are laid out: sections as data, and the text they become on a screen. Pure, and all that is loaded to print one. */
import { wantsColour, type ColourEnvironment } from '../../output/style.js';
import { widthOf, wrapPieces } from '../../output/width.js';

/** A part of a page; each but the first kind has a title. */
export type HelpSection =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rows'; readonly title: string; readonly rows: readonly (readonly [string, string])[] }
  /** Command lines that are pasted; what each is for stands before it, where that is said. */
  | {
      readonly kind: 'commands';
      readonly title: string;
      readonly commands: readonly { readonly want?: string; readonly type: string }[];
    }
  /** Short pieces one after the other; none is broken. */
  | { readonly kind: 'flow'; readonly title: string; readonly pieces: readonly string[] };

export type HelpPage = readonly HelpSection[];
type Tone = (text: string) => string;

/** What is known of where a page is read. */
export interface Screen {
  readonly isTTY: boolean;
  /** Of the terminal; a terminal that does not know it says 0. */
  readonly columns: number;
  readonly env: ColourEnvironment;
  readonly noColour: boolean;
}

/** Where no terminal says how wide it is; and lines that are longer are hard to read. */
const WIDTH = 80;
const WIDTH_MAX = 100;
const INDENT = '  ';
/** A left column is no wider than this, nor than this part of the width; a longer name has a line of its own. */
const LEFT_MAX = 34;
const LEFT_PART = 0.45;
/** With less room beside the left column the text goes beneath it. */
const TEXT_MIN = 28;

/** The page as text for that screen: no word is broken, and a line is longer than the screen only where a word is. */
export function renderPage(page: HelpPage, { isTTY, columns, env, noColour }: Screen): string {
  const width = Math.min(isTTY && columns > 0 ? columns : WIDTH, WIDTH_MAX);
  const strong = wantsColour(noColour, env, isTTY)
    ? (text: string) => `\u001b[1m${text}\u001b[22m`
    : (text: string) => text;
  const texts = page.filter(isThere).map((section) => {
    if (section.kind === 'text') return wrap(section.text, width).join('\n');
    const lines = linesOf(section, width - INDENT.length, strong).map((line) =>
      line === '' ? '' : INDENT + line,
    );
    return [strong(section.title), ...lines].join('\n');
  });
  return `${texts.join('\n\n')}\n`;
}

function isThere(section: HelpSection): boolean {
  if (section.kind === 'text') return section.text !== '';
  if (section.kind === 'rows') return section.rows.length > 0;
  return (section.kind === 'commands' ? section.commands : section.pieces).length > 0;
}

/** Names and what is typed are strong. */
function linesOf(section: Exclude<HelpSection, { kind: 'text' }>, width: number, strong: Tone): string[] {
  switch (section.kind) {
    case 'rows':
      return rowLines(section.rows, width, strong);
    case 'commands':
      return section.commands.flatMap(({ want, type }) =>
        want === undefined
          ? shellLines(type, width).map(strong)
          : [want, ...shellLines(type, width - INDENT.length).map((line) => INDENT + strong(line))],
      );
    case 'flow':
      return wrapPieces(
        section.pieces.map((piece, at) => (at < section.pieces.length - 1 ? `${piece},` : piece)),
        width,
      );
  }
}

/** Two columns; where the left one is long, or the screen narrow, the text stands on the lines below. */
function rowLines(rows: readonly (readonly [string, string])[], width: number, strong: Tone): string[] {
  const longest = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  const left = Math.min(LEFT_MAX, Math.floor(width * LEFT_PART), longest);
  const isNarrow = width - left - INDENT.length < TEXT_MIN;
  const indent = isNarrow ? INDENT.repeat(3) : ' '.repeat(left) + INDENT;
  return rows.flatMap(([name, text]) => {
    const isBeside = !isNarrow && widthOf(name) <= left;
    const lines = wrap(text, width - indent.length);
    const gap = ' '.repeat(Math.max(0, left - name.length)) + INDENT;
    const first = isBeside ? `${strong(name)}${gap}${lines[0] ?? ''}`.trimEnd() : strong(name);
    return [first, ...lines.slice(isBeside ? 1 : 0).map((line) => (line === '' ? '' : indent + line))];
  });
}

/** A command as it is pasted: what is too long for a line goes on behind a backslash. */
function shellLines(command: string, width: number): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? [];
  // A flag and its value stay together.
  const pieces = words.reduce<string[]>((done, word) => {
    const last = done.at(-1);
    const isValue = last !== undefined && /^-\S+$/.test(last) && !word.startsWith('-');
    if (isValue) done[done.length - 1] = `${last} ${word}`;
    else done.push(word);
    return done;
  }, []);
  // Room for the prompt or the indent before a line, and for the backslash behind it.
  const lines = wrapPieces(pieces, width - 4);
  return lines.map((line, at) => `${at === 0 ? '$ ' : INDENT}${line}${at < lines.length - 1 ? ' \\' : ''}`);
}

/** Paragraphs stay apart. */
function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapPieces(line.split(' '), width));
}
