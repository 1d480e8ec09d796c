import { enumerated } from '../contract/on-screen.js';
import { unaccented } from './words.js';

export type Currencies = readonly string[];

const DOLLARS = list(
  'AUD BBD BMD BND BSD BZD CAD FJD GYD HKD JMD KYD LRD NAD NZD SBD SGD SRD TTD TWD USD XCD',
);
const PESOS = list('ARS CLP COP CUP DOP MXN PHP UYU');
const SYMBOLS: Readonly<Record<string, Currencies>> = {
  $: [...DOLLARS, ...PESOS, 'CVE', 'MOP', 'NIO'].sort(),
  BS: list('BOB VED VEF VES'),
  C$: list('CAD NIO'),
  '¥': list('CNY JPY'),
  '₱': list('CUP PHP'),
  ...Object.fromEntries(
    '€ EUR, £ GBP, US$ USD, U$S USD, U$ USD, U$D USD, $US USD, R$ BRL, RD$ DOP, MX$ MXN, COL$ COP, CO$ COP, AR$ ARS, CL$ CLP, CA$ CAD, A$ AUD, AU$ AUD, NZ$ NZD, HK$ HKD, NT$ TWD, $U UYU, S/ PEN, BSS VES, BSD VES, BSF VEF, ₡ CRC, ₲ PYG, ₩ KRW, ₹ INR, ₽ RUB, ₺ TRY, ₪ ILS, ₦ NGN, ₫ VND, ₴ UAH'
      .split(', ')
      .map((pair) => pair.split(' '))
      .map(([symbol = '', code = '']) => [symbol, [code]]),
  ),
};
/** Longer phrases come first, because the text of a match is removed. */
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
const CODES_UNLIKE_WORDS = new Set(
  list('USD EUR GBP BRL MXN COP ARS CLP VES VED VEF BOB PYG UYU CRC GTQ HNL NIO DOP PAB CAD CHF'),
);
const CODE = /(?<![\p{L}\p{N}])[A-Z]{3}(?![\p{L}\p{N}$])/gu;
const SYMBOL =
  /(?<![\p{L}])[A-Za-z]{0,3}\p{Sc}(?:(?:US|S|D|U)(?![\p{L}]))?|(?<![\p{L}])bs(?:\.?\s?[sfd])?(?![\p{L}])|(?<![\p{L}])s\/(?!\p{L})/giu;

export function currenciesOf(text: string): Currencies | null {
  const upper = text.trim().toUpperCase();
  const symbol = bareSymbol(upper);
  if (!isCode(upper) && Object.hasOwn(SYMBOLS, symbol)) return SYMBOLS[symbol] ?? null;
  if (/^[A-Z]{3}$/.test(upper)) return [upper];
  const mentions = mentionsIn(text, isCode);
  return mentions.length === 0 ? null : commonCurrencies(mentions);
}

export function currenciesIn(text: string, takesAnyCode = false): readonly Currencies[] {
  return mentionsIn(text, takesAnyCode ? isCode : (code) => CODES_UNLIKE_WORDS.has(code));
}

export function commonCurrencies(all: readonly Currencies[]): Currencies {
  const [first = [], ...others] = all.filter(({ length }) => length > 0);
  return first.filter((code) => others.every((other) => other.includes(code)));
}

export function currencyNames(possible: Currencies): string {
  if (possible.length === 0) return 'a currency that is not known here';
  if (possible.length <= 4) return enumerated(possible, 'or');
  const common = ['USD', 'MXN', 'COP', 'ARS', 'CLP'].filter((code) => possible.includes(code));
  return `${common.join(', ')} or another one`;
}

function mentionsIn(text: string, counts: (code: string) => boolean): readonly Currencies[] {
  const codes = (text.match(CODE) ?? []).filter(counts).map((code) => [code]);
  const symbols = (text.match(SYMBOL) ?? []).map((symbol): Currencies => {
    const plainSymbol = bareSymbol(symbol);
    if (Object.hasOwn(SYMBOLS, plainSymbol)) return SYMBOLS[plainSymbol] ?? [];
    const code = plainSymbol.replace(/\p{Sc}/u, '');
    return isCode(code) ? [code] : [];
  });
  let remainingText = unaccented(text);
  const words = WORDS.flatMap(([pattern, possible]) => {
    const isThere = remainingText.search(pattern) !== -1;
    remainingText = remainingText.replace(pattern, ' ');
    return isThere ? [possible] : [];
  });
  return [...codes, ...symbols, ...words];
}

function bareSymbol(symbol: string): string {
  return symbol.toUpperCase().replace(/[.\s]/g, '');
}

let isoCodes: ReadonlySet<string> | null = null;

function isCode(code: string): boolean {
  isoCodes ??= new Set(Intl.supportedValuesOf('currency'));
  return isoCodes.has(code);
}

function list(words: string): readonly string[] {
  return words.split(' ');
}
