import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ID } from './requests.js';
import { serving } from './serving.js';
import { atEnd } from './test-folder.js';

export interface Received {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (received: Received, response: ServerResponse, socket: Socket) => void;

export type Service = Awaited<ReturnType<typeof startService>>;

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
    env: { SVC_BASE_URL: url, SVC_API_KEY: 'svc_test_wire' },
    received,
    calls: () => received.filter(({ target }) => !target.endsWith('/v2/capabilities') && !asksTime(target)),
    ...{ url, stop },
  };
}

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

export function refusal(status: number, code: string, headers: Record<string, string> = {}): Answer {
  return json(status, { error: { code, message: `Said by the service: ${code}.` } }, headers);
}

export const cut: Answer = (_received, _response, socket) => socket.resetAndDestroy();

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
