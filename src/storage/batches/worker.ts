/** A worker of a batch that several machines share. It has its rows on a lease, and gets pauses and stops of other workers. */

/** Why a run stopped before its end. `by` and `at`: which other run found the reason, and when. */
export type Stop = { readonly by?: string; readonly at?: string } & (
  | { readonly kind: 'signal' }
  | { readonly kind: 'denied'; readonly code: string; readonly detail: string }
  | { readonly kind: 'refusals'; readonly code: string; readonly detail: string }
  | { readonly kind: 'silence'; readonly code: string }
  | { readonly kind: 'older' }
);

/** Several workers may `send` together. A worker that plans, or that changes rows in another way, is alone. */
export type JoinMode = 'plan' | 'send' | 'alone';

export interface JoinTerms {
  /** Requests a second, by all workers of the batch together; null: the present rate, or none. */
  readonly ratePerSecond: number | null;
  /** True if a person goes on in spite of the stop. */
  readonly clearsStop: boolean;
}

/** State that all workers of a batch share. */
export interface Control {
  /** Nothing leaves for this time; 0: no pause. */
  readonly pauseMs: number;
  /** Why all workers must stop; null if they need not. */
  readonly stopped: Stop | null;
  /** Consecutive rows without a definite answer, of all living workers; 0 if one of them gets answers. */
  readonly silentRows: number;
}

export interface Worker {
  /** Requests a second, by all workers of the batch together; null: no limit. */
  readonly ratePerSecond: number | null;
  /** The store's time; null if its clock does not count. */
  readonly timeMs: number | null;
  /** Resolves if a row may leave: it stays this worker's until the answer arrives. @throws Failure `locked` if other workers have it: nothing may be sent */
  mayLeave(): Promise<void>;
  /** True while a row may leave in this very moment. */
  readonly isGood: boolean;
  /** Calls back with every change of the shared state that reaches this worker. */
  listen(onControl: (control: Control) => void): void;
  pause(ms: number): Promise<void>;
  /** Reserves a slot of the rate. Returns its time by this machine's monotonic clock. */
  slot(): Promise<number>;
  /** Reports how many consecutive rows got no definite answer. Other workers learn it with the next renewal. */
  reportSilentRows(rows: number): void;
  stop(stop: Stop): Promise<void>;
  /** The number of results that came too late: other workers had the rows. */
  readonly lateResults: number;
  /** Ends the lease after everything under way is recorded, so that others need not wait. */
  end(): Promise<void>;
}

export interface WorkerState {
  readonly name: string;
  readonly since: string;
  readonly last_seen_s: number;
  readonly rows_in_hand: number;
  /** `late`: the lease is over, so the worker may be ended. */
  readonly state: 'at_work' | 'late' | 'ended' | 'lost';
}

export interface BatchSharing {
  readonly paused_until: string | null;
  /** Why all workers must stop, and whose run found it; null if they need not. */
  readonly stopped: Stop | null;
  readonly confirmed_by: string | null;
}
