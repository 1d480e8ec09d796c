import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, shellPath, type Paths } from '../runtime/folders.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate, writePrivate } from '../runtime/files.js';
import type { Undone } from './file-source.js';
import { type DecimalMark, type SheetOptions, type TextEncoding, delimiterName } from './forms.js';
import { excerpt } from './words.js';

const FILE_ENDING = '.json';
const MAP_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

type SavedMap = Readonly<Record<string, string>> & { readonly map: string };

export interface MapShelf<Options extends SheetOptions = SheetOptions> {
  readonly folder: string;
  readonly undone: Undone;
  readonly example: string;
  readonly optionsOf: (saved: SavedMap) => Options;
}

export function saveMap(
  paths: Paths,
  shelf: MapShelf,
  name: string,
  form: {
    readonly map: string;
    readonly sheets: object | null;
    readonly delimiter: string | null;
    readonly decimal: DecimalMark | null;
    readonly encoding: TextEncoding;
    readonly dateFormat?: string | null;
  },
): string {
  const { map, sheets, delimiter, decimal, encoding, dateFormat = null } = form;
  requireMapName(shelf, name);
  const saved: SavedMap = {
    map,
    ...(sheets === null && delimiter !== null ? { delimiter: delimiterName(delimiter) } : {}),
    ...(decimal === null ? {} : { decimal }),
    ...(sheets === null ? { encoding } : {}),
    ...(dateFormat === null ? {} : { date_format: dateFormat }),
  };
  const path = pathOf(paths, shelf, name);
  writePrivate(path, `${JSON.stringify(saved, null, 2)}\n`);
  return path;
}

export function sheetOptionsOf(saved: Readonly<Record<string, string>>): SheetOptions {
  const { map = null, delimiter = null, decimal = null, encoding = null } = saved;
  return { map, delimiter, decimal, encoding, sheet: null };
}

export function withSavedMap<Options extends SheetOptions>(
  paths: Paths,
  shelf: MapShelf<Options>,
  options: Options,
): Options {
  const { map, ...others } = options;
  if (map === null || map.includes('=')) return options;
  const typedFlags = Object.entries(others).filter(([, value]) => value !== null);
  const path = pathOf(paths, shelf, map);
  const bytes = MAP_NAME.test(map) ? readPrivate(path) : null;
  if (bytes === null) {
    const names = savedNames(join(paths.config, shelf.folder));
    const namesText = names.length === 0 ? 'None is saved yet.' : `There are: ${names.join(', ')}.`;
    throw new Failure('usage', `No map ${excerpt(map, 60)} is saved. ${shelf.undone}`, {
      advice: [`${namesText} A map says which column is what: --map ${shelf.example}`],
    });
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const saved = value as SavedMap;
    const isSavedMap =
      typeof saved.map === 'string' && Object.values(saved).every((one) => typeof one === 'string');
    if (!isSavedMap) throw new TypeError('not what is saved');
    return { ...shelf.optionsOf(saved), ...Object.fromEntries(typedFlags) };
  } catch (error) {
    const head = `The map in ${path} is damaged. ${shelf.undone} Save it again, or: rm ${shellPath(path)}`;
    throw new Failure('local_state', head, { cause: error });
  }
}

export function requireMapName({ undone }: Pick<MapShelf, 'undone'>, name: string): void {
  if (MAP_NAME.test(name)) return;
  const rule = 'small letters, digits, dots, dashes and underscores, at most 64';
  throw new Failure('usage', `--save-map takes a name: ${rule}. ${undone}`);
}

function pathOf(paths: Paths, { folder }: MapShelf, name: string): string {
  return join(paths.config, folder, `${name}${FILE_ENDING}`);
}

function savedNames(folder: string): readonly string[] {
  try {
    const files = readdirSync(folder).filter((file) => file.endsWith(FILE_ENDING));
    const names = files.map((file) => file.slice(0, -FILE_ENDING.length));
    return names.filter((name) => MAP_NAME.test(name)).sort();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
