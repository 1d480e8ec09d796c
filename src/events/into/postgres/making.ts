/** The tables of a feed in PostgreSQL as they are found, or made: of this version, this place, and a database that can hold what events say. */
import type { Connection } from '../../../state/connection.js';
import { isState } from '../../../state/failures.js';
import { type FeedRecord, type IntoPlace, requireOurs, tablesMissing } from '../table.js';
import { isNothingThere, unusable } from './failures.js';
import { BEGIN_FEED, creatingSql, LOOK } from './statements.js';

export interface MakingOptions extends IntoPlace {
  readonly schema: string;
  /** The line that makes them; null where this run may make them itself. */
  readonly creating: string | null;
}

interface Found extends FeedRecord {
  readonly encoding: string;
}

/** They are there: somebody else was faster. */
const THERE = ['42P07', '42P06', '23505'];

/** @throws Failure `local_state`, `unsafe` for those of another place; what the statements throw */
export async function requireFeed(connection: Connection, options: MakingOptions): Promise<void> {
  const { creating } = options;
  const found = await look(connection);
  if (found === null && creating !== null) throw tablesMissing(creating);
  const record = found ?? (await make(connection, options));
  if (record.encoding !== 'UTF8')
    throw unusable(`keeps text as ${record.encoding}, which cannot hold every event. It must be UTF8`);
  requireOurs(record, options);
}

async function look(connection: Connection): Promise<Found | null> {
  try {
    return (await connection.once<Found>(LOOK)).rows[0] ?? null;
  } catch (error) {
    if (isNothingThere(error)) return null;
    throw error;
  }
}

/** All of it in one transaction, as several statements in one question are. */
async function make(connection: Connection, { schema, environment, origin }: MakingOptions): Promise<Found> {
  const refusal: unknown = await connection.script(creatingSql(schema)).then(
    () => null,
    (error: unknown) => error,
  );
  if (refusal !== null && !THERE.some((state) => isState(refusal, state))) throw refusal as Error;
  await connection.once(BEGIN_FEED, [environment, origin]).catch((error: unknown) => {
    // There are tables of such names, and none of ours among them.
    throw (refusal !== null && isNothingThere(error) ? refusal : error) as Error;
  });
  const record = await look(connection);
  if (record === null) throw unusable('does not have the tables that svc just made');
  return record;
}
