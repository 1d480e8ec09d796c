/** A line to a service that has a feed and nothing else, and to receivers of deliveries: both answer as a test wants. */
import { eventJson, pageBody, type Serve } from '../feed/feed.js';
import {
  NotAnswered,
  type HttpAnswer,
  type HttpRequest,
  type Transport,
} from '../../src/runtime/transport.js';

export const FEED_ENV = {
  SVC_BASE_URL: 'http://localhost:4010',
  SVC_API_KEY: 'svc_test_feedfeedfeed',
} as const;

/** What a page request ends in; `count` begins at 1. */
export type FeedAnswer = (cursor: string | null, count: number) => HttpAnswer | NotAnswered;

/** @param receive what a receiver answers; the test fails where it needs none */
export function feedLine(
  answerPage: FeedAnswer,
  receive?: (request: HttpRequest, count: number) => number | NotAnswered,
) {
  /** The cursor of each request for a page, in order. */
  const asked: (string | null)[] = [];
  const delivered: HttpRequest[] = [];
  const line: Transport = async (request, { signal }) => {
    await Promise.resolve();
    if (signal?.aborted === true) throw new NotAnswered('aborted', false, 'stopped');
    const result = request.method === 'POST' ? deliver(request) : read(new URL(request.url));
    if (result instanceof NotAnswered) throw result;
    return result;
  };
  const read = (url: URL): HttpAnswer | NotAnswered => {
    const cursor = url.searchParams.get('cursor');
    asked.push(cursor);
    return answerPage(cursor, asked.length);
  };
  const deliver = (request: HttpRequest): HttpAnswer | NotAnswered => {
    delivered.push(request);
    const status = receive?.(request, delivered.length) ?? 500;
    return status instanceof NotAnswered ? status : { status, headers: [], body: new Uint8Array() };
  };
  return Object.assign(line, { asked, delivered });
}

export function ok(body: string | Uint8Array): HttpAnswer {
  return { status: 200, headers: [['content-type', 'application/json']], body: Buffer.from(body) };
}

export function refused(status: number, code: string, headers: Record<string, string> = {}): HttpAnswer {
  const body = JSON.stringify({ error: { code, message: `Said by the service: ${code}.` } });
  return { status, headers: Object.entries(headers), body: Buffer.from(body) };
}

/** A well-behaved feed over a list that may grow, some events a page. */
export function listFeed(ids: readonly string[], limit = 3): FeedAnswer {
  return (cursor) => {
    const from = Number(cursor ?? 0);
    const part = ids.slice(from, from + limit).map((id) => eventJson(id));
    return ok(pageBody(part, part.length === 0 ? cursor : String(from + part.length)));
  };
}

export function served(serve: Serve): FeedAnswer {
  return (cursor) => ok(serve(cursor).body);
}

/** A page of a service whose cursor stands still: it names the one that it was asked with. */
export function standStill(answer: HttpAnswer, asked: string | null): HttpAnswer {
  if (asked === null) return answer;
  const page = JSON.parse(Buffer.from(answer.body).toString('utf8')) as object;
  return { ...answer, body: Buffer.from(JSON.stringify({ ...page, next_cursor: asked })) };
}
