/**
 * The file of a cached catalog: a line about it, then the catalog as it was read and checked. The digest stands for the check: what
 * this version wrote need not be checked again, and nothing else is believed.
 */
import { createHash } from 'node:crypto';
import type { Capabilities } from '../../contract/catalog.js';
import { readPrivate, writePrivate } from '../../runtime/files.js';
import { VERSION } from '../../runtime/version.js';

export interface CachedCatalog {
  readonly fetchedAtMs: number;
  /** How far the service's clock was ahead of this machine's then; null where it did not say. */
  readonly aheadMs: number | null;
  readonly catalog: Capabilities;
}

interface About {
  readonly fetched_at: number;
  readonly ahead_ms: number | null;
  readonly version: string;
  readonly sha256: string;
}

/** Null where there is none that this version wrote whole: whatever is wrong with a cache, the service has the catalog. */
export function readCache(path: string): CachedCatalog | null {
  try {
    const [about = '', catalog = ''] = readPrivate(path)?.toString('utf8').split('\n') ?? [];
    const { fetched_at: fetchedAtMs, ahead_ms: aheadMs, version, sha256 } = JSON.parse(about) as About;
    if (version !== VERSION || sha256 !== digestOf(catalog)) return null;
    return { fetchedAtMs, aheadMs, catalog: JSON.parse(catalog) as Capabilities };
  } catch {
    return null;
  }
}

/** A cache that can't be written costs a request the next time and nothing else. */
export function writeCache(path: string, { fetchedAtMs, aheadMs, catalog }: CachedCatalog): void {
  const text = JSON.stringify(catalog);
  const about: About = {
    fetched_at: fetchedAtMs,
    ahead_ms: aheadMs,
    version: VERSION,
    sha256: digestOf(text),
  };
  overwrite(path, `${JSON.stringify(about)}\n${text}`);
}

/** What is there counts no more. */
export function dropCache(path: string): void {
  overwrite(path, '{}');
}

function overwrite(path: string, text: string): void {
  try {
    writePrivate(path, Buffer.from(text));
  } catch {
    // See above: the next run asks the service.
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
