import type { Random } from '../../src/runtime/clock.js';
import { NotAnswered } from '../../src/runtime/transport.js';
import type { HttpAnswer, HttpRequest, Transport, TransportOptions } from '../../src/runtime/transport.js';

export function plainRandom(fraction = 0.5): Random {
  let count = 0;
  return {
    uuid: () => '00000000-0000-4000-8000-000000000000',
    hex: (byteCount) => (count += 1).toString(16).padStart(byteCount * 2, '0'),
    fraction: () => fraction,
  };
}

export interface Script extends Transport {
  readonly requests: HttpRequest[];
  readonly limits: TransportOptions[];
}

export function scripted(...parts: readonly (HttpAnswer | NotAnswered)[]): Script {
  const requests: HttpRequest[] = [];
  const limits: TransportOptions[] = [];
  const left = [...parts];
  const transport: Transport = (request, options) => {
    requests.push(request);
    limits.push(options);
    const part = left.shift();
    if (part === undefined) return Promise.reject(new Error(`unexpected: ${request.method} ${request.url}`));
    return part instanceof NotAnswered ? Promise.reject(part) : Promise.resolve(part);
  };
  return Object.assign(transport, { requests, limits });
}

export function answer(status: number, body: unknown, headers: Record<string, string> = {}): HttpAnswer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: Object.entries(headers), body: Buffer.from(text) };
}

export function envelope(status: number, code: string, headers: Record<string, string> = {}): HttpAnswer {
  return answer(status, { error: { code, message: `said ${code}` } }, headers);
}

export const ID = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';

export function operation(status: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id: ID, status, pending_reason: null, ...more };
}

export function failedOperation(code: string): Record<string, unknown> {
  return operation('failed', { failure: { code, reason: 'other', message: 'It was not to be.' } });
}

export const lost = (): NotAnswered => new NotAnswered('reset', true, 'the connection was reset');
export const notSent = (): NotAnswered => new NotAnswered('connect', false, 'connection refused');

export const NOW_MS = Date.UTC(2026, 8, 23, 15, 0, 0);
