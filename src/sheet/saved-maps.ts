/** How files of one form are read, kept under a name: `--save-map NAME`, and `--map NAME` the next month. A private file each, beside the settings. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, shellPath } from '../runtime/disk.js';
import { Failure } from '../runtime/failure.js';
import { readPrivate, writePrivate } from '../runtime/files.js';
import type { Paths } from '../runtime/folders.js';
import type { Undone } from './file-source.js';
import { excerpt } from './words.js';

const ENDING = '.json';
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** What stands in a file: flags by their names, with underscores; what is not there is found out. */
export type SavedMap = Readonly<Record<string, string>> & { readonly map: string };

/** Where maps of a kind are kept. */
export interface MapShelf {
  readonly folder: string;
  readonly undone: Undone;
  /** A map that could be typed. */
  readonly example: string;
  /** @throws where what stands in a file is no map */
  readonly check: (saved: SavedMap) => void;
}

/**
 * Keeps a map; one of the name is replaced.
 * @returns where it is
 * @throws Failure `usage` for a name that is none, `local_state`
 */
export function keepMap(paths: Paths, shelf: MapShelf, name: string, saved: SavedMap): string {
  requireMapName(shelf, name);
  const path = pathOf(paths, shelf, name);
  writePrivate(path, `${JSON.stringify(saved, null, 2)}\n`);
  return path;
}

/** True where `--map` is a name: a map has an equals sign, and a name has none. */
export function isMapName(map: string | null): map is string {
  return map !== null && !map.includes('=');
}

/** @throws Failure `usage` where nothing of that name is saved, `local_state` where the file is damaged or others could have changed it */
export function savedMap(paths: Paths, shelf: MapShelf, name: string): SavedMap {
  const path = pathOf(paths, shelf, name);
  const bytes = NAME.test(name) ? readPrivate(path) : null;
  if (bytes === null) throw unknown(paths, shelf, name);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const saved = value as SavedMap;
    const isSaved =
      typeof saved.map === 'string' && Object.values(saved).every((one) => typeof one === 'string');
    if (!isSaved) throw new TypeError('not what is saved');
    shelf.check(saved);
    return saved;
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
