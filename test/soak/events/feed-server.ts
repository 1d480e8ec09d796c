import type { IncomingMessage, ServerResponse } from 'node:http';
import { serving } from '../../support/serving.js';

export type Misbehave = (page: string, response: ServerResponse, request: IncomingMessage) => void;
export type FeedServer = Awaited<ReturnType<typeof startFeed>>;

export interface FeedShape {
  readonly events: number;
  readonly pageEvents: number;
  readonly eventBytes: number;
}

export async function startFeed(
  shape: FeedShape,
  misbehaviour: (request: number) => Misbehave | undefined = () => undefined,
) {
  const filler = 'x'.repeat(Math.max(0, shape.eventBytes - 150));
  const eventOf = (number: number): string =>
    `{"id":"e${String(number)}","type":"payout.confirmed","occurred_at":"2026-09-23T15:00:00Z","data":{"id":"o","filler":"${filler}"}}`;
  let asked = 0;
  const { server, port, url, stop } = await serving((request, response) => {
    const cursor = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('cursor') ?? 0);
    const count = Math.min(shape.pageEvents, shape.events - cursor);
    const events = Array.from({ length: count }, (_, index) => eventOf(cursor + index + 1));
    const page = `{"events":[${events.join(',')}],"next_cursor":"${String(cursor + count)}"}`;
    const misbehave = misbehaviour((asked += 1));
    if (misbehave === undefined) response.end(page);
    else misbehave(page, response, request);
  });
  return {
    env: { SVC_BASE_URL: url, SVC_API_KEY: 'svc_test_soaksoaksoak' },
    goAway: (ms: number) => {
      server.close();
      server.closeAllConnections();
      setTimeout(() => server.listen(port, '127.0.0.1'), ms);
    },
    stop,
  };
}
