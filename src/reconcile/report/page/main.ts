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
  const operations = there.map((operation) => {
    const money = el('span', { class: 'whole' }, isolatedText(moneyOf(operation)));
    return el('div', {}, money, ' ', isolatedText(operation.status));
  });
  const command = next === null ? [] : [el('code', {}, isolatedText(next))];
  const cells = [
    [el('span', { class: `mark ${kind}` }, classWords(kind))],
    lineElements(here.map(({ line }) => String(line))),
    lineElements(here.map(moneyOf)),
    operations,
    lineElements([...references]),
    lineElements([...dates]),
    [...lineElements(detail === '' ? [] : [detail]), ...command],
  ];
  const cell = (children: HTMLElement[], at: number): HTMLElement => {
    const [head = '', sort] = HEADS[at] ?? [];
    return el('td', { 'data-head': head, ...numberClass(sort) }, ...children);
  };
  return el('tr', {}, ...cells.map(cell));
}

function numberClass(sort: SortKey | null | undefined): { class?: string } {
  return sort === 'line' || sort === 'here' || sort === 'there' ? { class: 'number' } : {};
}

function lineElements(texts: readonly string[]): HTMLElement[] {
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

/** A browser would break `--live` and dates after a hyphen. */
function isolatedText(text: string): HTMLElement {
  const parts = text.split(/(\S*-\S*)/);
  const words = parts.map((part, at) => (at % 2 === 0 ? part : el('span', { class: 'word' }, part)));
  return el('bdi', {}, ...words);
}

const PAGE_ROWS = 100;

const findings = read('findings') as readonly ShownFinding[];
const leftOut = read('left-out') as number;
const rows = findings.map(rowOf);
const counts = new Map<ShownFinding['class'], number>();
for (const { class: kind } of findings) counts.set(kind, (counts.get(kind) ?? 0) + 1);

let choice: Choice = { classes: new Set(), currency: '', text: '', sort: 'class', isDescending: false };
let shownRows: readonly Row[] = rows;
let page = 0;

const body = el('tbody');
const statusLine = el('p', { role: 'status', class: 'showing' });
const previousButton = el('button', { type: 'button' }, 'Previous');
const nextButton = el('button', { type: 'button' }, 'Next');
const pager = el('div', { class: 'pager' }, previousButton, nextButton);
const heads = HEADS.map(([text, sort]) => {
  if (sort === null) return el('th', { scope: 'col' }, text);
  const button = el('button', { type: 'button' }, text);
  button.addEventListener('click', () => {
    choose({ sort, isDescending: choice.sort === sort && !choice.isDescending });
  });
  return el('th', { scope: 'col', ...numberClass(sort) }, button);
});

function read(id: string): unknown {
  return JSON.parse(document.getElementById(id)?.textContent ?? 'null');
}

function choose(change: Partial<Choice>): void {
  choice = { ...choice, ...change };
  shownRows = selectRows(rows, choice);
  page = 0;
  show();
}

function show(isPrinted = false): void {
  const first = page * PAGE_ROWS;
  const pageRows = isPrinted ? shownRows : shownRows.slice(first, first + PAGE_ROWS);
  body.replaceChildren(...pageRows.map(rowElement));
  const ofAll = shownRows.length === rows.length ? '' : ` of ${String(rows.length)}`;
  const range =
    shownRows.length > pageRows.length
      ? `, ${String(first + 1)} to ${String(first + pageRows.length)} shown`
      : '';
  const chosen = isPrinted ? choiceText() : '';
  statusLine.textContent = `${String(shownRows.length)}${ofAll} ${rows.length === 1 ? 'finding' : 'findings'}${range}${chosen}`;
  pager.hidden = shownRows.length <= PAGE_ROWS;
  previousButton.disabled = page === 0;
  nextButton.disabled = first + PAGE_ROWS >= shownRows.length;
  for (const [at, [, sort]] of HEADS.entries()) {
    const isSorted = sort !== null && sort === choice.sort;
    if (isSorted) heads[at]?.setAttribute('aria-sort', choice.isDescending ? 'descending' : 'ascending');
    else heads[at]?.removeAttribute('aria-sort');
  }
}

/** The filters are not printed, so the paper says what was chosen in them. */
function choiceText(): string {
  const { classes, currency, text } = choice;
  const parts = [
    ...(classes.size === 0 ? [] : [`only ${[...classes].map(classWords).join(', ')}`]),
    ...(currency === '' ? [] : [`currency ${currency}`]),
    ...(text.trim() === '' ? [] : [`with the text "${text.trim()}"`]),
  ];
  return parts.map((part) => `; ${part}`).join('');
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

function searchField(): HTMLElement {
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
  const region = { class: 'wide', tabindex: '0', role: 'region', 'aria-labelledby': 'findings-title' };
  const shownCount = String(rows.length);
  const text = `Of ${String(rows.length + leftOut)} findings the first ${shownCount}, the worst, are here: svc reconcile -o csv prints all of them.`;
  const more = leftOut === 0 ? [] : [el('p', { class: 'left-out' }, text)];
  const tools = el('div', { class: 'tools' }, classBoxes(), ...currencyChoice(), searchField());
  list?.append(...more, tools, statusLine, el('div', region, table), pager);
  show();
  addEventListener('beforeprint', () => show(true));
  addEventListener('afterprint', () => show());
}
