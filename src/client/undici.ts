/** The transport over the network, with undici's pools. It follows no redirect, repeats nothing, and knows whether anything was sent. */
import Pool from 'undici/lib/dispatcher/pool.js';
import buildConnector from 'undici/lib/core/connect.js';
import type { Dispatcher, buildConnector as Build } from 'undici';
import type { Clock } from '../runtime/clock.js';
import { connectionText, type ResolveName } from '../runtime/network.js';
import {
  type HttpAnswer,
  type Transport,
  type TransportOptions,
  NotAnswered,
  type NotAnsweredReason,
} from '../runtime/transport.js';
import { isIP, type LookupFunction, type Socket } from 'node:net';

export interface UndiciOptions {
  readonly clock: Clock;
  /** The limit for name, connection and handshake together, in milliseconds (default 10 s). */
  readonly connectTimeoutMs?: number;
  /** PEM certificates that replace the built-in roots. */
  readonly ca?: string | undefined;
  /** The proxy of HTTPS_PROXY and NO_PROXY. Plain http goes only to loopback, and never through a proxy. */
  readonly proxy?: Proxy | null;
  /** Resolves a name for each connection without a proxy. Default: the system does. */
  readonly resolveName?: ResolveName;
  /** Checks the other end of a new connection before a request is sent on it. Rejects to refuse the connection. */
  readonly verifyPeer?: ((socket: Socket) => Promise<void>) | undefined;
  /** The most connections to one origin at a time (default 16). */
  readonly connections?: number;
  /** False: each request has a connection of its own. Default true. */
  readonly keepsConnections?: boolean;
  /** False: an open request does not keep the process alive. Default true. */
  readonly holdsProcess?: boolean;
}

export interface Proxy {
  readonly name: string;
  /** An `http:` or `https:` URL, which may hold a password. */
  readonly https: string;
  /** The value of NO_PROXY. */
  readonly except: string;
}

export interface UndiciTransport {
  readonly send: Transport;
  /** Ends all connections, so that none keeps the process alive. */
  readonly close: () => Promise<void>;
}

/**
 * A transport over HTTP/1.1 with TLS 1.2 or better. Idle connections do not keep the process alive; `close` ends them. Answers are limited (8 MiB,
 * headers 16 KiB), requested without an encoding, and must be complete.
 */
