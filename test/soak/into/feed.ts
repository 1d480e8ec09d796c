/** A feed that grows, repeats some of its events, and tells of some operations twice; and the tables that it has to become. */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface GrowingFeed {
  readonly env: Readonly<Record<string, string>>;
  /** So many of its entries are there. */
  release(count: number): void;
  /** How many requests have arrived. */
  asked(): number;
  readonly wanted: Wanted;
  stop(): Promise<void>;
}

/** Row by row, in the order of the feed and of ids. */
export interface Wanted {
  readonly events: readonly WantedEvent[];
  readonly operations: readonly string[];
}

export interface WantedEvent {
  readonly id: string;
  readonly raw: unknown;
}

const PAGE = 40;

export async function growingFeed(count: number): Promise<GrowingFeed> {
  const entries = Array.from({ length: count }, (_, at) => entryAt(at));
  let [released, asked] = [0, 0];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    asked += 1;
    const [, operation] = /\/v2\/transactions\/(.+)$/.exec(url.pathname) ?? [];
    if (operation !== undefined) {
      response.end(JSON.stringify({ id: operation, type: 'payout', status: 'confirmed' }));
      return;
    }
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const page = entries.slice(from, Math.min(from + PAGE, released));
    response.setHeader('content-type', 'application/json');
    response.end(`{"events":[${page.join(',')}],"next_cursor":"${String(from + page.length)}"}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    env: { SVC_BASE_URL: `http://127.0.0.1:${String(port)}`, SVC_API_KEY: 'svc_test_soaksoaksoak' },
    release: (more) => {
      released = Math.min(count, more);
    },
    asked: () => asked,
    wanted: wantedOf(entries),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Every thirteenth is one that came before; every seventeenth tells of an operation that another event told of, as failed. */
function entryAt(at: number): string {
  const event = at % 13 === 12 ? at - 5 : at;
  const isSecond = event % 17 === 16;
  const operation = isSecond ? event - 9 : event;
  const status = isSecond || event % 17 === 3 ? 'failed' : 'confirmed';
  const second = String(Math.floor(event / 7) % 60).padStart(2, '0');
  const minute = String(Math.floor(event / 420) % 60).padStart(2, '0');
  return JSON.stringify({
    id: uuid('event', event),
    type: `payout.${status}`,
    occurred_at: `2026-09-23T15:${minute}:${second}Z`,
    data: {
      id: uuid('operation', operation),
      type: 'payout',
      country: 'VE',
      currency: 'VES',
      method: 'mobile_payment',
      amount: `${String(operation)}.50`,
      status,
      reference: event % 101 === 0 ? `order-\0${String(operation)}` : `order-${String(operation)}`,
    },
  });
}

function uuid(kind: string, number: number): string {
  const digest = createHash('sha256')
    .update(`${kind} ${String(number)}`)
    .digest('hex');
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `4${digest.slice(13, 16)}`,
    `8${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}

interface Told {
  readonly id: string;
  readonly occurred_at: string;
  readonly data: { readonly id: string; readonly amount: string; readonly status: string };
}

/** By its own words, not by those of the program. */
function wantedOf(entries: readonly string[]): Wanted {
  const events = new Map<string, Told>();
  const operations = new Map<string, Told>();
  for (const text of entries) {
    const event = JSON.parse(text) as Told;
    events.set(event.id, event);
    const known = operations.get(event.data.id);
    const isBetter =
      known === undefined || (known.data.status === 'failed' && event.data.status !== 'failed');
    if (isBetter) operations.set(event.data.id, event);
  }
  return {
    events: [...events].map(([id, event]) => ({
      id,
      raw: JSON.parse(JSON.stringify(event).replaceAll('\\u0000', '\ufffd')) as unknown,
    })),
    operations: [...operations]
      .map(([id, { id: event, data }]) => `${id} ${data.status} ${data.amount} ${event}`)
      .toSorted(),
  };
}
