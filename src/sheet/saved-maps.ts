/** How files of one form are read, kept under a name: `--save-map NAME`, and `--map NAME` the next month. A private file each, beside the settings. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, shellPath, type Paths } from '../runtime/folders.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate, writePrivate } from '../runtime/files.js';
import type { Undone } from './file-source.js';
import { type DecimalMark, type SheetOptions, type TextEncoding, delimiterName } from './forms.js';
import { excerpt } from './words.js';

const ENDING = '.json';
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** What stands in a file: flags by their names, with underscores; what is not there is found out. */
type SavedMap = Readonly<Record<string, string>> & { readonly map: string };

/** Where maps of a kind are kept. */
export interface MapShelf<Options extends SheetOptions = SheetOptions> {
  readonly folder: string;
  readonly undone: Undone;
  /** A map that could be typed. */
  readonly example: string;
  /** What stands in a file, as if it were typed. @throws where it is no map */
  readonly optionsOf: (saved: SavedMap) => Options;
}

/** A map, and how the file was read. */
interface KeptForm {
  readonly map: string;
  readonly sheets: object | null;
  /** Null for none. */
  readonly delimiter: string | null;
  readonly decimal: DecimalMark | null;
  readonly encoding: TextEncoding;
  /** What else is kept, by the names of flags. */
  readonly more?: Readonly<Record<string, string>>;
}

/**
 * Keeps a map, and of a text file its form; one of the name is replaced.
 * @returns where it is
 * @throws Failure `usage` for a name that is none, `local_state`
 */
export function keepMap(
  paths: Paths,
  shelf: MapShelf,
  name: string,
  { map, sheets, delimiter, decimal, encoding, more }: KeptForm,
): string {
  requireMapName(shelf, name);
  const saved: SavedMap = {
    map,
    ...(sheets === null && delimiter !== null ? { delimiter: delimiterName(delimiter) } : {}),
    ...(decimal === null ? {} : { decimal }),
    ...(sheets === null ? { encoding } : {}),
    ...more,
  };
  const path = pathOf(paths, shelf, name);
  writePrivate(path, `${JSON.stringify(saved, null, 2)}\n`);
  return path;
}

/** What is kept of every form. */
export function sheetOptionsOf(saved: Readonly<Record<string, string>>): SheetOptions {
  const { map = null, delimiter = null, decimal = null, encoding = null } = saved;
  return { map, delimiter, decimal, encoding, sheet: null };
}

/**
 * The options with what was saved, where `--map` is a name: a map has an equals sign, and a name has none. What was said beside it counts.
 * @throws Failure `usage` where nothing of that name is saved, `local_state` where the file is damaged or others could have changed it
 */
export function withSavedMap<Options extends SheetOptions>(
  paths: Paths,
  shelf: MapShelf<Options>,
  options: Options,
): Options {
  const { map, ...beside } = options;
  if (map === null || map.includes('=')) return options;
  const said = Object.entries(beside).filter(([, value]) => value !== null);
  const path = pathOf(paths, shelf, map);
  const bytes = NAME.test(map) ? readPrivate(path) : null;
  if (bytes === null) throw unknown(paths, shelf, map);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const saved = value as SavedMap;
    const isSaved =
      typeof saved.map === 'string' && Object.values(saved).every((one) => typeof one === 'string');
    if (!isSaved) throw new TypeError('not what is saved');
    return { ...shelf.optionsOf(saved), ...Object.fromEntries(said) };
  } catch (error) {
    const head = `The map in ${path} is damaged. ${shelf.undone} Save it again, or: rm ${shellPath(path)}`;
    throw new Failure('local_state', head, { cause: error });
  }
}

/** @throws Failure `usage`; asked before a file is read, whose reading is to be kept */
export function requireMapName({ undone }: Pick<MapShelf, 'undone'>, name: string): void {
  if (NAME.test(name)) return;
  const rule = 'small letters, digits, dots, dashes and underscores, at most 64';
  throw new Failure('usage', `--save-map takes a name: ${rule}. ${undone}`);
}

function pathOf(paths: Paths, { folder }: MapShelf, name: string): string {
  return join(paths.config, folder, `${name}${ENDING}`);
}

function unknown(paths: Paths, shelf: MapShelf, name: string): Failure {
  const names = savedNames(paths, shelf);
  const there = names.length === 0 ? 'None is saved yet.' : `There are: ${names.join(', ')}.`;
  return new Failure('usage', `No map ${excerpt(name, 60)} is saved. ${shelf.undone}`, {
    advice: [`${there} A map says which column is what: --map ${shelf.example}`],
  });
}

function savedNames(paths: Paths, { folder }: MapShelf): readonly string[] {
  try {
    const files = readdirSync(join(paths.config, folder));
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
