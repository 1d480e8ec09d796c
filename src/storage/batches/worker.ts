/** A worker has its rows on a lease, and gets pauses and stops from other workers. */

/** Why a run stopped before its end. `by` is the run that found the reason, and `at` is the time. */
export type Stop = { readonly by?: string; readonly at?: string } & (
  | { readonly kind: 'signal' }
  | { readonly kind: 'denied'; readonly code: string; readonly detail: string }
  | { readonly kind: 'refusals'; readonly code: string; readonly detail: string }
  | { readonly kind: 'silence'; readonly code: string }
  | { readonly kind: 'older' }
);

/** Several workers may `send` together. A worker of another mode is alone. */
export type JoinMode = 'plan' | 'send' | 'alone';

export interface JoinTerms {
  /** Requests per second, for all workers together. Null means the present rate, if there is one. */
  readonly ratePerSecond: number | null;
  readonly clearsStop: boolean;
}

export interface Control {
  /** Nothing is sent for this time. The value 0 means no pause. */
  readonly pauseMs: number;
  readonly stopped: Stop | null;
  /** Counts the consecutive rows without a definite answer, for all living workers. */
  readonly silentRows: number;
}

export interface Worker {
  /** Requests per second, for all workers together, or null without a limit. */
  readonly ratePerSecond: number | null;
  /** The store's time, or null if the store's clock does not count. */
  readonly timeMs: number | null;
  /**
   * Resolves if no other worker can take this worker's rows until the answer arrives. If it throws,
   * nothing may be sent.
   */
  mayLeave(): Promise<void>;
  readonly isGood: boolean;
  listen(onControl: (control: Control) => void): void;
  pause(ms: number): Promise<void>;
  /** Reserves a slot of the rate. Returns its time by this machine's monotonic clock. */
  slot(): Promise<number>;
  reportSilentRows(rows: number): void;
  stop(stop: Stop): Promise<void>;
  /** Counts the results that came too late, because other workers had already taken the rows. */
  readonly lateResults: number;
  /**
   * Call this after all work under way is recorded. Other workers then need not wait for the end of
   * the lease.
   */
  end(): Promise<void>;
}

export interface WorkerState {
  readonly name: string;
  readonly since: string;
  readonly last_seen_s: number;
  readonly rows_in_hand: number;
  readonly state: 'at_work' | 'late' | 'ended' | 'lost';
}

export interface BatchSharing {
  readonly paused_until: string | null;
  readonly stopped: Stop | null;
  readonly confirmed_by: string | null;
}
