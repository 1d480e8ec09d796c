import { isColourWanted, type ColourEnvironment } from '../../output/style.js';
import { widthOf, wrapPieces } from '../../output/width.js';

export type HelpSection = { readonly joined?: true } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'rows'; readonly title: string; readonly rows: readonly (readonly [string, string])[] }
  | {
      readonly kind: 'commands';
      readonly title: string;
      readonly commands: readonly { readonly type: string }[];
    }
  | { readonly kind: 'facts'; readonly facts: readonly HelpFact[] }
);

export interface HelpFact {
  readonly label: string;
  readonly pieces: readonly string[];
}

export type HelpPage = readonly HelpSection[];
type Tone = (text: string) => string;

export interface Screen {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly env: ColourEnvironment;
  readonly noColour: boolean;
}

const WIDTH = 80;
const WIDTH_MAX = 100;
const INDENT = '  ';
const LEFT_MAX = 34;
const LEFT_PART = 0.45;
const TEXT_MIN = 28;

export function renderPage(page: HelpPage, { isTTY, columns, env, noColour }: Screen): string {
  const width = Math.min(isTTY && columns > 0 ? columns : WIDTH, WIDTH_MAX);
  const strong = isColourWanted(noColour, env, isTTY)
    ? (text: string) => `\u001b[1m${text}\u001b[22m`
    : (text: string) => text;
  const innerWidth = width - INDENT.length;
  const leftWidthOf = leftColumns(page, innerWidth);
  const blocks = page.filter(hasContent).map((section, at) => {
    const gapAbove = at === 0 || section.joined === true ? [] : [''];
    if (section.kind === 'text') return [...gapAbove, ...wrap(section.text, width)];
    if (section.kind === 'facts')
      return [...gapAbove, ...section.facts.flatMap((fact) => factLines(fact, width, strong))];
    const lines =
      section.kind === 'rows'
        ? rowLines(section.rows, innerWidth, leftWidthOf(section.rows), strong)
        : section.commands.flatMap(({ type }) => shellLines(type, innerWidth).map(strong));
    const indentedLines = lines.map((line) => (line === '' ? '' : INDENT + line));
    return [...gapAbove, strong(section.title), ...indentedLines];
  });
  return `${blocks.flat().join('\n')}\n`;
}

function hasContent(section: HelpSection): boolean {
  if (section.kind === 'text') return section.text !== '';
  if (section.kind === 'rows') return section.rows.length > 0;
  return (section.kind === 'commands' ? section.commands : section.facts).length > 0;
}

type Row = readonly [name: string, text: string];

const kindOf = ([name]: Row): string => /^ *-|^svc /.exec(name)?.[0].trim() ?? '';

function leftColumns(page: HelpPage, width: number): (rows: readonly Row[]) => number {
  const allRows = page.flatMap((section) => (section.kind === 'rows' ? section.rows : []));
  return (rows) => {
    const kind = rows[0] === undefined ? '' : kindOf(rows[0]);
    const similarRows = kind === '' ? rows : allRows.filter((row) => kindOf(row) === kind);
    const longestWidth = Math.max(0, ...similarRows.map(([name]) => widthOf(name)));
    return Math.min(LEFT_MAX, Math.floor(width * LEFT_PART), longestWidth);
  };
}

function factLines({ label, pieces }: HelpFact, width: number, strong: Tone): string[] {
  const piecesWithCommas = pieces.map((piece, at) => (at < pieces.length - 1 ? `${piece},` : piece));
  const lines = wrapPieces([...`${label}:`.split(' '), ...piecesWithCommas], width - INDENT.length);
  const text = lines.map((line, at) => (at === 0 ? line : INDENT + line)).join('\n');
  return text.startsWith(`${label}:`) ? [strong(`${label}:`) + text.slice(label.length + 1)] : [text];
}

function rowLines(rows: readonly Row[], width: number, leftWidth: number, strong: Tone): string[] {
  const isNarrow = width - leftWidth - INDENT.length < TEXT_MIN;
  const indent = isNarrow ? INDENT.repeat(3) : ' '.repeat(leftWidth) + INDENT;
  return rows.flatMap(([name, text]) => {
    const isBeside = !isNarrow && widthOf(name) <= leftWidth;
    const lines = wrap(text, width - indent.length);
    const gap = ' '.repeat(Math.max(0, leftWidth - name.length)) + INDENT;
    const firstLine = isBeside ? `${strong(name)}${gap}${lines[0] ?? ''}`.trimEnd() : strong(name);
    return [firstLine, ...lines.slice(isBeside ? 1 : 0).map((line) => (line === '' ? '' : indent + line))];
  });
}

function shellLines(command: string, width: number): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? [];
  const pieces = words.reduce<string[]>((joinedPieces, word) => {
    const lastPiece = joinedPieces.at(-1);
    const isValue = lastPiece !== undefined && /^-\S+$/.test(lastPiece) && !word.startsWith('-');
    if (isValue) joinedPieces[joinedPieces.length - 1] = `${lastPiece} ${word}`;
    else joinedPieces.push(word);
    return joinedPieces;
  }, []);
  const lines = wrapPieces(pieces, width - 4);
  return lines.map((line, at) => `${at === 0 ? '$ ' : INDENT}${line}${at < lines.length - 1 ? ' \\' : ''}`);
}

function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => wrapPieces(line.split(' '), width));
}
