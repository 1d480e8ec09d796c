import type { Environment } from '../../contract/access.js';
import { jsonIn } from '../../contract/json.js';
import { Failure } from '../../runtime/failure.js';
import type { OpenTable } from './batch.js';
import type { Position } from '../../storage/checkpoints/checkpoint.js';

/** Raise this version with every change that an older program would get wrong. */
export const EVENT_TABLES_VERSION = 1;

export interface FeedSource {
  readonly environment: Environment;
  readonly origin: string;
}

export type EventTable = (work: (open: OpenTable) => Promise<void>) => Promise<void>;

/** The database went away. The position must be read from the tables again, because commits may be lost. */
export class TableAway extends Error {
  override readonly name = 'TableAway';
  constructor(readonly failure: Failure) {
    super(failure.message, { cause: failure });
  }
}

export interface FeedRecord {
  readonly version: number;
  readonly environment: string;
  readonly origin: string;
}

export function requireSameFeed({ version, environment, origin }: FeedRecord, source: FeedSource): void {
  if (version !== EVENT_TABLES_VERSION) {
    const isNewer = version > EVENT_TABLES_VERSION;
    const problem = isNewer
      ? 'A newer svc made the tables of events'
      : 'An older svc made the tables of events, and only that one can write them';
    const advice = isNewer ? 'Update svc, then run this again.' : 'Use other tables: another schema or file.';
    throw new Failure(
      'local_state',
      `${problem}: they have version ${String(version)}, but this svc knows ${String(EVENT_TABLES_VERSION)}. Nothing was written. ${advice}`,
      { code: isNewer ? 'store_newer' : 'into_unusable' },
    );
  }
  if (environment === source.environment && origin === source.origin) return;
  throw new Failure(
    'unsafe',
    `The tables hold the events of ${origin} (${environment}), but this command goes to ${source.origin} (${source.environment}). ` +
      'Nothing was written. Use that address, or other tables: another schema or file.',
    { code: 'other_place' },
  );
}

export function tablesInUseFailure(holder: string | null): Failure {
  const runText = `Another run of svc is writing these tables${holder === null ? '' : `: ${holder}`}.`;
  const text = `${runText} Wait until it ends, then run this again.`;
  return new Failure('locked', text, { code: 'locked', retryable: true });
}

export function leaseLostFailure(): Failure {
  return new Failure(
    'locked',
    'This run stopped for so long that another one is writing the tables now. This one has written nothing since. The other one writes the rest.',
    { code: 'lease_lost', outcome: 'sent', retryable: true },
  );
}

export function missingTablesFailure(line: string): Failure {
  const text = `There are no tables of events yet. Nothing was written. Make them: ${line}`;
  return new Failure('local_state', text, { code: 'into_missing', nextCommand: line });
}

export function positionIn(text: string | null): Position | null {
  if (text === null) return null;
  const { cursor, ids, last } = (jsonIn(text) ?? {}) as Partial<Position>;
  const isCursor = cursor === null || typeof cursor === 'string';
  if (isCursor && Array.isArray(ids) && ids.every((id) => typeof id === 'string'))
    return { cursor, ids, last };
  throw new Failure(
    'local_state',
    'The place in the events that the tables keep is not what svc wrote there. svc does not start from the beginning instead: use other tables.',
    { code: 'into_damaged' },
  );
}
