/** The service's time as it was believed last, by place and boot; each in a transaction of the caller's. */
import type { TimeAnchor } from '../contract/moment.js';
import type { Database } from '../runtime/database.js';
import type { TimePlace } from './journal.js';

interface TimeRecord {
  readonly boot: string;
  readonly boot_at: number;
  readonly service_at: number;
}

const NOTE =
  'ON CONFLICT (environment, origin, boot) DO UPDATE SET service_at = excluded.service_at, boot_at = excluded.boot_at ' +
  "WHERE excluded.service_at > service_at OR environment = 'sandbox'";

/** That of this boot, else the newest of any. */
export function selectTime(
  db: Database,
  { environment, origin }: TimePlace,
  bootId: string,
): TimeAnchor | null {
  const found = db
    .query<TimeRecord>(
      'SELECT boot, boot_at, service_at FROM times WHERE environment = ? AND origin = ? ORDER BY boot = ? DESC, service_at DESC LIMIT 1',
    )
    .get(environment, origin, bootId);
  return found === undefined
    ? null
    : { serviceMs: found.service_at, bootId: found.boot, bootMs: found.boot_at };
}

export function noteTime(db: Database, { environment, origin }: TimePlace, anchor: TimeAnchor): void {
  db.run(
    `INSERT INTO times (environment, origin, boot, boot_at, service_at) VALUES (?, ?, ?, ?, ?) ${NOTE}`,
    ...[environment, origin, ...valuesOf(anchor)],
  );
}

/** That of the place where a request was sent. */
export function noteTimeOfRow(db: Database, row: number, anchor: TimeAnchor | null | undefined): void {
  if (anchor === null || anchor === undefined) return;
  db.run(
    `INSERT INTO times (environment, origin, boot, boot_at, service_at) SELECT environment, origin, ?, ?, ? FROM requests WHERE row = ? ${NOTE}`,
    ...[...valuesOf(anchor), row],
  );
}

function valuesOf({ bootId, bootMs, serviceMs }: TimeAnchor): [string, number, number] {
  return [bootId, Math.round(bootMs), Math.round(serviceMs)];
}
