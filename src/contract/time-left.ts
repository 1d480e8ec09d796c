/** How long something still lasts, as a person reads it. Pure. */

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
