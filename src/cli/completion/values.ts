/** What this machine knows that can be completed: the cached catalogs, cached banks and the profiles. Nothing is asked of anybody. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bank, Capabilities } from '../../contract/catalog.js';
import { type Direction, isMethod, METHOD_CODES, METHODS } from '../../contract/operation.js';
import { readSettings } from '../../profile/settings-file.js';
import { escapeText } from '../../output/escape.js';
import { readPrivate } from '../../runtime/files.js';
import type { Paths } from '../../runtime/folders.js';
import { readCache } from '../session/catalog.js';
import type { Value, Values } from './spec.js';

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
export function distinct(values: readonly Value[]): Value[] {
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
