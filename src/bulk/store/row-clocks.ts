/** The clocks of a machine when a row left, kept beside `sent_at`: all of them count for the age of the row. Pure. */
import type { Moment } from '../../contract/moment.js';

/** @returns the column; it counts only where `sent_at` is set */
export function clocksText({ serviceMs, wallMs, bootId, bootMs }: Moment): string {
  return JSON.stringify([serviceMs !== null, Math.round(wallMs), bootId, Math.round(bootMs)]);
}

/**
 * When a row left. What has no clocks was found in what the service tells, by machines that share their state: its time is the service's, and
 * the clock of their database stands for those of the machine. In a file there is no such row.
 * @param sharedMs when it left by the clock of the database that machines share; undefined without one
 */
export function leftAt(sentAtMs: number, text: string | null, sharedMs?: number): Moment {
  const clocks = clocksIn(text);
  if (clocks === null) {
    const serviceMs = text === null && sharedMs !== undefined ? sentAtMs : null;
    return { serviceMs, wallMs: 0, bootId: '', bootMs: 0, sharedMs };
  }
  const [isProved, wallMs, bootId, bootMs] = clocks;
  return { serviceMs: isProved ? sentAtMs : null, wallMs, bootId, bootMs, sharedMs };
}

function clocksIn(text: string | null): readonly [boolean, number, string, number] | null {
  try {
    const read: unknown = JSON.parse(text ?? 'null');
    if (!Array.isArray(read)) return null;
    const [isProved, wallMs, bootId, bootMs] = read as unknown[];
    return typeof wallMs === 'number' && typeof bootMs === 'number' && typeof bootId === 'string'
      ? [isProved === true, wallMs, bootId, bootMs]
      : null;
  } catch {
    return null;
  }
}
