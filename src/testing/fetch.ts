/** `fetch` without a network: what it is given goes straight into the sandbox. */
import type { Clock } from '../runtime/clock.js';
import { NotAnswered } from '../runtime/transport.js';
import type { Handler } from '../sandbox/message.js';
import { sandboxTransport } from '../sandbox/sandbox.js';
import type { TestSandbox } from './types.js';

/** Statuses whose answers have no body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/** @param baseUrl what a path counts from; another address is refused, so that a client that is set up wrong is seen */
export function fetchOf(handle: Handler, baseUrl: string, clock: Clock): TestSandbox['fetch'] {
  const transport = sandboxTransport({ handle }, clock);
  return async (input, init) => {
    const request =
      input instanceof Request ? new Request(input, init) : new Request(new URL(input, baseUrl), init);
    const { method, url, signal } = request;
    if (new URL(url).origin !== new URL(baseUrl).origin)
      throw new TypeError(`fetch failed: this sandbox is at ${baseUrl}, and ${url} is elsewhere`);
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
    signal.throwIfAborted();
    const sent = { method, url, headers: Object.fromEntries(request.headers), body };
    const answer = await transport(sent, { timeoutMs: Infinity, signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof NotAnswered)) throw error;
      throw new TypeError('fetch failed', { cause: error });
    });
    const isEmpty = method === 'HEAD' || WITHOUT_BODY.includes(answer.status);
    const response = new Response(isEmpty ? null : Buffer.from(answer.body), {
      status: answer.status,
      headers: answer.headers.map(([name, value]) => [name, value]),
    });
    return Object.defineProperty(response, 'url', { value: url });
  };
}
