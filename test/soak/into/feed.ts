import { createHash } from 'node:crypto';
import { serving } from '../../support/serving.js';

export type Wanted = ReturnType<typeof wantedOf>;

const PAGE = 40;

export async function growingFeed(count: number) {
  const entries = Array.from({ length: count }, (_, at) => entryAt(at));
  let [released, asked] = [0, 0];
  const { url: base, stop } = await serving((request, response) => {
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
  return {
    env: { SVC_BASE_URL: base, SVC_API_KEY: 'svc_test_soaksoaksoak' },
    release: (more: number) => void (released = Math.min(count, Math.floor(more))),
    asked: () => asked,
    wanted: wantedOf(entries),
    stop,
  };
}

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
      ...{ id: uuid('operation', operation), type: 'payout', country: 'VE', currency: 'VES' },
      ...{ method: 'mobile_payment', amount: `${String(operation)}.50`, status },
      reference: event % 101 === 0 ? `order-\0${String(operation)}` : `order-${String(operation)}`,
    },
  });
}

const uuid = (kind: string, number: number): string =>
  createHash('sha256')
    .update(`${kind} ${String(number)}`)
    .digest('hex')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');

interface Told {
  readonly id: string;
  readonly occurred_at: string;
  readonly data: { readonly id: string; readonly amount: string; readonly status: string };
}

function wantedOf(entries: readonly string[]) {
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
