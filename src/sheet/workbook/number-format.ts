/** Reads a workbook's number formats (ECMA-376 part 1, 18.8.30 and 18.8.31). */
import { readAmount } from '../amount.js';

export type Format = Readonly<ReturnType<typeof parseFormat>>;

const GENERAL_MAX_CHARACTERS = 11;
const CODE_MAX_CHARACTERS = 255;

const FIRST_CODES =
  'General 0 0.00 #,##0 #,##0.00 #,##0 #,##0 #,##0.00 #,##0.00 0% 0.00% 0.00E+00 #/# #/#'.split(' ');

export function builtInCode(id: number): string {
  if (id >= 37 && id <= 44) return (id - 37) % 4 < 2 ? '#,##0' : '#,##0.00';
  const isDate = (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58);
  if (id === 48 || id === 49) return id === 48 ? '0.0E+0' : '@';
  return FIRST_CODES[id] ?? (isDate ? 'yyyy-mm-dd' : '?/?');
}

const TOKEN =
  /"([^"]*)"|\\(.)|_.|\*[ *]|\[\$([^\]-]*)(?:-(?:0?1[0-9a-f]{6}|[0-9a-f]{0,6}|[a-z]{2,3}(?:-[a-z0-9]{2,8})*))?\]|\[(?:black|blue|cyan|green|magenta|red|white|yellow|color ?[0-9]+)\]|(general)|(.)/gisu;
const CONDITION = /^\[(<=?|>=?|=|<>)(-?[0-9.]+)\]/;
const AMOUNT =
  /^((?:«[^»]*»|[-+() \u00a0\p{Sc}])*)([@§]|(?:(?:[#0?](?:[, ]|«[ '’\u00a0\u202f]»)?)*[#0?])?(?:\.([#0?]*))?)((?:«[^»]*»|[-+() \u00a0\p{Sc}])*)$/u;

/** In `sections`, literals stand between « and », and § stands for the format General. */
export function parseFormat(code: string) {
  const marked = code
    .replace(/[«»§¶]/g, '\\?')
    .replace(TOKEN, (_all, ...[quoted, escaped, sign, general, other]: string[]) => {
      if (general !== undefined) return '§';
      const literal = quoted ?? escaped ?? sign ?? '';
      return other?.replace(';', '¶') ?? (literal === '' ? '' : `«${literal.replaceAll('@', '?')}»`);
    });
  const sections = code.length > CODE_MAX_CHARACTERS ? ['?/?'] : marked.split('¶');
  const [first = '', last = ''] = [sections[0], sections.at(-1)];
  const isDate = /[ymdhs]/i.test(first.replace(/«[^»]*»|E[+-]/gi, ''));
  const showsText = /^[@§]$/.test(last) || (sections.length < 4 && !last.includes('@'));
  return { code, sections, isDate, showsText };
}

function sectionOf({ sections: all }: Format, number: number): string {
  const sections = all.filter((one, at) => at === 0 || (at < 3 && !one.includes('@')));
  const section = sections[number > 0 ? 0 : number < 0 ? 1 : 2];
  if (!sections.some((one) => one.includes('[')))
    return section ?? `${number < 0 ? '-' : ''}${sections[0] ?? ''}`;
  const isClear = number >= 0 && sections.slice(0, -1).every((one) => CONDITION.test(one));
  const metSection = sections.find((one) => {
    const [, sign, than] = CONDITION.exec(one) ?? [];
    const difference = number - Number(than);
    return sign?.includes(difference === 0 ? '=' : difference < 0 ? '<' : '>') ?? true;
  });
  return isClear ? (metSection?.replace(CONDITION, '') ?? '?/?') : '?/?';
}

export function showsDigits(format: Format, number: string): boolean {
  const [, minus, body] = /^(-?)([@0§])$/.exec(sectionOf(format, Number(number))) ?? [];
  if (body === undefined || (minus === '-') !== number.startsWith('-')) return false;
  if (body === '0') return !number.includes('.');
  return body === '@' || number.replace('-', '').length <= GENERAL_MAX_CHARACTERS;
}

export function signOfAmount(format: Format, number: string): string | null {
  const match = AMOUNT.exec(sectionOf(format, Number(number)));
  const [, before = '', places = '', decimals = '', behind = ''] = match ?? [];
  if (match === null || (number !== '0' && !/[#0?@§]/.test(places))) return null;
  const digits = number.replace('-', '');
  const isGeneral = /[@§]/.test(places);
  const [, fraction = ''] = digits.split('.');
  if (isGeneral ? digits.length > GENERAL_MAX_CHARACTERS : fraction.length > decimals.length) return null;
  const shownText = `${before}${digits}${behind}`.replace(/[«»]/g, '');
  if (shownText === number && /^[0-9.]+$/.test(shownText)) return '';
  const amount = readAmount(shownText.replace(/^(.*)\((.*)\)(.*)$/, '($1$2$3)'), 'point');
  const isSame = amount?.amount === digits && amount.isNegative === number.startsWith('-');
  return isSame ? (amount.currency ?? '') : null;
}
