/** Dates of a workbook: days since 1900 or 1904, told from numbers by the format of their cell. Pure. */

/** The formats of these numbers are dates and times without saying so. */
const BUILT_IN = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
] as const;
const DAY_MS = 86_400_000;
/** Behind the day that never was, 29 February 1900. */
const FIRST_OF_MARCH_1900 = 61;
const LAST = 2_958_465;

/** Whether a format shows a date or a time. @param code null for one of the built-in */
export function isDateFormat(id: number, code: string | null): boolean {
  if (code === null) return BUILT_IN.some(([first, last]) => id >= first && id <= last);
  // What is quoted, escaped or in brackets (a colour, a currency) is no part of a date; elapsed hours are.
  const plain = code
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '')
    .split(';')[0];
  return /[ymdhs]/i.test((plain ?? '').replace(/general/gi, '').replace(/[eE][+-]/g, ''));
}

/** The ISO date, with the time where there is one; null where it is none. */
export function isoOf(days: number, is1904: boolean): string | null {
  const first = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  if (!(days >= (is1904 ? 1 : FIRST_OF_MARCH_1900)) || days > LAST) return null;
  const iso = new Date(first + Math.round((days * DAY_MS) / 1000) * 1000).toISOString();
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19);
}
