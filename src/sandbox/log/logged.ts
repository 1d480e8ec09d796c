import type { LoggedRequest, LoggedSide } from '../testing/types.js';

/** Reads a filter of requests: a status such as `404`, a kind of status such as `4xx`, or `cut`. */
export function statusRange(text: string): readonly [from: number, to: number] | 'cut' | undefined {
  if (text === 'cut') return 'cut';
  const [, first, rest] = /^([1-5])(xx|[0-9]{2})$/.exec(text) ?? [];
  if (first === undefined) return undefined;
  return rest === 'xx' ? [Number(first) * 100, Number(first) * 100 + 99] : [Number(text), Number(text)];
}

export interface LogRow extends LoggedRequest {
  readonly ms: number;
}

export interface ExchangeSide extends LoggedSide {
  readonly headers: Readonly<Record<string, string>>;
}

export interface LogEntry extends LogRow {
  readonly operation: string | null;
  readonly request: ExchangeSide;
  readonly answer: ExchangeSide;
}
