/** A log entry as the control API returns it. Types only, because the page imports them too. */

/** A log entry in a list. */
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
  /** The status of the answer. Null: the connection was cut. */
  readonly status: number | null;
  readonly ms: number;
  readonly idempotency_key: string | null;
  readonly replayed: boolean;
  readonly fault: string | null;
  /** The reason of the refusal, in a sentence. */
  readonly refused: string | null;
}

/** The request or the answer of an exchange. */
export interface ExchangeSide {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Present if the body is not text: then `body` is its base64. */
  readonly encoding?: 'base64';
  /** True: the body was longer than the log keeps. */
  readonly truncated?: boolean;
}

/** A log entry with the request and the answer. */
export interface LogEntry extends LogRow {
  /** The id of the operation that the request concerned. */
  readonly operation: string | null;
  readonly request: ExchangeSide;
  readonly answer: ExchangeSide;
}
