/** The data of a worker in PostgreSQL, and the answers of the database to it. */
import type { Clock, Ticker } from '../../../runtime/clock.js';
import type { Connection } from '../../../state/connection.js';
import type { Cluster } from '../../../state/cluster.js';
import type { Stop } from '../../run/brake.js';
import type { Servers } from './home.js';

/** Who works here, and how long it may be away. */
export interface WorkerFacts {
  /** Machine or pod, as people know it. */
  readonly name: string;
  /** The version of the program. */
  readonly program: string;
  /** After so long without a word its rows may be taken. */
  readonly leaseMs: number;
  /** Nothing leaves so shortly before that: the last request has its answer by then, or has run out. */
  readonly marginMs: number;
}

export interface LeaseWorld extends WorkerFacts {
  readonly connection: Connection;
  readonly servers: Servers;
  /** This machine's: it stands beside one that never goes back, because either may stand still or be set. */
  readonly clock: Clock;
  readonly ticker: Ticker;
  /** A line for people. */
  readonly say: (text: string) => void;
  /**
   * Whose clocks say how old a row is: the service's, which callers know, and the database's as well, because a machine that hears no time of
   * the service counts by its own; or the callers' alone.
   */
  readonly ages: 'both' | 'caller';
}

export interface ControlRecord {
  readonly pause_ms: number | null;
  readonly stopped: Stop | null;
  readonly silent_rows: number | null;
  /** Now, by the clock of the database. */
  readonly now_ms: number;
}

/** What the database says of a worker that has joined. */
export interface JoinedRecord extends Pick<ControlRecord, 'now_ms'> {
  readonly worker: number;
  readonly rate: number | null;
}

/** A worker that has joined. */
export interface Joined extends JoinedRecord {
  /** Says which one it is, whatever number another server gives. */
  readonly token: string;
  /** The server that forgot nothing of the batch when it joined. */
  readonly home: Cluster;
}
