import { eventJson, pageBody, type Serve } from '../feed/feed.js';
import { NotAnswered } from '../../src/runtime/transport.js';
import type { HttpAnswer, HttpRequest, Transport } from '../../src/runtime/transport.js';

export const FEED_ENV = {
  SVC_BASE_URL: 'http://localhost:4010',
  SVC_API_KEY: 'svc_test_feedfeedfeed',
} as const;

export type FeedAnswer = (cursor: string | null, count: number) => HttpAnswer | NotAnswered;

export function feedLine(
  answerPage: FeedAnswer,
  receive?: (request: HttpRequest, count: number) => number | NotAnswered,
) {
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

export function standStill(answer: HttpAnswer, asked: string | null): HttpAnswer {
  if (asked === null) return answer;
  const page = JSON.parse(Buffer.from(answer.body).toString('utf8')) as object;
  return { ...answer, body: Buffer.from(JSON.stringify({ ...page, next_cursor: asked })) };
}
