/** The transport over the network: undici's pool, one exchange a call, never a redirect, never a repetition. */
import Pool from 'undici/lib/dispatcher/pool.js';
import type { buildConnector, Dispatcher } from 'undici';
import type { Clock } from '../runtime/clock.js';
import type { ResolveName } from '../runtime/network.js';
import type { HttpAnswer, Transport, TransportOptions } from '../runtime/transport.js';
import { createConnector, tlsOptions, Exchange, HEADERS_MAX_BYTES } from './exchange.js';

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
  /** With false a request that is not answered yet keeps no process that has nothing else to do; true unless given. */
  readonly holdsProcess?: boolean;
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
  const { holdsProcess = true } = options;
  const connector = createConnector(connectTimeout, tls, options.resolveName);
  const settings = {
    connect: holdsProcess ? connector.connect : unheld(connector.connect),
    connections: options.connections ?? 16,
    allowH2: false,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // The limit is one for the whole exchange, kept here; undici's own are off.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatchers = new Map<string, Promise<Dispatcher>>();
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
      const { method, headers, body } = request;
      const asked = { ...target, method, headers, body };
      return exchangeOver(await dispatcherOf(target.origin), asked, limits, options.clock);
    },
    close: async () => {
      connector.abandon();
      const opened = await Promise.all(dispatchers.values());
      await Promise.all(opened.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** Ends a wait; given, because the error that an abort makes by itself is costly. */
const OVER = new Error('over');

async function exchangeOver(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, signal, ignoresBody, mayLeave, keptBytes, onArrival }: TransportOptions,
  clock: Clock,
): Promise<HttpAnswer> {
  const exchange = new Exchange(ignoresBody, mayLeave, keptBytes, onArrival);
  const onAbort = (): void => exchange.fail('aborted', 'interrupted', signal?.reason);
  if (signal?.aborted === true) {
    onAbort();
    return exchange.settled;
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  const limit = new AbortController();
  clock.sleep(timeoutMs, limit.signal).then(
    () => exchange.fail('timeout', `no complete answer within ${timeoutMs} ms`),
    () => undefined,
  );
  dispatcher.dispatch(request, exchange);
  try {
    return await exchange.settled;
  } finally {
    limit.abort(OVER);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Where a request leads: a URL taken apart for undici. */
interface Target {
  readonly origin: string;
  readonly path: string;
}

/** Takes URLs apart. A batch asks for the same one a million times: the last is remembered. */
function targetReader(): (url: string) => Target {
  let last: { readonly url: string; readonly target: Target } | null = null;
  return (url) => {
    if (last?.url !== url) {
      const { origin, pathname, search } = new URL(url);
      last = { url, target: { origin, path: pathname + search } };
    }
    return last.target;
  };
}

/** undici holds the process for each request, through the socket: what it says to that is not heard. */
function unheld(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result) => {
      const [, socket] = result;
      if (socket !== null) {
        socket.unref();
        socket.ref = () => socket;
      }
      callback(...result);
    });
}
