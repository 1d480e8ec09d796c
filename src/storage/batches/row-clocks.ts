import type { Moment } from '../../contract/moment.js';

export function clocksText({ serviceMs, wallMs, bootId, bootMs }: Moment): string {
  return JSON.stringify([serviceMs !== null, Math.round(wallMs), bootId, Math.round(bootMs)]);
}

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
