import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BATCHES_KIND } from '../../storage/batches/schema.js';
import type { Bank, Capabilities } from '../../contract/catalog.js';
import { type Direction, isFinal, isMethod, METHOD_CODES, METHODS } from '../../contract/operation.js';
import { MIRRORS_KIND } from '../../storage/mirror/schema.js';
import { escapeText } from '../../output/escape.js';
import { readSettings } from '../../session/settings-file.js';
import { readRowsIfPossible } from '../../runtime/database-file.js';
import { readPrivate } from '../../runtime/files.js';
import type { Paths } from '../../runtime/folders.js';
import { JOURNAL_KIND } from '../../storage/journal/tables.js';
import { readCache } from '../../session/catalog.js';
import type { StoredKind, Candidate, KnownValues } from './spec.js';

export function knownValues(paths: Paths): KnownValues {
  const countries = cacheFiles(paths, 'catalog-').flatMap((path) => readCache(path)?.catalog.countries ?? []);
  const payins = valuesOfDirection('payin', countries);
  const payouts = valuesOfDirection('payout', countries);
  const entries = [...payins.entries, ...payouts.entries];
  const banks = cacheFiles(paths, 'banks-').flatMap(readBanks);
  return {
    country: pickUsable(countries.map(({ code, name }) => ({ value: code, label: name }))),
    currency: pickUsable(entries.map(({ currency }) => ({ value: currency, label: '' }))),
    method: [...payins.methods, ...payouts.methods],
    'payin-method': payins.methods,
    'payout-method': payouts.methods,
    'payin-rows-method': payins.methods.filter(
      ({ value }) => !isMethod(value) || METHODS[value].flow !== 'code',
    ),
    'payin-field': payins.fields,
    'payout-field': payouts.fields,
    bank: pickUsable(banks.map(({ code, name }) => ({ value: code, label: name }))),
    profile: profileNames(paths),
  };
}

function valuesOfDirection(direction: Direction, countries: Capabilities['countries']) {
  const entries = countries.flatMap((country) => country[`${direction}_methods`]);
  const codes = METHOD_CODES.filter((code) => METHODS[code].direction === direction);
  const fields = entries.flatMap((entry) => entry.fields.map(({ name }) => ({ value: name, label: '' })));
  return {
    entries,
    methods: pickUsable([
      ...entries.map(({ code, name }) => ({ value: code, label: name })),
      ...codes.map((code) => ({ value: code, label: '' })),
    ]),
    fields: pickUsable([...fields, { value: 'bank_code', label: '' }]),
  };
}

const LABEL_MAX = 80;

function pickUsable(values: readonly Candidate[]): Candidate[] {
  const distinctValues = new Map<string, Candidate>();
  for (const { value, label } of values as readonly Record<keyof Candidate, unknown>[]) {
    if (typeof value !== 'string' || distinctValues.has(value)) continue;
    if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(value)) continue;
    const text = typeof label === 'string' ? escapeText(label.slice(0, LABEL_MAX)) : '';
    distinctValues.set(value, { value, label: text });
  }
  return [...distinctValues.values()];
}

function profileNames(paths: Paths): Candidate[] {
  try {
    return pickUsable(Object.keys(readSettings(paths).profiles).map((name) => ({ value: name, label: '' })));
  } catch {
    return [];
  }
}

function readBanks(path: string): readonly Bank[] {
  try {
    const { banks } = JSON.parse(readPrivate(path)?.toString('utf8') ?? '{}') as { banks?: readonly Bank[] };
    return banks ?? [];
  } catch {
    return [];
  }
}

function cacheFiles({ cache }: Paths, prefix: string): string[] {
  try {
    return readdirSync(cache)
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(cache, name));
  } catch {
    return [];
  }
}

const NEWEST_MAX = 50;
const SEARCHED_MAX = 1000;

type OperationRow = Readonly<Record<'id' | 'direction' | 'environment', string>> &
  Readonly<Record<'amount' | 'currency' | 'status', string | null>>;

export function storedValues(kind: StoredKind, { state }: Paths): readonly Candidate[] {
  if (kind === 'batches') return batchValues(state);
  const operations = new Map<string, OperationRow>();
  for (const operation of operationsIn(state))
    if (!operations.has(operation.id)) operations.set(operation.id, operation);
  const matchingOperations = [...operations.values()].filter(
    ({ direction, status }) =>
      (kind === 'operations' || kind.endsWith(`${direction}s`)) &&
      !(kind.startsWith('pending') && isFinal(status ?? '')),
  );
  return pickUsable(
    matchingOperations.map(({ id, direction, amount, currency, status, environment }) => {
      const money = amount === null ? '' : ` ${amount} ${currency ?? ''}`.trimEnd();
      return { value: id, label: `${direction}${money} ${status ?? 'pending'} ${environment}` };
    }),
  );
}

function batchValues(state: string): readonly Candidate[] {
  type BatchRow = Record<'name' | 'direction' | 'environment', string> & { row_count: number };
  const newestQuery = `SELECT name, direction, environment, row_count FROM batches ORDER BY batch DESC LIMIT ${String(NEWEST_MAX)}`;
  const batchRows = readRowsIfPossible<BatchRow>(join(state, 'batches.db'), BATCHES_KIND, newestQuery);
  return pickUsable(
    batchRows.map(({ name, direction, environment, row_count: count }) => ({
      value: name,
      label: `${String(count)} ${direction}s ${environment}`,
    })),
  );
}

const OPERATION_COLUMNS = 'direction, amount, currency, status, environment';

function operationsIn(state: string): OperationRow[] {
  const feedQuery = `SELECT operations.id AS id, ${OPERATION_COLUMNS} FROM operations JOIN companies USING (company)
    ORDER BY row DESC LIMIT ${String(NEWEST_MAX)}`;
  const createsQuery = `SELECT operation AS id, ${OPERATION_COLUMNS} FROM requests WHERE operation IS NOT NULL
    ORDER BY row DESC LIMIT ${String(NEWEST_MAX)}`;
  const rowsQuery = `SELECT batch, operation, amount, currency, status FROM rows ORDER BY batch DESC, number DESC LIMIT ${String(SEARCHED_MAX)}`;
  const batchesQuery = `SELECT operation AS id, ${OPERATION_COLUMNS} FROM (${rowsQuery}) JOIN batches USING (batch) WHERE operation IS NOT NULL
    LIMIT ${String(NEWEST_MAX)}`;
  return [
    ...readRowsIfPossible<OperationRow>(join(state, 'feed.db'), MIRRORS_KIND, feedQuery),
    ...readRowsIfPossible<OperationRow>(join(state, 'requests.db'), JOURNAL_KIND, createsQuery),
    ...readRowsIfPossible<OperationRow>(join(state, 'batches.db'), BATCHES_KIND, batchesQuery),
  ];
}
