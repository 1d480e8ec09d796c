export function unaccented(text: string): string {
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

export function excerpt(text: string, max = 40): string {
  return JSON.stringify(text.length > max ? `${text.slice(0, max)}...` : text);
}

export function lostDigitsText(text: string): string | null {
  return /^[0-9]+([.,][0-9]+)?[eE]\+[0-9]+$/.test(text)
    ? `${text} is a number that a spreadsheet has shortened: its digits are lost`
    : null;
}

const ERRORS = new Set(
  [
    '#null! #div/0! #value! #ref! #name? #num! #n/a #spill! #calc! #field! #blocked! #unknown! #connect! #busy! #error! #external! #python! #timeout! #getting_data',
    '#nulo! #valor! #nombre? #n/d #desbordamiento! #campo! #bloqueado! #desconocido! #conectar! #ocupado! #externo! #obteniendo_datos',
    '#nome? #despejar! #excedente! #propagacao! #transposicao! #desconhecido! #conexao! #obtendo_dados #a_obter_dados',
  ].flatMap((words) => words.split(' ')),
);

export function errorText(text: string): string | null {
  if (!/[#:[\u2000-\uffff]/.test(text)) return null;
  const word = unaccented(text.trim().slice(0, 60)).replace(/[¡¿]/g, '');
  const isError = ERRORS.has(word) || /^#{2,}$|^err:[0-9]{3}$|\[object [a-z]+\]/.test(word);
  return isError ? `${excerpt(text)} is what a program writes where it has no value` : null;
}

export function columnText(name: string, index: number): string {
  return name === '' ? `column ${index + 1}` : JSON.stringify(name);
}

export function linesText(lines: readonly number[]): string {
  const [first, last] = [lines[0] ?? 0, lines.at(-1) ?? 0];
  return first === last ? `line ${first}` : `lines ${first} to ${last}`;
}

export const FILLER_WORDS: ReadonlySet<string> = new Set(
  'de, del, la, el, da, do, of, the, y, e, n, no, nro, num, numero, number, nr'.split(', '),
);

export function nameWords(text: string): readonly string[] {
  const plain = text.replace(/[^a-z0-9]+/g, ' ');
  return plain.trim().split(' ');
}

export function beginsWithTotal(text: string): boolean {
  return /^(?:sub-?\s?totals?|totals?|totale?s|total general|saldos?|sumas?|suma total|soma|sum|balance|closing|opening)(?:\s|:|$)/.test(
    unaccented(text.slice(0, 60)).trim(),
  );
}

const TOTAL_WORD_LIST =
  'total, totals, totales, totais, sub, subtotal, subtotals, subtotales, saldo, saldos, suma, sumas, soma, sum, balance, closing, opening, general, geral, grand, inicial, anterior, final, actual, atual, previo, disponible, disponivel, contable, contabil, parcial, parciales, apertura, cierre, fecha, data, dia, mes, cuenta, conta, periodo, debito, debitos, credito, creditos, debe, haber, cargo, cargos, abono, abonos, pagos, movimientos, operaciones, pagina, hoja, page, account, month, day, amount, initial, previous, current, available, brought, carried, forward, in, al, a, as, at, em, ao, do, da, para, la, el, los, ves, usd, eur, bs';
const TOTAL_WORDS = new Set(TOTAL_WORD_LIST.split(', '));

/** True for `Saldo al 30/11/2026`, false for `Saldo factura 7`. */
export function isTotalAlone(text: string): boolean {
  if (!beginsWithTotal(text)) return false;
  const words = unaccented(text).split(/[\s:]+/);
  const isDate = (word: string): boolean => /^[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}$/.test(word);
  return words.every(
    (word) =>
      word === '' ||
      isDate(word) ||
      nameWords(word).every((part) => FILLER_WORDS.has(part) || TOTAL_WORDS.has(part)),
  );
}

export const TOTAL_ROW = 'looks like a total, which is no payment: delete the row';

export function isTotalRow(cells: readonly string[]): boolean {
  return cells.filter((cell) => cell.trim() !== '').length <= 4 && cells.some(beginsWithTotal);
}
