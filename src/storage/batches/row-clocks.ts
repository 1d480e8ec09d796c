/** The clocks of a machine when a row left, stored with `sent_at`. All of them count for the row's age. Pure. */
import type { Moment } from '../../contract/moment.js';

/** Returns the cell for these clocks, which counts only if `sent_at` is set. */
export function clocksText({ serviceMs, wallMs, bootId, bootMs }: Moment): string {
  return JSON.stringify([serviceMs !== null, Math.round(wallMs), bootId, Math.round(bootMs)]);
}

/**
 * Returns when a row left. A row without clocks was settled from the event feed by a machine with a shared state: its time is the service's, and
 * the database's clock replaces the machine's. A file has no such row.
 * @param sharedMs when it left by the shared database's clock; undefined without one
 */
export function sentMomentOf(sentAtMs: number, text: string | null, sharedMs?: number): Moment {
  const clocks = parseClocks(text);
  if (clocks === null) {
    const serviceMs = text === null && sharedMs !== undefined ? sentAtMs : null;
    return { serviceMs, wallMs: 0, bootId: '', bootMs: 0, sharedMs };
  }
  const [isProved, wallMs, bootId, bootMs] = clocks;
  return { serviceMs: isProved ? sentAtMs : null, wallMs, bootId, bootMs, sharedMs };
}

function parseClocks(text: string | null): readonly [boolean, number, string, number] | null {
  try {
    const cells: unknown = JSON.parse(text ?? 'null');
    if (!Array.isArray(cells)) return null;
    const [isProved, wallMs, bootId, bootMs] = cells as unknown[];
    return typeof wallMs === 'number' && typeof bootMs === 'number' && typeof bootId === 'string'
      ? [isProved === true, wallMs, bootId, bootMs]
      : null;
  } catch {
    return null;
  }
}
