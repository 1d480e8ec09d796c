import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Capabilities, Bank } from '../contract/catalog.js';
import { readPrivate, writePrivate } from '../runtime/files.js';
import type { Ports } from '../runtime/ports.js';
import { VERSION } from '../runtime/version.js';
import type { Session } from './session.js';
import type { Conversation } from '../client/client.js';
import type { Paths } from '../runtime/folders.js';

const MAX_AGE_MS = 24 * 3_600_000;
const FETCH_TIMEOUT_MS = 5000;

export type CatalogSource = ReturnType<typeof catalogSource>;

export function catalogSource(session: Session, ports: Ports) {
  const { clock } = ports;
  const senderHash = digestOf(`${session.serviceUrl}\n${session.key}`).slice(0, 24);
  const path = join(ports.paths.cache, `catalog-${senderHash}.json`);
  let currentFetch: Promise<Capabilities | null> | null = null;
  const fetchNow = async (): Promise<Capabilities | null> => {
    const callOptions = { attemptsMax: 1, timeoutMs: FETCH_TIMEOUT_MS, signal: ports.signal };
    const { attempts } = await session.client.call('capabilities', {}, callOptions);
    const [attempt] = attempts;
    if (attempt?.kind !== 'success') return null;
    const { readCapabilities } = await import('../contract/catalog-schema.js');
    const catalog = readCapabilities(attempt.answer.body);
    if (catalog === null) return null;
    const text = JSON.stringify(catalog);
    const times = { fetched_at: clock.now(), ahead_ms: session.clock.aheadMs };
    const head: CacheHead = { ...times, version: VERSION, sha256: digestOf(text) };
    overwrite(path, `${JSON.stringify(head)}\n${text}`);
    return catalog;
  };
  const refresh = (): Promise<Capabilities | null> => (currentFetch ??= fetchNow());
  const cachedCatalog = (): Capabilities | null => {
    const entry = readCache(path);
    if (entry === null) return null;
    if (entry.aheadMs !== null) session.clock.assumeAhead(entry.aheadMs);
    const ageMs = clock.now() - entry.fetchedAtMs;
    return ageMs < 0 || ageMs > MAX_AGE_MS ? null : entry.catalog;
  };
  return {
    get: async (): Promise<Capabilities | null> =>
      (currentFetch === null ? cachedCatalog() : null) ?? (await refresh()),
    refresh,
    forget: (): void => overwrite(path, '{}'),
    ageMs: (): number | null => {
      const entry = readCache(path);
      return entry === null ? null : Math.max(0, clock.now() - entry.fetchedAtMs);
    },
  };
}

interface CacheHead {
  readonly fetched_at: number;
  readonly ahead_ms: number | null;
  readonly version: string;
  readonly sha256: string;
}

export function readCache(path: string) {
  try {
    const [headText = '', catalogText = ''] = readPrivate(path)?.toString('utf8').split('\n') ?? [];
    const head = JSON.parse(headText) as CacheHead;
    if (head.version !== VERSION || head.sha256 !== digestOf(catalogText)) return null;
    const catalog = JSON.parse(catalogText) as Capabilities;
    return { fetchedAtMs: head.fetched_at, aheadMs: head.ahead_ms, catalog };
  } catch {
    return null;
  }
}

function overwrite(path: string, text: string): void {
  try {
    writePrivate(path, Buffer.from(text));
  } catch {
    // Without the cache, the next run asks the service.
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function keepAnsweredBanks(
  { cache }: Paths,
  { attempts }: Conversation,
  { country = '', method = '' }: Readonly<Record<string, string | undefined>> = {},
): void {
  const success = attempts.findLast((attempt) => attempt.kind === 'success');
  const banks = success === undefined ? null : banksIn(success.value);
  const name = `banks-${country.toUpperCase()}-${method}.json`;
  // The name is checked, because a country or method from the command line must not lead out of the folder.
  if (banks === null || !/^banks-[A-Z]{2}-[a-z_]*\.json$/.test(name)) return;
  overwrite(join(cache, name), JSON.stringify({ banks }));
}

export function banksIn(value: unknown): Bank[] | null {
  const { banks } = (value ?? {}) as { readonly banks?: unknown };
  const list: unknown = Array.isArray(value) ? value : banks;
  return Array.isArray(list) ? (list as unknown[]).filter(isBank) : null;
}

function isBank(value: unknown): value is Bank {
  const { code, name } = (value ?? {}) as { readonly code?: unknown; readonly name?: unknown };
  return typeof code === 'string' && typeof name === 'string';
}
