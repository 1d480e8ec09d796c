/** The findings as rows of a table. */
import type { ShownFinding } from '../../shown.js';
import { classWords } from '../../finding.js';
import { referenceOf, type Row, type SortKey } from './rows.js';

/** The heads of the columns; by which of them are sorted. */
export const HEADS: readonly (readonly [text: string, sort: SortKey | null])[] = [
  ['Class', 'class'],
  ['Line', 'line'],
  ['Your file', 'here'],
  ['Service', 'there'],
  ['Reference', 'reference'],
  ['Date', 'date'],
  ['Why, and what to type', null],
];

export function rowElement({ finding }: Row): HTMLElement {
  const { class: kind, here, there } = finding;
  return el(
    'tr',
    {},
    el('td', {}, el('span', { class: `mark ${kind}` }, classWords(kind))),
    el('td', { class: 'number' }, ...lines(here.map(({ line }) => String(line)))),
    el('td', { class: 'number' }, ...lines(here.map(moneyOf))),
    el('td', { class: 'number' }, ...lines(there.map(serviceOf))),
    el('td', {}, ...lines(referencesOf(finding))),
    el('td', { class: 'whole' }, ...lines(datesOf(finding))),
    el('td', {}, ...whyOf(finding)),
  );
}

/** One under the other: two that are the same stand once. */
function lines(texts: readonly string[]): HTMLElement[] {
  return texts.map((text) => el('div', {}, outside(text)));
}

function moneyOf({ amount, currency }: { amount: string | null; currency: string | null }): string {
  return [amount, currency].filter((part) => part !== null).join(' ');
}

function serviceOf(operation: ShownFinding['there'][number]): string {
  return `${moneyOf(operation)} ${operation.status}`.trim();
}

function referencesOf({ here, there }: ShownFinding): string[] {
  return [...new Set([...here, ...there].map((side) => referenceOf(side)))];
}

function datesOf({ here, there }: ShownFinding): string[] {
  return [...new Set([...here, ...there].flatMap(({ date }) => date ?? []))];
}

function whyOf({ detail, next_command: next }: ShownFinding): HTMLElement[] {
  const why = detail === '' ? [] : [el('div', {}, outside(detail))];
  return next === null ? why : [...why, el('code', {}, outside(next))];
}

type Child = Node | string;

/** An element with attributes and what is in it; texts stay texts. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

/** Text from outside in a direction of its own. */
function outside(text: string): HTMLElement {
  return el('bdi', {}, text);
}
