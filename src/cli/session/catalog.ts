/** The catalog as the command line knows it: cached per address and key, fetched again before anything is refused (section 9); and the banks of answers, for completions. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Capabilities, Bank } from '../../contract/catalog.js';
import { readPrivate, writePrivate } from '../../runtime/files.js';
import type { Ports } from '../../runtime/ports.js';
import { VERSION } from '../../runtime/version.js';
import type { Session } from './session.js';
import type { Conversation } from '../../client/client.js';
import type { Paths } from '../../runtime/folders.js';

const MAX_AGE_MS = 24 * 3_600_000;
/** The catalog is a help: a service that does not answer it soon is asked for the real thing instead. */
const FETCH_TIMEOUT_MS = 5000;

export interface CatalogSource {
  /** The cached catalog, or a fetched one; null where it can't be had or read. */
  get(): Promise<Capabilities | null>;
  /** Fetched in this very run, once; null where it can't be had or read. */
  refresh(): Promise<Capabilities | null>;
  /** Drops the cache: the service rejected something that the cached catalog allowed. */
  forget(): void;
  /** How long ago the cached catalog was fetched, in milliseconds; null where none is cached. */
  ageMs(): number | null;
}

export function catalogSource(session: Session, ports: Ports): CatalogSource {
  const { clock } = ports;
  // Another address or another key may mean another catalog.
  const print = digestOf(`${session.serviceUrl}\n${session.key}`).slice(0, 24);
  const path = join(ports.paths.cache, `catalog-${print}.json`);
  let fetched: Promise<Capabilities | null> | null = null;
  const fetchNow = async (): Promise<Capabilities | null> => {
    const how = { attemptsMax: 1, timeoutMs: FETCH_TIMEOUT_MS, signal: ports.signal };
    const { attempts } = await session.client.call('capabilities', {}, how);
    const [attempt] = attempts;
    if (attempt?.kind !== 'success') return null;
    const { readCapabilities } = await import('../../contract/catalog-schema.js');
    const catalog = readCapabilities(attempt.answer.body);
    if (catalog === null) return null;
    const text = JSON.stringify(catalog);
    const about: About = {
      fetched_at: clock.now(),
      ahead_ms: session.clock.aheadMs,
      version: VERSION,
      sha256: digestOf(text),
    };
    overwrite(path, `${JSON.stringify(about)}\n${text}`);
    return catalog;
  };
  const refresh = (): Promise<Capabilities | null> => (fetched ??= fetchNow());
  const cached = (): Capabilities | null => {
    const known = readCache(path);
    if (known === null) return null;
    // Until an answer comes, the service's clock is taken to be as far from this one as it was then.
    if (known.aheadMs !== null) session.clock.expect(known.aheadMs);
    const ageMs = clock.now() - known.fetchedAtMs;
    return ageMs < 0 || ageMs > MAX_AGE_MS ? null : known.catalog;
  };
  return {
    get: async () => (fetched === null ? cached() : null) ?? (await refresh()),
    refresh,
    // What is there counts no more.
    forget: () => overwrite(path, '{}'),
    ageMs: () => {
      const known = readCache(path);
      return known === null ? null : Math.max(0, clock.now() - known.fetchedAtMs);
    },
  };
}

interface CachedCatalog {
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
function overwrite(path: string, text: string): void {
  try {
    writePrivate(path, Buffer.from(text));
  } catch {
    // The next run asks the service.
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Keeps the banks of an answer where it holds any: of a country, or of one method there. */
export function keepAnsweredBanks(
  { cache }: Paths,
  { attempts }: Conversation,
  { country = '', method = '' }: Readonly<Record<string, string | undefined>> = {},
): void {
  const success = attempts.findLast((attempt) => attempt.kind === 'success');
  const banks = success === undefined ? null : banksIn(success.value);
  const name = `banks-${country.toUpperCase()}-${method}.json`;
  // What would be another path than a file of that folder is not kept.
  if (banks === null || !/^banks-[A-Z]{2}-[a-z_]*\.json$/.test(name)) return;
  // Completions do without.
  overwrite(join(cache, name), JSON.stringify({ banks }));
}

/** The banks of a parsed answer, or null where it holds none that can be read. */
export function banksIn(value: unknown): Bank[] | null {
  const { banks } = (value ?? {}) as { readonly banks?: unknown };
  const list: unknown = Array.isArray(value) ? value : banks;
  return Array.isArray(list) ? (list as unknown[]).filter(isBank) : null;
}

function isBank(value: unknown): value is Bank {
  const { code, name } = (value ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' && typeof name === 'string';
}
