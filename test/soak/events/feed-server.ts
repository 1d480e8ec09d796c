/** A feed on the wire: events with counted ids, some a page, large enough that a page does not fit into a pipe; it can fail on request. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What becomes of one request instead of a plain answer. */
export type Misbehave = (page: string, response: ServerResponse, request: IncomingMessage) => void;

export interface FeedServer {
  readonly env: Readonly<Record<string, string>>;
  /** How many requests have arrived. */
  readonly asked: () => number;
  /** Stops listening, and listens again on the same port after so many milliseconds. */
  goAway(ms: number): void;
  stop(): Promise<void>;
}

export interface FeedShape {
  readonly events: number;
  readonly pageEvents: number;
  /** About how many bytes an event has. */
  readonly eventBytes: number;
}

/** @param misbehaviour what becomes of a request, by its number from 1 on; undefined: the page */
export async function startFeed(
  shape: FeedShape,
  misbehaviour: (request: number) => Misbehave | undefined = () => undefined,
): Promise<FeedServer> {
  const filler = 'x'.repeat(Math.max(0, shape.eventBytes - 150));
  const eventOf = (number: number): string =>
    `{"id":"e${String(number)}","type":"payout.confirmed","occurred_at":"2026-09-23T15:00:00Z","data":{"id":"o","filler":"${filler}"}}`;
  let asked = 0;
  const server = createServer((request, response) => {
    const cursor = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('cursor') ?? 0);
    const count = Math.min(shape.pageEvents, shape.events - cursor);
    const events = Array.from({ length: count }, (_, index) => eventOf(cursor + index + 1));
    const page = `{"events":[${events.join(',')}],"next_cursor":"${String(cursor + count)}"}`;
    asked += 1;
    const misbehave = misbehaviour(asked);
    if (misbehave === undefined) response.end(page);
    else misbehave(page, response, request);
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    env: { SVC_BASE_URL: `http://127.0.0.1:${String(port)}`, SVC_API_KEY: 'svc_test_soaksoaksoak' },
    asked: () => asked,
    goAway: (ms) => {
      server.close();
      server.closeAllConnections();
      setTimeout(() => void listen(port), ms);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
