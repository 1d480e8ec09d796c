/** The embedded sandbox as a transport: the client talks to the handler as it would to a server, without a port. */
import type { Clock } from '../runtime/clock.js';
import {
  NotAnswered,
  type HttpRequest,
  type Transport,
  type TransportOptions,
} from '../runtime/transport.js';
import type { Interference } from './message.js';
import type { Sandbox } from './sandbox.js';

const NO_BODY = new Uint8Array();

/**
 * Answers requests to any loopback address from the handler; what a fault does to a connection becomes `NotAnswered`.
 * @throws DatabaseUnusable where the file cannot be used
 */
export function sandboxTransport({ handle }: Pick<Sandbox, 'handle'>, clock: Clock): Transport {
  return async (request, options) => {
    if (options.signal?.aborted === true)
      throw new NotAnswered('aborted', false, 'stopped before it was sent');
    const { host, target } = split(request);
    const { status, headers, body, interference } = handle({
      method: request.method,
      target,
      headers: [['host', host], ...Object.entries(request.headers).filter(([name]) => name !== 'host')],
      body: request.body ?? NO_BODY,
    });
    await interfere(interference, options, clock);
    return { status, headers: Object.entries(headers), body };
  };
}

/** Host and target as they stand in the address: a parser would rewrite `//` and `%2f`. */
function split({ url }: HttpRequest): { host: string; target: string } {
  const [, host = '', target = ''] = /^[a-z]+:\/\/([^/?#]*)([^#]*)/i.exec(url) ?? [];
  return { host, target: target.startsWith('/') ? target : `/${target}` };
}

async function interfere(
  interference: Interference | null,
  { timeoutMs, signal }: TransportOptions,
  clock: Clock,
): Promise<void> {
  if (interference === null) return;
  if (interference.kind !== 'delay') throw new NotAnswered('reset', true, 'the connection was cut');
  try {
    await clock.sleep(Math.min(interference.delayMs, timeoutMs), signal);
  } catch (error) {
    throw new NotAnswered('aborted', true, 'stopped while it waited for an answer', { cause: error });
  }
  if (interference.delayMs >= timeoutMs) {
    throw new NotAnswered('timeout', true, `no answer within ${timeoutMs} ms`);
  }
}
