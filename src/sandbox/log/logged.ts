import type { LoggedRequest, LoggedSide } from '../testing/types.js';

/** Reads a filter of requests: a status such as `404`, a kind of status such as `4xx`, or `cut`, which counts as 0. */
export function statusRange(text: string): readonly [from: number, to: number] | undefined {
  if (text === 'cut') return [0, 0];
  if (!/^[1-5](?:xx|[0-9]{2})$/.test(text)) return undefined;
  return [Number(text.replace('xx', '00')), Number(text.replace('xx', '99'))];
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
