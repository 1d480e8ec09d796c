/** Values as they stand on a screen that others see: how long something still lasts, and documents and accounts masked. Pure. */
const HOUR_MS = 3_600_000;

/** `4:32`, minutes and seconds; a part of a second counts as a whole one, so that `0:00` means over. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The same within the last hour, `47 h 59 min` before that. */
export function timeLeft(leftMs: number): string {
  if (leftMs < HOUR_MS) return countdown(leftMs);
  const minutes = Math.floor(leftMs / 60_000);
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

/** The paths whose values say who somebody is. */
const PERSONAL = /(^|\.)(document\.number|account_number)$/;

export function masked(path: string, value: string): string {
  if (value === '' || !PERSONAL.test(path)) return value;
  return value.length > 4 ? `***${value.slice(-4)}` : '***';
}
