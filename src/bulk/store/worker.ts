/** One worker of a batch that several machines share. Its rows are lent to it. Pauses and stops reach every worker. */
import type { Stop } from '../run/brake.js';

/** Workers that send work together. A worker that plans, or changes rows in another way, is alone. */
export type JoinMode = 'plan' | 'send' | 'alone';

export interface JoinTerms {
  /** Sendings a second, of all who work at the batch; null where it is those that are in force, or none. */
  readonly ratePerSecond: number | null;
  /** A person goes on in spite of what stopped the batch. */
  readonly clearsStop: boolean;
}

/** What holds for every worker of a batch. */
export interface Control {
  /** Nothing leaves for that long; 0 where nothing holds it back. */
  readonly pauseMs: number;
  /** Why all have to stop; null where they need not. */
  readonly stopped: Stop | null;
  /** Rows in a row that got no definite answer, of all who are alive; 0 where one of them has none. */
  readonly silentRows: number;
}

export interface Worker {
  /** Sendings a second of all who work at the batch; null where nothing limits them. */
  readonly ratePerSecond: number | null;
  /** What time it is for the store; null where its clock does not count. */
  readonly timeMs: number | null;
  /**
   * Resolves where a row may leave: those in hand are this worker's, and stay so until the answer is there.
   * @throws Failure `locked` where its rows are others' by now: nothing may be sent
   */
  mayLeave(): Promise<void>;
  /** True while a row may leave in this very moment. */
  readonly isGood: boolean;
  /** Called with every word that reaches this worker. */
  listen(onControl: (control: Control) => void): void;
  pause(ms: number): Promise<void>;
  /** A moment of the rate that nobody else has, by the monotonic clock of this machine. */
  slot(): Promise<number>;
  /** So many of its rows in a row got no definite answer; said to the others by and by. */
  silent(rows: number): void;
  stop(stop: Stop): Promise<void>;
  /** How many of its results came too late: others had their rows by then. */
  readonly late: number;
  /** It has recorded everything that was under way: others need not wait for its lease to run out. */
  end(): Promise<void>;
}

export interface WorkerState {
  readonly name: string;
  readonly since: string;
  readonly last_seen_s: number;
  readonly rows_in_hand: number;
  /** `late` is one that may be let go: its lease is over. */
  readonly state: 'at_work' | 'late' | 'ended' | 'lost';
}

/** What holds for all who work at a batch, as it is shown. */
export interface BatchSharing {
  readonly paused_until: string | null;
  /** Why all had to stop, and whose run found it; null where they need not. */
  readonly stopped: Stop | null;
  readonly confirmed_by: string | null;
}
