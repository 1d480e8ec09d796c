/** How long something still lasts, in minutes and seconds. Pure. */

/** `4:32`; a part of a second counts as a whole one, so that `0:00` means over. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${String(Math.floor(seconds / 60))}:${String(seconds % 60).padStart(2, '0')}`;
}
