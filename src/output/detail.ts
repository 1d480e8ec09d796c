/** Lays out one object as labels and values, one pair a line, wrapped into a width. */
import { escapeText } from './escape.js';
import { PLAIN, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

export interface Pair {
  readonly label: string;
  /** An empty value leaves the pair out. */
  readonly value: string;
  /** Never wrapped: ids and money stay in one piece. */
  readonly whole?: boolean;
  readonly tone?: Tone;
}

const GAP = '  ';
/** A longer label stands on a line of its own: more than this, or this part of the width. */
const LABEL_MAX = 24;
const LABEL_PART = 0.45;
/** With less room beside the label the value goes beneath it. */
const VALUE_MIN = 16;

/** The pairs as lines that end with a newline each; empty where no pair has a value. */
export function renderDetail(pairs: readonly Pair[], width: number, style: Style = PLAIN): string {
  const shown = pairs
    .filter(({ value }) => value !== '')
    .map((pair) => ({ ...pair, label: escapeText(pair.label), value: escapeText(pair.value) }));
  const labelMax = Math.min(LABEL_MAX, Math.floor(width * LABEL_PART));
  const labels = shown.map(({ label }) => widthOf(label)).filter((length) => length <= labelMax);
  const labelWidth = labels.reduce((widest, length) => Math.max(widest, length), 0);
  return shown.map((pair) => renderPair(pair, labelWidth, width, style)).join('');
}

function renderPair(pair: Pair, labelWidth: number, width: number, style: Style): string {
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
