/**
 * How older tables come to the version that this program knows, a step at a time. A step first makes room (columns, tables) that older
 * programs pass over; what they still use goes a release later, with `leastWriter` raised to the programs that do without it.
 */
export interface StateMigration {
  /** The version that it makes, one more than the one before. */
  readonly to: number;
  /** Statements of one transaction; `svc.` stands for the schema. */
  readonly sql: string;
  /** The oldest programs that may write and read from then on. */
  readonly leastWriter: number;
  readonly leastReader: number;
}

/** In their order; a new one brings `SCHEMA_VERSION`, the tables of `svc state init` and the grants along. */
export const MIGRATIONS: readonly StateMigration[] = [];

/** Whoever is at work: while one of these has rows, nobody moves its tables. */
export const LEASES: readonly string[] = [
  'svc.workers WHERE ended_at IS NULL AND lease_until > clock_timestamp()',
  'svc.checkpoints WHERE holder IS NOT NULL AND lease_until > clock_timestamp()',
];
