/** Lays out one object as labels and values: a line for each pair, wrapped into a width. */
import { escapeText } from './escape.js';
import { PLAIN, type Mark, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

export interface DetailPair {
  readonly label: string;
  /** A pair with an empty value is not shown. */
  readonly value: string;
  /** True for ids and money, which are never wrapped. */
  readonly whole?: boolean;
  readonly tone?: Tone | undefined;
  /** A mark before the value. The value gets the tone of the mark. */
  readonly mark?: Mark | undefined;
}

const GAP = '  ';
/** A label wider than `LABEL_MAX` columns, or than `LABEL_PART` of the width, has its own line. */
const LABEL_MAX = 24;
const LABEL_PART = 0.45;
/** A value goes below its label if it does not fit beside the label and there is less room than this. */
const VALUE_MIN = 16;

/** Renders the pairs, every line with a line end; empty if no pair has a value. */
export function renderDetail(pairs: readonly DetailPair[], width: number, style: Style = PLAIN): string {
  const visiblePairs = shownPairs(pairs, style);
  const labelWidth = labelWidthOf(visiblePairs, width);
  return visiblePairs.map((pair) => renderPair(pair, labelWidth, width, style)).join('');
}

export interface Section {
  readonly title: string;
  readonly pairs: readonly DetailPair[];
}

/** Renders sections with an empty line between them and all values in one column. A section without values is left out. */
export function renderSections(sections: readonly Section[], width: number, style: Style = PLAIN): string {
  const visibleSections = sections
    .map(({ title, pairs }) => ({ title, pairs: shownPairs(pairs, style) }))
    .filter(({ pairs }) => pairs.length > 0);
  const room = width - GAP.length;
  const labelWidth = labelWidthOf(
    visibleSections.flatMap(({ pairs }) => pairs),
    room,
  );
  const texts = visibleSections.map(({ title, pairs }) => {
    const lines = pairs.flatMap((pair) => renderPair(pair, labelWidth, room, style).trimEnd().split('\n'));
    return [style.strong(escapeText(title)), ...lines.map((line) => GAP + line), ''].join('\n');
  });
  return texts.join('\n');
}

/** Returns the pairs that have a value: escaped, with the mark before the value. */
function shownPairs(pairs: readonly DetailPair[], style: Style): DetailPair[] {
  return pairs
    .filter(({ value }) => value !== '')
    .map(({ label, value, mark, ...pair }) => {
      const text = escapeText(value);
      const markedText =
        mark === undefined ? { value: text } : { value: `${style.marks[mark]} ${text}`, tone: mark };
      return { ...pair, label: escapeText(label), ...markedText };
    });
}

function labelWidthOf(pairs: readonly DetailPair[], width: number): number {
  const labelMax = Math.min(LABEL_MAX, Math.floor(width * LABEL_PART));
  const labels = pairs.map(({ label }) => widthOf(label)).filter((length) => length <= labelMax);
  return labels.reduce((widest, length) => Math.max(widest, length), 0);
}

function renderPair(pair: DetailPair, labelWidth: number, width: number, style: Style): string {
  const room = width - labelWidth - GAP.length;
  const neededWidth = pair.whole === true ? widthOf(pair.value) : VALUE_MIN;
  const isBeside = widthOf(pair.label) <= labelWidth && room >= Math.min(neededWidth, widthOf(pair.value));
  const lines = pair.whole === true ? [pair.value] : wrap(pair.value, isBeside ? room : width - GAP.length);
  const { tone } = pair;
  const tonedLines = tone === undefined ? lines : lines.map((line) => style[tone](line));
  const label = style.faint(pair.label);
  if (pair.label === '') return tonedLines.map((line) => `${line}\n`).join('');
  if (!isBeside) return [label, ...tonedLines.map((line) => GAP + line)].map((line) => `${line}\n`).join('');
  const indent = ' '.repeat(labelWidth + GAP.length);
  const firstIndent = label + indent.slice(widthOf(pair.label));
  return tonedLines.map((line, at) => `${at === 0 ? firstIndent : indent}${line}\n`).join('');
}