export function createUndiciTransport(options: UndiciOptions): UndiciTransport {
  // Every TLS handshake uses these options, whatever the environment says.
  const { ca } = options;
  const strictOptions = { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const;
  const tls = ca === undefined ? strictOptions : { ...strictOptions, ca };
  const connectTimeout = options.connectTimeoutMs ?? 10_000;
  const { holdsProcess = true } = options;
  // Only a command for the service has the flag `--ca-file`. A command for a webhook receiver lacks this flag, and passes `resolveName`.
  const caFileHint = options.resolveName === undefined ? '--ca-file FILE or ' : '';
  const trustHint = `: ${caFileHint}NODE_EXTRA_CA_CERTS=FILE says whom to trust`;
  const failureText: FailureText = (error, who) => connectionText(error, who, trustHint);
  const connector = createConnector(
    connectTimeout,
    tls,
    failureText,
    options.resolveName,
    options.verifyPeer,
  );
  const settings = {
    connect: holdsProcess ? connector.connect : unrefSockets(connector.connect),
    connections: options.connections ?? 16,
    allowH2: false,
    maxHeaderSize: HEADERS_MAX_BYTES,
    // Without pipelining undici keeps no connection.
    ...(options.keepsConnections === false ? { pipelining: 0 } : {}),
    // `exchangeOver` has one limit for the whole exchange, so undici's own are off.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatchers = new Map<string, Promise<Dispatcher>>();
  const targetOf = targetReader();

  const openProxy = async ({ https, except, name }: Proxy): Promise<Dispatcher> => {
    // Tunnels work only through undici's full index; bundled, it has no named exports.
    const { EnvHttpProxyAgent } = (await import('undici')).default;
    // Empty strings, because for absent ones undici would read the environment.
    const uris = { httpProxy: '', httpsProxy: https, noProxy: except };
    const proxy = `the proxy ${new URL(https).host} (${name})`;
    const proxyConnector = createConnector(
      connectTimeout,
      tls,
      (error, who) => `${proxy} cannot be reached: ${failureText(error, who)}`,
    );
    const agent = new EnvHttpProxyAgent({
      ...{ ...settings, ...uris, connectTimeout, requestTls: tls },
      clientFactory: (origin) =>
        new Pool(origin, { connect: proxyConnector.connect, headersTimeout: connectTimeout }),
    });
    return agent.compose((dispatch) => (request, handler) => {
      const [reportStart, reportError] = [
        handler.onRequestStart?.bind(handler),
        handler.onResponseError?.bind(handler),
      ];
      let isTunnelOpen = false;
      handler.onRequestStart = (...startArguments) => {
        isTunnelOpen = true;
        reportStart?.(...startArguments);
      };
      handler.onResponseError = (controller, error) => {
        const message = failureText(error, new URL(request.origin ?? '').host);
        reportError?.(controller, isTunnelOpen ? error : tunnelFailure(error, proxy, message));
      };
      return dispatch(request, handler);
    });
  };

  const dispatcherOf = (origin: string): Promise<Dispatcher> => {
    const proxy = options.proxy?.https && origin.startsWith('https:') ? options.proxy : null;
    const key = proxy === null ? origin : 'proxy';
    const existing = dispatchers.get(key);
    if (existing !== undefined) return existing;
    const dispatcher = proxy === null ? Promise.resolve(new Pool(origin, settings)) : openProxy(proxy);
    dispatchers.set(key, dispatcher);
    return dispatcher;
  };

  return {
    send: async (request, limits) => {
      const target = targetOf(request.url);
      const { method, headers, body } = request;
      const dispatchOptions = { ...target, method, headers, body };
      return exchangeOver(await dispatcherOf(target.origin), dispatchOptions, limits, options.clock);
    },
    close: async () => {
      connector.abandon();
      const openDispatchers = await Promise.all(dispatchers.values());
      await Promise.all(openDispatchers.map((dispatcher) => dispatcher.destroy()));
    },
  };
}

/** The reason that ends a timer. It is made once, because an abort without a reason makes a new error, which is costly. */
const TIMER_END = new Error('over');

async function exchangeOver(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { timeoutMs, signal, ignoresBody, maySend, keptBytes, onArrival }: TransportOptions,
  clock: Clock,
): Promise<HttpAnswer> {
  const exchange = new WireExchange(ignoresBody, maySend, keptBytes, onArrival);
  const onAbort = (): void => exchange.fail('aborted', 'interrupted', signal?.reason);
  if (signal?.aborted === true) {
    onAbort();
    return exchange.settled;
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = new AbortController();
  clock.sleep(timeoutMs, timer.signal).then(
    () => exchange.fail('timeout', `no complete answer within ${timeoutMs} ms`),
    () => undefined,
  );
  dispatcher.dispatch(request, exchange);
  try {
    return await exchange.settled;
  } finally {
    timer.abort(TIMER_END);
    signal?.removeEventListener('abort', onAbort);
  }
}

/** Splits URLs, and remembers the last one: a batch asks for the same one a million times. */
function targetReader(): (url: string) => { readonly origin: string; readonly path: string } {
  let lastUrl: { readonly url: string; readonly target: { origin: string; path: string } } | null = null;
  return (url) => {
    if (lastUrl?.url !== url) {
      const { origin, pathname, search } = new URL(url);
      lastUrl = { url, target: { origin, path: pathname + search } };
    }
    return lastUrl.target;
  };
}

/** Unreferences sockets for good: undici references them again for each request, which would keep the process alive. */
function unrefSockets(connect: Build.connector): Build.connector {
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

/** An answer that is larger than this is not read to its end. */
const ANSWER_MAX_BYTES = 8 * 1024 * 1024;
/** The most bytes of all headers of an answer: the parser refuses more. */
export const HEADERS_MAX_BYTES = 16 * 1024;

/** An ignored body is read up to this size, so that its connection can be reused. A larger one ends the connection. */
const IGNORED_MAX_BYTES = 64 * 1024;

/** The reasons for undici's error codes, if the request was sent. */
const REASONS: Readonly<Record<string, NotAnsweredReason>> = {
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated',
};

const PARSER_ERROR = 'HTTPParserError';

/** Texts in place of undici's own, which are too technical. */
const TEXTS: Partial<Readonly<Record<NotAnsweredReason, string>>> = {
  reset: 'the connection was cut',
  truncated: 'the connection was cut in the middle of the answer',
  too_large: `the headers of the answer are larger than ${HEADERS_MAX_BYTES} bytes`,
};

/**
 * Receives one answer from undici. `settled` resolves or rejects exactly once, at the latest when `fail` is called. undici calls `onRequestStart`
 * exactly when it writes to a connected socket, so that call separates "certainly not sent" from "unknown".
 */
export class WireExchange implements Dispatcher.DispatchHandler {
  readonly settled: Promise<HttpAnswer>;
  #resolve!: (answer: HttpAnswer) => void;
  #reject!: (error: NotAnswered) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #status = 0;
  #headers: (readonly [string, string])[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;

  /**
   * @param ignoresBody the exchange cannot fail any more once a status has arrived
   * @param maySend called at the moment of writing: a request may have waited for its connection while the machine slept
   * @param keptBytes about how much of an ignored body to return
   * @param onArrival called for each part of the body. The exchange then keeps no part
   */
  constructor(
    private readonly ignoresBody = false,
    private readonly maySend: () => boolean = () => true,
    private readonly keptBytes = 0,
    private readonly onArrival: (() => void) | null = null,
  ) {
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Ends the exchange without an answer, or with the status if the body is ignored. If nothing was sent yet, nothing will be. */
  fail(reason: NotAnsweredReason, message: string, cause?: unknown): void {
    if (this.#isOver) return;
    if (this.ignoresBody && this.#status !== 0) this.#resolveAnswer();
    this.#isOver = true;
    this.#reject(new NotAnswered(reason, this.#controller !== null, message, { cause }));
    this.#controller?.abort(new Error(message));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici would silently retry a request on another connection after the first one closed: that decision is the caller's.
    if (this.#controller !== null) this.fail('reset', 'the connection closed before an answer arrived');
    else if (!this.#isOver && !this.maySend()) this.fail('late', 'it waited too long in the queue');
    if (this.#isOver) controller.abort(new Error('abandoned'));
    else this.#controller = controller;
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    if (status < 200) return;
    this.#status = status;
    const rawHeaders = Array.isArray(controller.rawHeaders) ? controller.rawHeaders : [];
    this.#headers = rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [[textOf(name), textOf(rawHeaders[at + 1])] as const] : [],
    );
    if (this.ignoresBody) return;
    const encoding = this.#header('content-encoding')?.trim().toLowerCase() ?? '';
    if (encoding !== '' && encoding !== 'identity') {
      this.fail('encoding', `the answer has the encoding ${encoding}, which svc did not ask for`);
    } else if (Number(this.#header('content-length') ?? 0) > ANSWER_MAX_BYTES) {
      this.#failTooLarge();
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.onArrival !== null) {
      this.onArrival();
      return;
    }
    const isKept = !this.ignoresBody || this.#bytes < this.keptBytes;
    this.#bytes += chunk.length;
    if (this.#bytes > (this.ignoresBody ? IGNORED_MAX_BYTES : ANSWER_MAX_BYTES)) this.#failTooLarge();
    else if (isKept) this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#isOver) this.#resolveAnswer();
  }

  #resolveAnswer(): void {
    this.#isOver = true;
    const body = this.#chunks.length === 1 ? this.#chunks[0] : undefined;
    this.#resolve({
      status: this.#status,
      headers: this.#headers,
      body: body ?? Buffer.concat(this.#chunks),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const reason = this.#reasonOf(error);
    const isNoHttp = reason === 'malformed' && error.name === PARSER_ERROR;
    this.fail(reason, isNoHttp ? 'what arrived is not valid HTTP' : (TEXTS[reason] ?? error.message), error);
  }

  #reasonOf(error: Error): NotAnsweredReason {
    const code = 'code' in error ? String(error.code) : '';
    if (this.#controller === null) {
      if (error instanceof ConnectFailure) return error.phase;
      return code === 'UND_ERR_INVALID_ARG' ? 'malformed' : 'connect';
    }
    const reason = REASONS[code];
    if (reason !== undefined) return reason;
    // undici has no code for what its parser refuses, which includes an answer that ends within a chunk.
    if (error.name === PARSER_ERROR && !error.message.includes('EOF')) return 'malformed';
    return this.#status === 0 ? 'reset' : 'truncated';
  }

  #failTooLarge(): void {
    this.fail('too_large', `the answer is larger than ${ANSWER_MAX_BYTES} bytes`);
  }

  #header(name: string): string | undefined {
    return this.#headers.find(([key]) => key.toLowerCase() === name)?.[1];
  }
}

function textOf(value: Buffer | string | undefined): string {
  return typeof value === 'string' ? value : (value?.toString('latin1') ?? '');
}

/** The phase in which a connection failed. */
export type ConnectPhase = 'name' | 'connect' | 'tls';

/** The connection failed before it could carry a request, so nothing was sent. The cause is the socket's own error. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  constructor(
    readonly phase: ConnectPhase,
    override readonly cause: Error,
    message: string,
  ) {
    super(message, { cause });
  }
}

/** Says why a connection to `who` failed. */
type FailureText = (error: Error, who: string) => string;

/** Texts for a failed tunnel request, by the error's name. */
const TUNNEL_FAULTS: Readonly<Record<string, string>> = {
  ProxyConnectionError: 'cut the connection',
  HeadersTimeoutError: 'did not answer in time',
  [PARSER_ERROR]: 'does not speak HTTP',
};

/** Makes the failure behind a reachable proxy: the proxy opens no tunnel, or the tunnel's end has no TLS. */
function tunnelFailure(error: Error, proxy: string, text: string): Error {
  if (error instanceof ConnectFailure) return error;
  const [, status] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
  if (status !== undefined) {
    const why = status === '407' ? ', because it wants a user name and a password' : '';
    return new ConnectFailure('connect', error, `${proxy} answered ${status}${why}`);
  }
  const fault = TUNNEL_FAULTS[error.name];
  if (fault !== undefined) return new ConnectFailure('connect', error, `${proxy} ${fault}`);
  return text === error.message ? error : new ConnectFailure('tls', error, text);
}

/**
 * undici's connector (HTTP/1.1 only), with each failure wrapped in a ConnectFailure.
 * @param timeoutMs for name, connection and handshake together
 * @param resolveName resolves a name; default the system's resolution
 */
function createConnector(
  timeoutMs: number,
  tls: Build.BuildOptions,
  failureText: FailureText,
  resolveName?: ResolveName,
  prove?: UndiciOptions['verifyPeer'],
): { readonly connect: Build.connector; readonly abandon: () => void } {
  const lookup = resolveName === undefined ? {} : { lookup: lookupWith(resolveName) };
  // undici's connector returns the socket, but its types do not say so.
  const connectSocket = buildConnector({ ...tls, ...lookup, allowH2: false, timeout: timeoutMs }) as (
    ...args: Parameters<Build.connector>
  ) => Socket;
  const openSockets = new Set<Socket>();
  return {
    connect: (options, callback) => {
      let phase: ConnectPhase = 'connect';
      const end = (error: Error | null): void => {
        openSockets.delete(socket);
        if (error === null) {
          callback(null, socket);
          return;
        }
        const message = failureText(error, options.host ?? options.hostname);
        const isLookupError = 'syscall' in error && error.syscall === 'getaddrinfo';
        callback(new ConnectFailure(isLookupError ? 'name' : phase, error, message), null);
      };
      const socket = connectSocket(options, (...[error]) => {
        if (error !== null || prove === undefined) end(error);
        else
          prove(socket).then(
            () => end(null),
            (reason: unknown) => {
              socket.destroy();
              end(reason as Error);
            },
          );
      });
      openSockets.add(socket);
      socket.once('connect', () => (phase = 'tls'));
    },
    // Ends open attempts, which would otherwise keep the process alive until they time out.
    abandon: () => {
      for (const socket of openSockets) socket.destroy(new Error('abandoned'));
    },
  };
}

/** Makes a lookup for sockets: they connect only to the resolved addresses, even if the name gets others a moment later. */
function lookupWith(resolveName: ResolveName): LookupFunction {
  return (name, options, callback) => {
    resolveName(name).then(
      (addresses) => {
        const resolved = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first = { address: '', family: 0 }] = resolved;
        if (options.all === true) callback(null, resolved);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, []),
    );
  };
}
