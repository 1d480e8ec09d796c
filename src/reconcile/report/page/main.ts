import type { ShownFinding } from '../../findings-shown.js';
import { selectRows, rowOf, type Choice, type Row, referenceOf, type SortKey } from './rows.js';
import { classWords } from '../../finding.js';

const HEADS: readonly (readonly [text: string, sort: SortKey | null])[] = [
  ['Class', 'class'],
  ['Line', 'line'],
  ['Your file', 'here'],
  ['Service', 'there'],
  ['Reference', 'reference'],
  ['Date', 'date'],
  ['Why, and what to type', null],
];

function rowElement({ finding }: Row): HTMLElement {
  const { class: kind, here, there, detail, next_command: next } = finding;
  const sides = [...here, ...there];
  const references = new Set(sides.map((side) => referenceOf(side)));
  const dates = new Set(sides.flatMap(({ date }) => date ?? []));
  const operations = there.map((operation) => `${moneyOf(operation)} ${operation.status}`.trim());
  const reason = detail === '' ? [] : [el('div', {}, isolatedText(detail))];
  const command = next === null ? [] : [el('code', {}, isolatedText(next))];
  return el(
    'tr',
    {},
    el('td', {}, el('span', { class: `mark ${kind}` }, classWords(kind))),
    el('td', { class: 'number' }, ...lines(here.map(({ line }) => String(line)))),
    el('td', { class: 'number' }, ...lines(here.map(moneyOf))),
    el('td', { class: 'number' }, ...lines(operations)),
    el('td', {}, ...lines([...references])),
    el('td', { class: 'whole' }, ...lines([...dates])),
    el('td', {}, ...reason, ...command),
  );
}

function lines(texts: readonly string[]): HTMLElement[] {
  return texts.map((text) => el('div', {}, isolatedText(text)));
}

function moneyOf({ amount, currency }: { amount: string | null; currency: string | null }): string {
  return [amount, currency].filter((part) => part !== null).join(' ');
}

function el<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...children);
  return element;
}

function isolatedText(text: string): HTMLElement {
  return el('bdi', {}, text);
}

const PAGE_ROWS = 100;

const findings = read('findings') as readonly ShownFinding[];
const leftOut = read('left-out') as number;
const rows = findings.map(rowOf);
const counts = new Map<ShownFinding['class'], number>();
for (const { class: kind } of findings) counts.set(kind, (counts.get(kind) ?? 0) + 1);

let choice: Choice = { classes: new Set(), currency: '', text: '', sort: 'class', isDescending: false };
let shown: readonly Row[] = rows;
let page = 0;

const body = el('tbody');
const statusLine = el('p', { role: 'status', class: 'showing' });
const previousButton = el('button', { type: 'button' }, 'Previous');
const nextButton = el('button', { type: 'button' }, 'Next');
const heads = HEADS.map(([text, sort]) => {
  if (sort === null) return el('th', { scope: 'col' }, text);
  const button = el('button', { type: 'button' }, text);
  button.addEventListener('click', () => {
    choose({ sort, isDescending: choice.sort === sort && !choice.isDescending });
  });
  const number = sort === 'here' || sort === 'there' ? { class: 'number' } : {};
  return el('th', { scope: 'col', ...number }, button);
});

function read(id: string): unknown {
  return JSON.parse(document.getElementById(id)?.textContent ?? 'null');
}

function choose(change: Partial<Choice>): void {
  choice = { ...choice, ...change };
  shown = selectRows(rows, choice);
  page = 0;
  show();
}

function show(): void {
  const first = page * PAGE_ROWS;
  const part = shown.slice(first, first + PAGE_ROWS);
  body.replaceChildren(...part.map(rowElement));
  const of = shown.length === rows.length ? '' : ` of ${String(rows.length)}`;
  const range =
    shown.length > part.length ? `, ${String(first + 1)} to ${String(first + part.length)} shown` : '';
  statusLine.textContent = `${String(shown.length)}${of} ${rows.length === 1 ? 'finding' : 'findings'}${range}`;
  previousButton.disabled = page === 0;
  nextButton.disabled = first + PAGE_ROWS >= shown.length;
  for (const [at, [, sort]] of HEADS.entries()) {
    const isSorted = sort !== null && sort === choice.sort;
    if (isSorted) heads[at]?.setAttribute('aria-sort', choice.isDescending ? 'descending' : 'ascending');
    else heads[at]?.removeAttribute('aria-sort');
  }
}

function turnPage(by: number): void {
  page += by;
  show();
  list?.scrollIntoView();
}

function classBoxes(): HTMLElement {
  const boxes = [...counts].map(([kind, count]) => {
    const box = el('input', { type: 'checkbox', value: kind });
    box.addEventListener('change', () => {
      const classes = new Set(choice.classes);
      if (box.checked) classes.add(kind);
      else classes.delete(kind);
      choose({ classes });
    });
    return el('label', {}, box, ` ${classWords(kind)} `, el('span', { class: 'count' }, String(count)));
  });
  return el('fieldset', {}, el('legend', {}, 'Only'), ...boxes);
}

function currencyChoice(): HTMLElement[] {
  const currencies = [...new Set(rows.flatMap((row) => [...row.currencies]))].sort();
  if (currencies.length < 2) return [];
  const options = currencies.map((currency) => el('option', { value: currency }, currency));
  const select = el('select', {}, el('option', { value: '' }, 'all'), ...options);
  select.addEventListener('change', () => choose({ currency: select.value }));
  return [el('label', {}, 'Currency ', select)];
}

function search(): HTMLElement {
  const input = el('input', { type: 'search', autocomplete: 'off', spellcheck: 'false' });
  input.addEventListener('input', () => choose({ text: input.value }));
  return el('label', {}, 'Find ', input);
}

const list = document.getElementById('list');
if (rows.length === 0) {
  list?.append(el('p', {}, 'None.'));
} else {
  previousButton.addEventListener('click', () => turnPage(-1));
  nextButton.addEventListener('click', () => turnPage(1));
  const table = el('table', { class: 'findings' }, el('thead', {}, el('tr', {}, ...heads)), body);
  const wide = { class: 'wide', tabindex: '0', role: 'region', 'aria-labelledby': 'findings-title' };
  const here = String(rows.length);
  const text = `Of ${String(rows.length + leftOut)} findings the first ${here}, the worst, are here: svc reconcile -o csv prints all of them.`;
  const more = leftOut === 0 ? [] : [el('p', { class: 'left-out' }, text)];
  const tools = el('div', { class: 'tools' }, classBoxes(), ...currencyChoice(), search());
  const pager = el('div', { class: 'pager' }, previousButton, nextButton);
  list?.append(...more, tools, statusLine, el('div', wide, table), pager);
  show();
  addEventListener('beforeprint', () => body.replaceChildren(...shown.map(rowElement)));
  addEventListener('afterprint', show);
}
