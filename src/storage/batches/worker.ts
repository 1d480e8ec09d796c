export type Stop = { readonly by?: string; readonly at?: string } & (
  | { readonly kind: 'signal' }
  | { readonly kind: 'denied'; readonly code: string; readonly detail: string }
  | { readonly kind: 'refusals'; readonly code: string; readonly detail: string }
  | { readonly kind: 'silence'; readonly code: string }
  | { readonly kind: 'older' }
);

export type JoinMode = 'plan' | 'send' | 'alone';

export interface JoinTerms {
  readonly ratePerSecond: number | null;
  readonly clearsStop: boolean;
}

export interface Control {
  readonly pauseMs: number;
  readonly stopped: Stop | null;
  readonly silentRows: number;
}

export interface Worker {
  readonly ratePerSecond: number | null;
  readonly databaseMs: number | null;
  /** Resolves when rows may be sent. If it throws, nothing may be sent, because another worker may take the rows. */
  requireLease(): Promise<void>;
  readonly isGood: boolean;
  listen(onControl: (control: Control) => void): void;
  pause(ms: number): Promise<void>;
  slot(): Promise<number>;
  reportSilentRows(rows: number): void;
  stop(stop: Stop): Promise<void>;
  readonly lateResults: number;
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
