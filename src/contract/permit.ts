/** Each live request except a read needs a permit for its exact bytes. */
import { hash } from 'node:crypto';

export interface PermittedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

const MAKER = Symbol('maker');

export class Permit {
  readonly #digest: string;

  constructor(maker: symbol, request: PermittedRequest) {
    if (maker !== MAKER) throw new TypeError('only permitFor makes permits');
    this.#digest = digestOf(request);
  }

  static covers(permit: unknown, request: PermittedRequest): boolean {
    const isPermit = typeof permit === 'object' && permit !== null && #digest in permit;
    return isPermit && permit.#digest === digestOf(request);
  }
}

export function permitFor(request: PermittedRequest): Permit {
  return new Permit(MAKER, request);
}

function digestOf({ method, url, headers, body }: PermittedRequest): string {
  const keys = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'idempotency-key')
    .map(([, key]) => key);
  const bytes = body === null ? null : hash('sha256', body, 'hex');
  return JSON.stringify([method, url, keys, bytes]);
}
