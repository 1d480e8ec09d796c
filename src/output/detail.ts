/** Lays out one object as labels and values, one pair a line, wrapped into a width. */
import { escapeText } from './escape.js';
import { PLAIN, type Mark, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

export interface DetailPair {
  readonly label: string;
  /** An empty value leaves the pair out. */
  readonly value: string;
  /** Never wrapped: ids and money stay in one piece. */
  readonly whole?: boolean;
  readonly tone?: Tone | undefined;
  /** How it stands: a mark before the value, and its tone. */
  readonly mark?: Mark | undefined;
}

const GAP = '  ';
/** A longer label stands on a line of its own: more than this, or this part of the width. */
const LABEL_MAX = 24;
const LABEL_PART = 0.45;
/** With less room beside the label the value goes beneath it. */
const VALUE_MIN = 16;

/** The pairs as lines that end with a newline each; empty where no pair has a value. */
export function renderDetail(pairs: readonly DetailPair[], width: number, style: Style = PLAIN): string {
  const shown = shownPairs(pairs, style);
  const labelWidth = labelWidthOf(shown, width);
  return shown.map((pair) => renderPair(pair, labelWidth, width, style)).join('');
}

/** Pairs that belong together, under their title. */
export interface Section {
  readonly title: string;
  readonly pairs: readonly DetailPair[];
}

/** Sections one after the other, an empty line between two, their values in one column; one without a value is left out. */
export function renderSections(sections: readonly Section[], width: number, style: Style = PLAIN): string {
  const shown = sections
    .map(({ title, pairs }) => ({ title, pairs: shownPairs(pairs, style) }))
    .filter(({ pairs }) => pairs.length > 0);
  const room = width - GAP.length;
  const labelWidth = labelWidthOf(
    shown.flatMap(({ pairs }) => pairs),
    room,
  );
  const texts = shown.map(({ title, pairs }) => {
    const lines = pairs.flatMap((pair) => renderPair(pair, labelWidth, room, style).trimEnd().split('\n'));
    return [style.strong(escapeText(title)), ...lines.map((line) => GAP + line), ''].join('\n');
  });
  return texts.join('\n');
}

/** Those that have a value, made safe, and the mark before the value. */
function shownPairs(pairs: readonly DetailPair[], style: Style): DetailPair[] {
  return pairs
    .filter(({ value }) => value !== '')
    .map(({ label, value, mark, ...pair }) => {
      const text = escapeText(value);
      const marked =
        mark === undefined ? { value: text } : { value: `${style.marks[mark]} ${text}`, tone: mark };
      return { ...pair, label: escapeText(label), ...marked };
    });
}

function labelWidthOf(shown: readonly DetailPair[], width: number): number {
  const labelMax = Math.min(LABEL_MAX, Math.floor(width * LABEL_PART));
  const labels = shown.map(({ label }) => widthOf(label)).filter((length) => length <= labelMax);
  return labels.reduce((widest, length) => Math.max(widest, length), 0);
}

function renderPair(pair: DetailPair, labelWidth: number, width: number, style: Style): string {
  const room = width - labelWidth - GAP.length;
  const needed = pair.whole === true ? widthOf(pair.value) : VALUE_MIN;
  const beside = widthOf(pair.label) <= labelWidth && room >= Math.min(needed, widthOf(pair.value));
  const lines = pair.whole === true ? [pair.value] : wrap(pair.value, beside ? room : width - GAP.length);
  const { tone } = pair;
  const toned = tone === undefined ? lines : lines.map((line) => style[tone](line));
  const label = style.faint(pair.label);
  if (pair.label === '') return toned.map((line) => `${line}\n`).join('');
  if (!beside) return [label, ...toned.map((line) => GAP + line)].map((line) => `${line}\n`).join('');
  const indent = ' '.repeat(labelWidth + GAP.length);
  const first = label + indent.slice(widthOf(pair.label));
  return toned.map((line, at) => `${at === 0 ? first : indent}${line}\n`).join('');
}
