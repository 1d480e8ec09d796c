/** One request of the log as the control API answers it. Types only: the browser reads them too. */

/** What a list shows of one. */
export interface Logged {
  readonly id: number;
  /** Sandbox time. */
  readonly at: string;
  /** The time of the machine. */
  readonly wall_at: string;
  readonly method: string;
  readonly path: string;
  readonly endpoint: string | null;
  readonly company: string | null;
  /** Null where the connection was cut. */
  readonly status: number | null;
  readonly ms: number;
  readonly idempotency_key: string | null;
  readonly replayed: boolean;
  readonly fault: string | null;
  /** Why, in a sentence. */
  readonly refused: string | null;
}

/** One side of an exchange. */
export interface ShownSide {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Where the bytes are no text. */
  readonly encoding?: 'base64';
  /** There was more. */
  readonly truncated?: boolean;
}

/** One with both its sides. */
export interface LoggedWhole extends Logged {
  /** The id of the operation that it was about. */
  readonly operation: string | null;
  readonly request: ShownSide;
  readonly answer: ShownSide;
}
