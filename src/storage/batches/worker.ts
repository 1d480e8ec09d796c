/** A worker has its rows on a lease, and gets pauses and stops from other workers. */

/** Why a run stopped before its end. `by` and `at` name the run that found the reason, and when. */
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
  /** Requests per second, for all workers together. Null: the present rate, or none. */
  readonly ratePerSecond: number | null;
  readonly clearsStop: boolean;
}

export interface Control {
  /** Nothing is sent for this time. 0: no pause. */
  readonly pauseMs: number;
  readonly stopped: Stop | null;
  /** Consecutive rows without a definite answer, of all living workers. 0 if one of them gets answers. */
  readonly silentRows: number;
}

export interface Worker {
  /** Requests per second, for all workers together. Null: no limit. */
  readonly ratePerSecond: number | null;
  /** The store's time. Null: its clock does not count. */
  readonly timeMs: number | null;
  /** Resolves if a row may be sent: it stays this worker's until the answer arrives. @throws Failure `locked` if others have it: nothing may be sent */
  mayLeave(): Promise<void>;
  readonly isGood: boolean;
  listen(onControl: (control: Control) => void): void;
  pause(ms: number): Promise<void>;
  /** Reserves a slot of the rate. Returns its time by this machine's monotonic clock. */
  slot(): Promise<number>;
  reportSilentRows(rows: number): void;
  stop(stop: Stop): Promise<void>;
  /** Results that came too late, because other workers had the rows. */
  readonly lateResults: number;
  /** Call this after everything under way is recorded. Others then need not wait for the end of the lease. */
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
