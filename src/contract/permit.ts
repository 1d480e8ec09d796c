/** Each live request except a read needs a permit for its exact bytes. */
import { hash } from 'node:crypto';
import type { HttpRequest } from '../runtime/transport.js';

const MAKER = Symbol('maker');

export class Permit {
  readonly #digest: string;

  constructor(maker: symbol, request: HttpRequest) {
    if (maker !== MAKER) throw new TypeError('only permitFor makes permits');
    this.#digest = digestOf(request);
  }

  static covers(permit: unknown, request: HttpRequest): boolean {
    const isPermit = typeof permit === 'object' && permit !== null && #digest in permit;
    return isPermit && permit.#digest === digestOf(request);
  }
}

export function permitFor(request: HttpRequest): Permit {
  return new Permit(MAKER, request);
}

function digestOf({ method, url, headers, body }: HttpRequest): string {
  const keys = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'idempotency-key')
    .map(([, key]) => key);
  const bytes = body === null ? null : hash('sha256', body, 'hex');
  return JSON.stringify([method, url, keys, bytes]);
}
