import { escapeText } from './escape.js';
import { PLAIN, type Mark, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

export interface DetailPair {
  readonly label: string;
  readonly value: string;
  readonly whole?: boolean;
  readonly tone?: Tone | undefined;
  readonly mark?: Mark | undefined;
}

const GAP = '  ';
const LABEL_MAX = 24;
const LABEL_PART = 0.45;
const VALUE_MIN = 16;

export function renderDetail(pairs: readonly DetailPair[], width: number, style: Style = PLAIN): string {
  const visiblePairs = shownPairs(pairs, style);
  const labelWidth = labelWidthOf(visiblePairs, width);
  return visiblePairs.map((pair) => renderPair(pair, labelWidth, width, style)).join('');
}

export interface Section {
  readonly title: string;
  readonly pairs: readonly DetailPair[];
}

export function renderSections(sections: readonly Section[], width: number, style: Style = PLAIN): string {
  const visibleSections = sections
    .map(({ title, pairs }) => ({ title, pairs: shownPairs(pairs, style) }))
    .filter(({ pairs }) => pairs.length > 0);
  const room = width - GAP.length;
  const allPairs = visibleSections.flatMap(({ pairs }) => pairs);
  const labelWidth = labelWidthOf(allPairs, room);
  const texts = visibleSections.map(({ title, pairs }) => {
    const lines = pairs.flatMap((pair) => renderPair(pair, labelWidth, room, style).trimEnd().split('\n'));
    return [style.strong(escapeText(title)), ...lines.map((line) => GAP + line), ''].join('\n');
  });
  return texts.join('\n');
}

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
