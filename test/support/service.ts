/** A service on the wire that answers as a test wants: what it received is kept byte for byte. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ID } from './requests.js';
import { serving } from './serving.js';
import { atEnd } from './test-folder.js';

export interface Received {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Answers one request; `socket` is for services that cut connections. */
export type Answer = (received: Received, response: ServerResponse, socket: Socket) => void;

export type Service = Awaited<ReturnType<typeof startService>>;

/** Stops with its test, or with the file that began with it. */
export async function startService(answer: Answer) {
  const received: Received[] = [];
  const { url, stop } = await serving((request, response, body) => {
    const { method = '', url: target = '', headers } = request;
    const one = { method, target, headers, body: body.toString('utf8') };
    received.push(one);
    answer(one, response, request.socket);
  });
  atEnd(stop);
  return {
    /** What sends a command there with a test key. */
    env: { SVC_BASE_URL: url, SVC_API_KEY: 'svc_test_wire' },
    received,
    /** What was received that is no read of the catalog, and does not only ask what time it is there. */
    calls: () => received.filter(({ target }) => !target.endsWith('/v2/capabilities') && !asksTime(target)),
    ...{ url, stop },
  };
}

/** True for a read of what nobody has asked for before: the operation of `requests.ts` is not that. */
export function asksTime(target: string): boolean {
  const [, id] = /\/v2\/transactions\/([0-9a-f-]{36})$/.exec(target) ?? [];
  return id !== undefined && id !== ID;
}

export function json(status: number, text: string | object, headers: Record<string, string> = {}): Answer {
  const body = typeof text === 'string' ? text : JSON.stringify(text);
  return (_received, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  };
}

/** The envelope of section 7. */
export function refusal(status: number, code: string, headers: Record<string, string> = {}): Answer {
  return json(status, { error: { code, message: `Said by the service: ${code}.` } }, headers);
}

/** Cuts the connection once the request was read to its end. */
export const cut: Answer = (_received, _response, socket) => socket.resetAndDestroy();

/** One answer after the other for what asks neither for the time nor for the catalog, which it does not have; the last one stays. */
export function inTurn(...answers: readonly Answer[]): Answer {
  let turn = 0;
  return (received, response, socket) => {
    const { target } = received;
    if (target.endsWith('/v2/capabilities') || asksTime(target)) {
      refusal(404, 'route_not_found')(received, response, socket);
      return;
    }
    answers[Math.min(turn, answers.length - 1)]?.(received, response, socket);
    turn += 1;
  };
}
