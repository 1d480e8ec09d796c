import type { LoggedRequest, LoggedSide } from '../testing/types.js';

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
