/** The transport over the network: undici's pool, one exchange a call, never a redirect, never a repetition. */
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Dispatcher } from 'undici';
import type { Clock } from '../runtime/clock.js';
import type { ResolveName } from '../runtime/names.js';
import type { HttpAnswer, HttpRequest, Transport, TransportOptions } from '../runtime/transport.js';
import { createConnector, tlsOptions } from './connector.js';
import { Deadlines } from './deadlines.js';
import { Exchange, HEADERS_MAX_BYTES } from './exchange.js';
import { targetReader, type Target } from './target.js';

export interface UndiciOptions {
  readonly clock: Clock;
  /** For name, connection and handshake together, in milliseconds (10 s). */
  readonly connectTimeoutMs?: number;
  /** PEM certificates that stand in for the built-in roots. */
  readonly ca?: string | undefined;
  /** The values of HTTPS_PROXY and NO_PROXY. http goes to loopback only, and never through a proxy. */
  readonly proxy?: { readonly https: string; readonly except: string } | null;
  /** Decides which addresses a name has, at each connection that is made without a proxy. */
  readonly resolveName?: ResolveName;
  /** The most connections to one origin at a time (16). */
  readonly connections?: number;
}

export interface UndiciTransport {
  readonly send: Transport;
  /** Ends every connection, idle or not, so that nothing holds the process. */
  readonly close: () => Promise<void>;
}

/**
 * A transport over HTTP/1.1 with TLS 1.2 or better. Idle connections do not hold the process; `close` ends them.
 * Answers are bounded (8 MiB, headers 16 KiB), asked for unencoded, and must be whole.
 */
export function createUndiciTransport(options: UndiciOptions): UndiciTransport {
  const tls = tlsOptions(options.ca);
  const connectTimeout = options.connectTimeoutMs ?? 10_000;
  const connector = createConnector(connectTimeout, tls, options.resolveName);
  const settings = {
    connect: connector.connect,
    connections: options.connections ?? 16,
    allowH2: false,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // The limit is one for the whole exchange, kept here; undici's own are off.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatchers = new Map<string, Promise<Dispatcher>>();
  const deadlines = new Deadlines(options.clock);
  const targetOf = targetReader();

  const openProxy = async (https: string, except: string): Promise<Dispatcher> => {
    // All of undici, whose index alone makes tunnels work; bundled, it has no named exports.
    const { EnvHttpProxyAgent } = (await import('undici')).default;
    // An empty string, not an absent one: undici would look into the environment for it.
    const uris = { httpProxy: '', httpsProxy: https, noProxy: except };
    return new EnvHttpProxyAgent({ ...settings, ...uris, connectTimeout, requestTls: tls, proxyTls: tls });
  };

  const dispatcherOf = (origin: string): Promise<Dispatcher> => {
    const proxied = options.proxy?.https && origin.startsWith('https:') ? options.proxy : null;
    const key = proxied === null ? origin : 'proxy';
    const known = dispatchers.get(key);
    if (known !== undefined) return known;
    const opened =
      proxied === null
        ? Promise.resolve(new Pool(origin, settings))
        : openProxy(proxied.https, proxied.except);
    dispatchers.set(key, opened);
    return opened;
  };

  return {
    send: async (request, limits) => {
      const target = targetOf(request.url);
      return exchangeOver(await dispatcherOf(target.origin), request, target, limits, deadlines);
    },
    close: async () => {
      connector.abandon();
      const opened = await Promise.all(dispatchers.values());
      await Promise.all(opened.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

async function exchangeOver(
  dispatcher: Dispatcher,
  request: HttpRequest,
  target: Target,
  limits: TransportOptions,
  deadlines: Deadlines,
): Promise<HttpAnswer> {
  const { timeoutMs, signal } = limits;
  const exchange = new Exchange(limits.ignoresBody);
  const onAbort = (): void => exchange.fail('aborted', 'interrupted', signal?.reason);
  if (signal?.aborted === true) {
    onAbort();
    return exchange.settled;
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  const lift = deadlines.set(timeoutMs, () =>
    exchange.fail('timeout', `no whole answer within ${timeoutMs} ms`),
  );
  const { method, headers, body } = request;
  dispatcher.dispatch({ ...target, method, headers, body }, exchange);
  try {
    return await exchange.settled;
  } finally {
    lift();
    signal?.removeEventListener('abort', onAbort);
  }
}
