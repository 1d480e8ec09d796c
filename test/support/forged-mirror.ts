import { type KnownOperation, NO_FACTS } from '../../src/contract/operation-facts.js';
import { SHARED_FORMAT } from '../../src/storage/mirror/postgres/mirrors.js';
import { operationCells, MIRROR_NAMES } from '../../src/storage/mirror/records.js';
import type { Cells } from './payroll.js';

export const FORGED_ID = '00000000-0000-4000-8000-00000000f0a9';

export function forgedOf(person: Cells, changes: Partial<KnownOperation> = {}): KnownOperation {
  const nowMs = Date.now();
  return {
    ...{ ...NO_FACTS, id: FORGED_ID, status: 'confirmed', direction: 'payout', method: 'mobile_payment' },
    ...{ amount: person['amount'] ?? '', currency: 'VES', reference: person['reference'] ?? '' },
    ...{ eventId: FORGED_ID, createdAtMs: nowMs, confirmedAtMs: nowMs, occurredAtMs: nowMs },
    ...changes,
  };
}

export async function forge(
  sql: (text: string) => Promise<unknown>,
  operation: KnownOperation,
): Promise<void> {
  const cells = operationCells(operation, SHARED_FORMAT);
  const entries = MIRROR_NAMES.map((name, at) => [name, cells[at] ?? null] as const);
  const names = entries.map(([name]) => name).join(', ');
  const values = entries.map(([, value]) => literal(value)).join(', ');
  const same = entries.map(([name]) => `${name} = excluded.${name}`).join(', ');
  await sql(
    `INSERT INTO svc.operations (company, ${names}) SELECT company, ${values} FROM svc.companies ` +
      `ON CONFLICT (company, id_mark) DO UPDATE SET ${same}`,
  );
}

function literal(value: Buffer | string | number | null): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  return typeof value === 'string'
    ? `'${value.replaceAll("'", "''")}'`
    : `'\\x${value.toString('hex')}'::bytea`;
}
