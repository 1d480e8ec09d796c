/** How pages of help are laid out: sections as data, and the text they become on a screen. Pure, and all that is loaded to print one. */
import { wantsColour, type ColourEnvironment } from '../../output/style.js';
import { widthOf, wrapPieces } from '../../output/width.js';

/** A part of a page; rows and commands have a title. A part that is `joined` stands right below the one before, with no blank line. */
export type HelpSection = { readonly joined?: true } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rows'; readonly title: string; readonly rows: readonly (readonly [string, string])[] }
  /** Command lines that are pasted. */
  | {
      readonly kind: 'commands';
      readonly title: string;
      readonly commands: readonly { readonly type: string }[];
    }
  /** A line for each: a label and short pieces, none of which is broken. */
  | { readonly kind: 'facts'; readonly facts: readonly HelpFact[] }
);

export interface HelpFact {
  readonly label: string;
  readonly pieces: readonly string[];
}

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
  const inner = width - INDENT.length;
  const leftOf = leftColumns(page, inner);
  const blocks = page.filter(isThere).map((section, at) => {
    const above = at === 0 || section.joined === true ? [] : [''];
    if (section.kind === 'text') return [...above, ...wrap(section.text, width)];
    if (section.kind === 'facts')
      return [...above, ...section.facts.flatMap((fact) => factLines(fact, width, strong))];
    // Names and what is typed are strong.
    const lines =
      section.kind === 'rows'
        ? rowLines(section.rows, inner, leftOf(section.rows), strong)
        : section.commands.flatMap(({ type }) => shellLines(type, inner).map(strong));
    const indented = lines.map((line) => (line === '' ? '' : INDENT + line));
    return [...above, strong(section.title), ...indented];
  });
  return `${blocks.flat().join('\n')}\n`;
}

function isThere(section: HelpSection): boolean {
  if (section.kind === 'text') return section.text !== '';
  if (section.kind === 'rows') return section.rows.length > 0;
  return (section.kind === 'commands' ? section.commands : section.facts).length > 0;
}

type Row = readonly [name: string, text: string];

/** Flags, commands, or anything else. */
const kindOf = ([name]: Row): string => /^ *-|^svc /.exec(name)?.[0].trim() ?? '';

/** How wide the left column of a section is. Sections of flags are one table, and so are those of commands; any other is one alone. */
function leftColumns(page: HelpPage, width: number): (rows: readonly Row[]) => number {
  const all = page.flatMap((section) => (section.kind === 'rows' ? section.rows : []));
  return (rows) => {
    const kind = rows[0] === undefined ? '' : kindOf(rows[0]);
    const near = kind === '' ? rows : all.filter((row) => kindOf(row) === kind);
    const longest = Math.max(0, ...near.map(([name]) => widthOf(name)));
    return Math.min(LEFT_MAX, Math.floor(width * LEFT_PART), longest);
  };
}

/** What follows a label goes on below it, further in. */
function factLines({ label, pieces }: HelpFact, width: number, strong: Tone): string[] {
  const parts = pieces.map((piece, at) => (at < pieces.length - 1 ? `${piece},` : piece));
  // The label is words too: a narrow screen breaks it.
  const lines = wrapPieces([...`${label}:`.split(' '), ...parts], width - INDENT.length);
  const text = lines.map((line, at) => (at === 0 ? line : INDENT + line)).join('\n');
  return text.startsWith(`${label}:`) ? [strong(`${label}:`) + text.slice(label.length + 1)] : [text];
}

/** Two columns; where the left one is long, or the screen narrow, the text stands on the lines below. */
function rowLines(rows: readonly Row[], width: number, left: number, strong: Tone): string[] {
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
