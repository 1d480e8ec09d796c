/** A value as it may stand on a screen that others see: documents and accounts by their last four characters. Pure. */

/** The paths whose values say who somebody is. */
const PERSONAL = /(^|\.)(document\.number|account_number)$/;

export function masked(path: string, value: string): string {
  if (value === '' || !PERSONAL.test(path)) return value;
  return value.length > 4 ? `***${value.slice(-4)}` : '***';
}
