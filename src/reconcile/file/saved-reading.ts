/** How files of a bank are read, kept under a name: `--save-map bank`, and `--map bank` the next month. A private file each, beside the settings. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, shellPath } from '../../runtime/disk.js';
import { Failure } from '../../runtime/failure.js';
import { readPrivate, writePrivate } from '../../runtime/files.js';
import type { Paths } from '../../runtime/folders.js';
import { mapOf } from './plan-words.js';
import type { ReadingPlan, StatementOptions } from './plan.js';
import { delimiterName, settingsOf } from './settings.js';

const FOLDER = 'maps';
const ENDING = '.json';
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** What stands in the file; what is not there is found out. */
interface SavedReading {
  readonly map: string;
  readonly delimiter?: string;
  readonly decimal?: string;
  readonly encoding?: string;
  readonly date_format?: string;
}

/**
 * Keeps a plan; one of the name is replaced.
 * @returns where it is
 * @throws Failure `usage` for a name that is none, `local_state`
 */
export function saveReading(paths: Paths, name: string, plan: ReadingPlan): string {
  requireReadingName(name);
  const { delimiter, decimal, encoding, dateFormat } = plan;
  const saved: SavedReading = {
    map: mapOf(plan),
    ...(delimiter === null ? {} : { delimiter: delimiterName(delimiter) }),
    ...(decimal === null ? {} : { decimal }),
    encoding,
    ...(dateFormat === null ? {} : { date_format: dateFormat }),
  };
  const path = pathOf(paths, name);
  writePrivate(path, `${JSON.stringify(saved, null, 2)}\n`);
  return path;
}

/**
 * The options with what was saved, where `--map` is a name: a map has an equals sign, and a name has none. What was said beside it counts.
 * @throws Failure `usage` where nothing of that name is saved, `local_state` where the file is damaged or others could have changed it
 */
export function withSavedReading(paths: Paths, options: StatementOptions): StatementOptions {
  const { map: name } = options;
  if (name === null || name.includes('=')) return options;
  const bytes = NAME.test(name) ? readPrivate(pathOf(paths, name)) : null;
  if (bytes === null) throw unknown(paths, name);
  const saved = parsed(bytes, pathOf(paths, name));
  return {
    map: saved.map,
    delimiter: options.delimiter ?? saved.delimiter ?? null,
    decimal: options.decimal ?? saved.decimal ?? null,
    encoding: options.encoding ?? saved.encoding ?? null,
    dateFormat: options.dateFormat ?? saved.date_format ?? null,
  };
}

/** @throws Failure `usage`; asked before a file is read, whose plan is to be kept */
export function requireReadingName(name: string): void {
  if (NAME.test(name)) return;
  const rule = 'small letters, digits, dots, dashes and underscores, at most 64';
  throw new Failure('usage', `--save-map takes a name: ${rule}. Nothing was reconciled.`);
}

function pathOf(paths: Paths, name: string): string {
  return join(paths.config, FOLDER, `${name}${ENDING}`);
}

function parsed(bytes: Uint8Array, path: string): SavedReading {
  try {
    const value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as SavedReading;
    const { map, delimiter, decimal, encoding, date_format: dateFormat } = value;
    const all = [map, delimiter, decimal, encoding, dateFormat];
    if (typeof map !== 'string' || !all.every((one) => one === undefined || typeof one === 'string'))
      throw new TypeError('not what is saved');
    settingsOf({
      map,
      delimiter: delimiter ?? null,
      decimal: decimal ?? null,
      encoding: encoding ?? null,
      dateFormat: dateFormat ?? null,
    });
    return value;
  } catch (error) {
    const head = `The map in ${path} is damaged. Nothing was reconciled. Save it again, or: rm ${shellPath(path)}`;
    throw new Failure('local_state', head, { cause: error });
  }
}

function unknown(paths: Paths, name: string): Failure {
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}...` : name);
  const names = savedNames(paths);
  const there = names.length === 0 ? 'None is saved yet.' : `There are: ${names.join(', ')}.`;
  return new Failure('usage', `No map ${shown} is saved. Nothing was reconciled.`, {
    advice: [`${there} A map says which column is what: --map reference=Ref,amount=Importe`],
  });
}

function savedNames(paths: Paths): readonly string[] {
  try {
    const files = readdirSync(join(paths.config, FOLDER));
    return files
      .filter((file) => file.endsWith(ENDING))
      .map((file) => file.slice(0, -ENDING.length))
      .filter((name) => NAME.test(name))
      .sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
