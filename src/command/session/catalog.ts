/** The catalog as the command line knows it: cached per address and key, fetched again before anything is refused (section 9). */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Capabilities } from '../../contract/catalog.js';
import { readPrivate, writePrivate } from '../../runtime/files.js';
import type { Ports } from '../../runtime/ports.js';
import type { Session } from './session.js';

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
  const path = join(ports.paths.cache, `catalog-${fingerprint(session)}.json`);
  let fetched: Promise<Capabilities | null> | null = null;
  const refresh = (): Promise<Capabilities | null> => (fetched ??= fetchCatalog(session, ports, path));
  return {
    get: async () => (fetched === null ? await cached(path, ports) : null) ?? (await refresh()),
    refresh,
    forget: () => {
      keep(path, Buffer.from('{}'));
    },
    ageMs: () => ageOf(path, ports),
  };
}

async function fetchCatalog(session: Session, ports: Ports, path: string): Promise<Capabilities | null> {
  const { attempts } = await session.client.call(
    'capabilities',
    {},
    { attemptsMax: 1, timeoutMs: FETCH_TIMEOUT_MS, signal: ports.signal },
  );
  const [attempt] = attempts;
  if (attempt?.kind !== 'success') return null;
  const { readCapabilities } = await import('../../contract/catalog-schema.js');
  const catalog = readCapabilities(attempt.answer.body);
  if (catalog !== null) keep(path, Buffer.from(JSON.stringify({ fetched_at: ports.clock.now(), catalog })));
  return catalog;
}

async function cached(path: string, ports: Ports): Promise<Capabilities | null> {
  try {
    const bytes = readPrivate(path);
    if (bytes === null) return null;
    const { fetched_at: at, catalog } = JSON.parse(bytes.toString('utf8')) as {
      fetched_at?: number;
      catalog?: unknown;
    };
    const ageMs = ports.clock.now() - (at ?? 0);
    if (ageMs < 0 || ageMs > MAX_AGE_MS) return null;
    const { readCapabilities } = await import('../../contract/catalog-schema.js');
    return readCapabilities(Buffer.from(JSON.stringify(catalog)));
  } catch {
    // Whatever is wrong with a cache, the service has the catalog.
    return null;
  }
}

function ageOf(path: string, ports: Ports): number | null {
  try {
    const { fetched_at: at } = JSON.parse(readPrivate(path)?.toString('utf8') ?? '{}') as {
      fetched_at?: number;
    };
    return at === undefined ? null : Math.max(0, ports.clock.now() - at);
  } catch {
    return null;
  }
}

function keep(path: string, bytes: Uint8Array): void {
  try {
    writePrivate(path, bytes);
  } catch {
    // A cache that can't be written costs a request the next time and nothing else.
  }
}

/** Another address or another key may mean another catalog. */
function fingerprint(session: Session): string {
  return createHash('sha256').update(`${session.serviceUrl}\n${session.key}`).digest('hex').slice(0, 24);
}
