/** The store: everything the sandbox remembers, by what it is about; one SQLite file, or memory. */
import { companiesIn, type Companies } from './companies.js';
import { type Database, openDatabase } from '../../runtime/database.js';
import { deliveriesIn, type Deliveries } from './deliveries.js';
import { type Faults, faultsIn } from './faults.js';
import { type Feed, feedIn, type Webhooks, webhooksIn } from './feed.js';
import { type Idempotency, idempotencyIn, type Money, moneyIn } from './beside-operations.js';
import { type Operations, operationsIn } from './operations.js';
import { operationListIn, type OperationList } from './operation-list.js';
import { type Requests, requestsIn } from './requests.js';
import { APPLICATION_ID, SCHEMA, SANDBOX_VERSION } from './schema.js';
import { countAll, isWaiting, resetAll, settingsIn, type Counts, type StoreSettings } from './whole.js';

/** What the file is. */
export const SANDBOX_KIND = {
  name: "sandbox's store",
  whenGone: 'To replace the default one: svc sandbox reset',
  schema: SCHEMA,
  version: SANDBOX_VERSION,
  applicationId: APPLICATION_ID,
  // Ids and keys are random: each lands on a page of its own, and small pages make a group's commit a third shorter.
  tuning: { pageBytes: 2048, logPages: 4000 },
};

/** What a reader that follows along is told of. */
export interface Written {
  readonly operations: number;
  readonly deliveries: number;
  readonly faults: number;
  readonly clock: number;
  /** Companies, their keys and the urls that they registered. */
  readonly companies: number;
}

export interface Store {
  readonly companies: Companies;
  readonly operations: Operations;
  readonly operationList: OperationList;
  readonly money: Money;
  readonly feed: Feed;
  readonly idempotency: Idempotency;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly settings: StoreSettings;
  /**
   * Everything above is called inside `work`, and nowhere else: it is durable when this returns, and undone when `work` throws.
   * @throws DatabaseUnusable where the file cannot be used
   */
  transaction<T>(work: () => T): T;
  /** How often something was written here about each of these; it only grows. */
  written(): Written;
  /** How many rows were changed here so far: whether something was is a comparison. */
  changes(): number;
  /** How much there is of what a person asks about. */
  counts(): Counts;
  /** Whether time alone will bring about anything; asked without a transaction, which would cost ten times as much. */
  isWaiting(): boolean;
  /** Empties everything but this key, its company, and what makes old cursors readable. */
  reset(readyKey: string): void;
  close(): void;
}

/**
 * Opens the store in that file, or a new one in `:memory:`; many processes may do so at once.
 * @throws DatabaseUnusable where the file cannot be used
 */
export function openStore(file: string): Store {
  const db = openDatabase(file, SANDBOX_KIND);
  const written = { operations: 0, deliveries: 0, faults: 0, clock: 0, companies: 0 };
  const about = (subject: keyof Written): Database => counted(db, () => (written[subject] += 1));
  const companies = companiesIn(about('companies'));
  const settings = settingsIn(about('clock'));
  return {
    companies,
    operations: operationsIn(about('operations')),
    operationList: operationListIn(db),
    money: moneyIn(db),
    feed: feedIn(db),
    idempotency: idempotencyIn(db),
    webhooks: webhooksIn(about('companies')),
    deliveries: deliveriesIn(about('deliveries')),
    faults: faultsIn(about('faults')),
    requests: requestsIn(db),
    settings,
    transaction: (work) => db.transaction(work),
    changes: () => db.changes(),
    counts: () => countAll(db),
    isWaiting: () => isWaiting(db),
    written: () => ({ ...written }),
    reset: (readyKey) => {
      resetAll(db, companies, settings, readyKey);
      for (const subject of Object.keys(written) as (keyof Written)[]) written[subject] += 1;
    },
    close: () => db.close(),
  };
}

/** The same, which tells of everything that is written through it. */
function counted(db: Database, onWritten: () => void): Database {
  return {
    ...db,
    run: (sql, ...values) => {
      onWritten();
      return db.run(sql, ...values);
    },
    insert: (sql, ...values) => {
      onWritten();
      return db.insert(sql, ...values);
    },
  };
}
