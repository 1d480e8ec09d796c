/** The currencies that codes, symbols and words name, in English, Spanish and Portuguese. Pure. */
import { enumerated } from '../contract/on-screen.js';
import { unaccented } from './words.js';

/** The currencies that it may be; empty where it is one that is not known here. */
export type Currencies = readonly string[];

const DOLLARS = list(
  'AUD BBD BMD BND BSD BZD CAD FJD GYD HKD JMD KYD LRD NAD NZD SBD SGD SRD TTD TWD USD XCD',
);
const PESOS = list('ARS CLP COP CUP DOP MXN PHP UYU');
/** A symbol in capitals, without points and spaces. */
const SYMBOLS: Readonly<Record<string, Currencies>> = {
  $: [...DOLLARS, ...PESOS, 'CVE', 'MOP', 'NIO'].sort(),
  BS: list('BOB VED VEF VES'),
  C$: list('CAD NIO'),
  '¥': list('CNY JPY'),
  '₱': list('CUP PHP'),
  ...single(
    '€ EUR, £ GBP, US$ USD, U$S USD, U$ USD, U$D USD, $US USD, R$ BRL, RD$ DOP, MX$ MXN, COL$ COP, CO$ COP, AR$ ARS, CL$ CLP, CA$ CAD, A$ AUD, AU$ AUD, NZ$ NZD, HK$ HKD, NT$ TWD, $U UYU, S/ PEN, BSS VES, BSD VES, BSF VEF, ₡ CRC, ₲ PYG, ₩ KRW, ₹ INR, ₽ RUB, ₺ TRY, ₪ ILS, ₦ NGN, ₫ VND, ₴ UAH',
  ),
};
/** Words without accents; those of several first words come before those of one. */
const WORDS: readonly (readonly [pattern: RegExp, possible: Currencies])[] = [
  [/\b(?:us|american) dollars?\b|\bdolar(?:es)? (?:americanos?|estadounidenses?|usa)\b/g, ['USD']],
  [/\bdolar(?:es)?\b|\bdollars?\b/g, DOLLARS],
  [/\bpesos? mexicanos?\b|\bmexican pesos?\b/g, ['MXN']],
  [/\bpesos? colombianos?\b|\bcolombian pesos?\b/g, ['COP']],
  [/\bpesos? argentinos?\b|\bargentine pesos?\b/g, ['ARS']],
  [/\bpesos? chilenos?\b|\bchilean pesos?\b/g, ['CLP']],
  [/\bpesos?\b/g, PESOS],
  [/\beuros?\b/g, ['EUR']],
  [/\bbolivar(?:es)?\b/g, ['VES']],
  [/\bbolivianos?\b/g, ['BOB']],
  [/\breais\b|\breales\b/g, ['BRL']],
  [/\b(?:nuevos )?soles\b/g, ['PEN']],
  [/\bquetzales\b/g, ['GTQ']],
  [/\bcolones\b/g, ['CRC']],
  [/\bguaranies\b/g, ['PYG']],
  [/\blempiras\b/g, ['HNL']],
  [/\blibras esterlinas\b|\bpounds?(?: sterling)?\b/g, ['GBP']],
];
/** Codes that no title holds as a word: TOP, ALL and PEN are currencies too. */
const PLAIN_CODES = new Set(
  list('USD EUR GBP BRL MXN COP ARS CLP VES VED VEF BOB PYG UYU CRC GTQ HNL NIO DOP PAB CAD CHF'),
);
const CODE = /(?<![\p{L}\p{N}])[A-Z]{3}(?![\p{L}\p{N}$])/gu;
const SYMBOL =
  /(?<![\p{L}])[A-Za-z]{0,3}\p{Sc}(?:(?:US|S|D|U)(?![\p{L}]))?|(?<![\p{L}])bs(?:\.?\s?[sfd])?(?![\p{L}])|(?<![\p{L}])s\/(?!\p{L})/giu;

/** What a text that is nothing but a currency names: a code, a symbol, a word; null where it is none. */
export function currenciesOf(text: string): Currencies | null {
  const upper = text.trim().toUpperCase();
  const bare = bareSymbol(upper);
  if (!isCode(upper) && Object.hasOwn(SYMBOLS, bare)) return SYMBOLS[bare] ?? null;
  if (/^[A-Z]{3}$/.test(upper)) return [upper];
  const found = mentionsIn(text, isCode);
  return found.length === 0 ? null : shared(found);
}

/** What a longer text says on its way; each mention by itself. @param isAny whether any code counts, and not only those that are no words */
export function currenciesIn(text: string, isAny = false): readonly Currencies[] {
  return mentionsIn(text, isAny ? isCode : (code) => PLAIN_CODES.has(code));
}

/** What may be meant where all are said of one thing; empty where they contradict each other. */
export function shared(all: readonly Currencies[]): Currencies {
  const [first = [], ...others] = all.filter(({ length }) => length > 0);
  return first.filter((code) => others.every((other) => other.includes(code)));
}

/** For people: `USD`, or what it may be. */
export function currencyNames(possible: Currencies): string {
  if (possible.length === 0) return 'a currency that is not known here';
  if (possible.length <= 4) return enumerated(possible, 'or');
  const known = ['USD', 'MXN', 'COP', 'ARS', 'CLP'].filter((code) => possible.includes(code));
  return `${known.join(', ')} or another one`;
}

function mentionsIn(text: string, counts: (code: string) => boolean): readonly Currencies[] {
  const codes = (text.match(CODE) ?? []).filter(counts).map((code) => [code]);
  const symbols = (text.match(SYMBOL) ?? []).map((symbol): Currencies => {
    const bare = bareSymbol(symbol);
    if (Object.hasOwn(SYMBOLS, bare)) return SYMBOLS[bare] ?? [];
    const code = bare.replace(/\p{Sc}/u, '');
    return isCode(code) ? [code] : [];
  });
  let plain = unaccented(text);
  const words = WORDS.flatMap(([pattern, possible]) => {
    const isThere = plain.search(pattern) !== -1;
    plain = plain.replace(pattern, ' ');
    return isThere ? [possible] : [];
  });
  return [...codes, ...symbols, ...words];
}

function bareSymbol(symbol: string): string {
  return symbol.toUpperCase().replace(/[.\s]/g, '');
}

let codes: ReadonlySet<string> | null = null;

function isCode(code: string): boolean {
  codes ??= new Set(Intl.supportedValuesOf('currency'));
  return codes.has(code);
}

function list(words: string): readonly string[] {
  return words.split(' ');
}

function single(pairs: string): Readonly<Record<string, Currencies>> {
  return Object.fromEntries(
    pairs.split(', ').map((pair) => [pair.split(' ')[0] ?? '', [pair.split(' ')[1] ?? '']]),
  );
}
