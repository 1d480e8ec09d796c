/** A log entry as the control API returns it. Types only, because the page imports them too. */

export interface LogRow {
  readonly id: number;
  /** The sandbox's time at the request. */
  readonly at: string;
  /** The machine's time at the request. */
  readonly wall_at: string;
  readonly method: string;
  readonly path: string;
  readonly endpoint: string | null;
  readonly company: string | null;
  /** Null: the connection was cut. */
  readonly status: number | null;
  readonly ms: number;
  readonly idempotency_key: string | null;
  readonly replayed: boolean;
  readonly fault: string | null;
  readonly refused: string | null;
}

export interface ExchangeSide {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Present if `body` is not text but base64. */
  readonly encoding?: 'base64';
  /** True: `body` is only the beginning. */
  readonly truncated?: boolean;
}

export interface LogEntry extends LogRow {
  readonly operation: string | null;
  readonly request: ExchangeSide;
  readonly answer: ExchangeSide;
}
