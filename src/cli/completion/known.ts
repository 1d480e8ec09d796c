/** What this machine knows that can be completed: cached catalogs and banks, profiles, and the ids and names in its stores. Nobody is asked. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BATCHES_KIND } from '../../bulk/store/schema.js';
import type { Bank, Capabilities } from '../../contract/catalog.js';
import { type Direction, isFinal, isMethod, METHOD_CODES, METHODS } from '../../contract/operation.js';
import { MIRRORS_KIND } from '../../mirror/store/schema.js';
import { escapeText } from '../../output/escape.js';
import { readSettings } from '../../profile/settings-file.js';
import { readRowsIfPossible } from '../../runtime/database-file.js';
import { readPrivate } from '../../runtime/files.js';
import type { Paths } from '../../runtime/folders.js';
import { JOURNAL_KIND } from '../../state/journal-tables.js';
import { readCache } from '../session/catalog.js';
import type { KnownKind, Value, Values } from './spec.js';

export function knownValues(paths: Paths): Values {
  const countries = cached(paths, 'catalog-').flatMap((path) => readCache(path)?.catalog.countries ?? []);
  const payins = ofDirection('payin', countries);
  const payouts = ofDirection('payout', countries);
  const entries = [...payins.entries, ...payouts.entries];
  const banks = cached(paths, 'banks-').flatMap(readBanks);
  return {
    country: distinct(countries.map(({ code, name }) => ({ value: code, label: name }))),
    currency: distinct(entries.map(({ currency }) => ({ value: currency, label: '' }))),
    method: [...payins.methods, ...payouts.methods],
    'payin-method': payins.methods,
    'payout-method': payouts.methods,
    'payin-rows-method': payins.methods.filter(
      ({ value }) => !isMethod(value) || METHODS[value].flow !== 'code',
    ),
    'payin-field': payins.fields,
    'payout-field': payouts.fields,
    bank: distinct(banks.map(({ code, name }) => ({ value: code, label: name }))),
    profile: profiles(paths),
  };
}

/** What is known of the methods by which money goes that way, and of what they ask for. */
function ofDirection(direction: Direction, countries: Capabilities['countries']) {
  const entries = countries.flatMap((country) => country[`${direction}_methods`]);
  const codes = METHOD_CODES.filter((code) => METHODS[code].direction === direction);
  const fields = entries.flatMap((entry) => entry.fields.map(({ name }) => ({ value: name, label: '' })));
  return {
    entries,
    methods: distinct([
      ...entries.map(({ code, name }) => ({ value: code, label: name })),
      ...codes.map((code) => ({ value: code, label: '' })),
    ]),
    fields: distinct([...fields, { value: 'bank_code', label: '' }]),
  };
}

const LABEL_MAX = 80;

/**
 * Only words that need no quoting in any shell and are no flags: whatever else a cache holds is left out. Its labels are the
 * service's text: in one line, with nothing that drives a terminal.
 */
function distinct(values: readonly Value[]): Value[] {
  const known = new Map<string, Value>();
  for (const { value, label } of values as readonly Record<keyof Value, unknown>[]) {
    if (typeof value !== 'string' || !/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(value) || known.has(value))
      continue;
    known.set(value, {
      value,
      label: typeof label === 'string' ? escapeText(label.slice(0, LABEL_MAX)) : '',
    });
  }
  return [...known.values()];
}

function profiles(paths: Paths): Value[] {
  try {
    return distinct(Object.keys(readSettings(paths).profiles).map((name) => ({ value: name, label: '' })));
  } catch {
    // Whatever is wrong with the settings, a command says it, and not a completion.
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

/** The files of a cache. */
function cached({ cache }: Paths, prefix: string): string[] {
  try {
    return readdirSync(cache)
      .filter((name) => name.startsWith(prefix))
      .map((name) => join(cache, name));
  } catch {
    return [];
  }
}

/** How many of each store, the newest first: nobody reads more, and a shell waits for them. */
const NEWEST = 50;
/** Rows of batches that are looked through for them. */
const LOOKED_AT = 1000;

interface CompletedOperation {
  readonly id: string;
  readonly direction: string;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly status: string | null;
  readonly environment: string;
}

/** The ids and names of that kind, the newest first. Never throws: what cannot be read is not known. */
export function knownHere(kind: KnownKind, { state }: Paths): readonly Value[] {
  if (kind === 'batches') return batches(state);
  const found = new Map<string, CompletedOperation>();
  for (const operation of operationsIn(state))
    // What the feed says is final: it replaces an earlier note.
    if (!found.has(operation.id)) found.set(operation.id, operation);
  const asked = [...found.values()].filter(
    ({ direction, status }) =>
      (kind === 'operations' || kind.endsWith(`${direction}s`)) &&
      !(kind.startsWith('pending') && isFinal(status ?? '')),
  );
  return distinct(
    asked.map(({ id, direction, amount, currency, status, environment }) => {
      const money = amount === null ? '' : ` ${amount} ${currency ?? ''}`.trimEnd();
      return { value: id, label: `${direction}${money} ${status ?? 'pending'} ${environment}` };
    }),
  );
}

function batches(state: string): readonly Value[] {
  const named = readRowsIfPossible<{
    name: string;
    direction: string;
    environment: string;
    row_count: number;
  }>(
    join(state, 'batches.db'),
    BATCHES_KIND,
    `SELECT name, direction, environment, row_count FROM batches ORDER BY batch DESC LIMIT ${String(NEWEST)}`,
  );
  return distinct(
    named.map(({ name, direction, environment, row_count: count }) => ({
      value: name,
      label: `${String(count)} ${direction}s ${environment}`,
    })),
  );
}

const COLUMNS = 'direction, amount, currency, status, environment';

/** From the feed, single creates and batches, in this order. */
function operationsIn(state: string): CompletedOperation[] {
  const ofFeed = `SELECT operations.id AS id, ${COLUMNS} FROM operations JOIN companies USING (company)
    ORDER BY row DESC LIMIT ${String(NEWEST)}`;
  const ofCreates = `SELECT operation AS id, ${COLUMNS} FROM requests WHERE operation IS NOT NULL
    ORDER BY row DESC LIMIT ${String(NEWEST)}`;
  const rows = `SELECT batch, operation, amount, currency, status FROM rows ORDER BY batch DESC, number DESC LIMIT ${String(LOOKED_AT)}`;
  const ofBatches = `SELECT operation AS id, ${COLUMNS} FROM (${rows}) JOIN batches USING (batch) WHERE operation IS NOT NULL
    LIMIT ${String(NEWEST)}`;
  return [
    ...readRowsIfPossible<CompletedOperation>(join(state, 'feed.db'), MIRRORS_KIND, ofFeed),
    ...readRowsIfPossible<CompletedOperation>(join(state, 'requests.db'), JOURNAL_KIND, ofCreates),
    ...readRowsIfPossible<CompletedOperation>(join(state, 'batches.db'), BATCHES_KIND, ofBatches),
  ];
}
