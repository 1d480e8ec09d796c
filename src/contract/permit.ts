/** The permit of a request: what leaves live, and is no read, carries one, bound to the very bytes that were judged. */
import { hash } from 'node:crypto';

/** What a permit is bound to. */
export interface Permitted {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** Known to this file alone. */
const MAKER = Symbol('maker');

/** A private member, not a shape: nothing that merely looks like a permit is one. */
export class Permit {
  readonly #print: string;

  /** @throws TypeError for everybody but `permitFor` */
  constructor(maker: symbol, request: Permitted) {
    if (maker !== MAKER) throw new TypeError('only permitFor makes permits');
    this.#print = printOf(request);
  }

  /** True for a permit that was made for these bytes, with that method, address and idempotency key; for anything else false. */
  static covers(permit: unknown, request: Permitted): boolean {
    const isPermit = typeof permit === 'object' && permit !== null && #print in permit;
    return isPermit && permit.#print === printOf(request);
  }
}

/** The permit of a request that was judged; only the guard makes any. */
export function permitFor(request: Permitted): Permit {
  return new Permit(MAKER, request);
}

function printOf({ method, url, headers, body }: Permitted): string {
  const keys = Object.entries(headers)
    .filter(([name]) => name.toLowerCase() === 'idempotency-key')
    .map(([, key]) => key);
  // No body and an empty one are two requests.
  const bytes = body === null ? null : hash('sha256', body, 'hex');
  return JSON.stringify([method, url, keys, bytes]);
}
