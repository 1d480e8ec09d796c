import type { IntoTables } from '../../support/into-tables.js';
import type { Wanted } from './feed.js';

export type Faults = Readonly<Record<'missing' | 'twice' | 'different' | 'wrongOperations', number>>;

export const NO_FAULTS: Faults = { missing: 0, twice: 0, different: 0, wrongOperations: 0 };

export async function faultsIn(tables: IntoTables, wanted: Wanted): Promise<Faults> {
  const rows = await tables.query('SELECT id, raw FROM svc_events ORDER BY number');
  const seen = rows.map(({ id }) => String(id));
  const once = new Set(seen);
  const inOrder = [...once];
  const raws = new Map(
    rows.map(({ id, raw }) => [String(id), sorted(typeof raw === 'string' ? JSON.parse(raw) : raw)]),
  );
  const operations = (
    await tables.query('SELECT id, status, amount, event FROM svc_operations ORDER BY id')
  ).map(({ id, status, amount, event }) => [id, status, amount, event].join(' '));
  const known = new Set(operations);
  return {
    missing: wanted.events.filter(({ id }) => !once.has(id)).length,
    twice: seen.length - once.size,
    different: wanted.events.filter(
      ({ id, raw }, at) => once.has(id) && (inOrder[at] !== id || raws.get(id) !== sorted(raw)),
    ).length,
    wrongOperations:
      wanted.operations.filter((operation) => !known.has(operation)).length +
      Math.max(0, operations.length - wanted.operations.length),
  };
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
