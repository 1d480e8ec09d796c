import Pool from 'undici/lib/dispatcher/pool.js';
import buildConnector from 'undici/lib/core/connect.js';
import type { Dispatcher, buildConnector as Build } from 'undici';
import type { Clock } from '../runtime/clock.js';
import { connectionText, type ResolveName } from '../runtime/network.js';
import { NotAnswered } from '../runtime/transport.js';
import type { HttpAnswer, Transport, TransportOptions, NotAnsweredReason } from '../runtime/transport.js';
import { isIP, type LookupFunction, type Socket } from 'node:net';

export interface UndiciOptions {
  readonly clock: Clock;
  readonly connectTimeoutMs?: number;
  readonly ca?: string | undefined;
  readonly proxy?: Proxy | null;
  readonly resolveName?: ResolveName;
  readonly verifyPeer?: ((socket: Socket) => Promise<void>) | undefined;
  readonly connections?: number | undefined;
  readonly keepsConnections?: boolean;
  readonly holdsProcess?: boolean;
}

export type Proxy = Readonly<Record<'name' | 'https' | 'except', string>>;

export interface UndiciTransport {
  readonly send: Transport;
  readonly close: () => Promise<void>;
}

export function createUndiciTransport(options: UndiciOptions): UndiciTransport {
  const { ca, connectTimeoutMs: connectTimeout = 10_000, holdsProcess = true } = options;
  const strictOptions = { minVersion: 'TLSv1.2', rejectUnauthorized: true } as const;
  const tls = ca === undefined ? strictOptions : { ...strictOptions, ca };
  const { resolveName, verifyPeer } = options;
  const caFileHint = resolveName === undefined ? '--ca-file FILE or ' : '';
  const trustHint = `: ${caFileHint}NODE_EXTRA_CA_CERTS=FILE says whom to trust`;
  const failureText: FailureText = (error, who) => connectionText(error, who, trustHint);
  const connector = createConnector(connectTimeout, tls, failureText, resolveName, verifyPeer);
  const settings = {
    connect: holdsProcess ? connector.connect : unrefSockets(connector.connect),
    connections: options.connections ?? 16,
    allowH2: false,
    maxHeaderSize: HEADERS_MAX_BYTES,
    ...(options.keepsConnections === false ? { pipelining: 0 } : {}),
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const dispatchers = new Map<string, Promise<Dispatcher>>();
  const targetOf = targetReader();

  const openProxy = async ({ https, except, name }: Proxy): Promise<Dispatcher> => {
    const { EnvHttpProxyAgent } = (await import('undici')).default;
    // `httpProxy` is empty, because undici would read an absent one from the environment.
    const uris = { httpProxy: '', httpsProxy: https, noProxy: except };
    const proxyText = `the proxy ${new URL(https).host} (${name})`;
    const proxyConnector = createConnector(
      connectTimeout,
      tls,
      (error, who) => `${proxyText} cannot be reached: ${failureText(error, who)}`,
    );
    const agent = new EnvHttpProxyAgent({
      ...{ ...settings, ...uris, connectTimeout, requestTls: tls },
      clientFactory: (origin) =>
        new Pool(origin, { connect: proxyConnector.connect, headersTimeout: connectTimeout }),
    });
    return agent.compose((dispatch) => (request, handler) => {
      const reportStart = handler.onRequestStart?.bind(handler);
      const reportError = handler.onResponseError?.bind(handler);
      let isTunnelOpen = false;
      handler.onRequestStart = (...startArguments) => {
        isTunnelOpen = true;
        reportStart?.(...startArguments);
      };
      handler.onResponseError = (controller, error) => {
        const message = failureText(error, new URL(request.origin ?? '').host);
        reportError?.(controller, isTunnelOpen ? error : tunnelFailure(error, proxyText, message));
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
    return exchange.answer;
  }
  signal?.addEventListener('abort', onAbort, { once: true });
  const timer = new AbortController();
  clock.sleep(timeoutMs, timer.signal).then(
    () => exchange.fail('timeout', `no complete answer within ${timeoutMs} ms`),
    () => undefined,
  );
  dispatcher.dispatch(request, exchange);
  try {
    return await exchange.answer;
  } finally {
    timer.abort(TIMER_END);
    signal?.removeEventListener('abort', onAbort);
  }
}

function targetReader(): (url: string) => { readonly origin: string; readonly path: string } {
  let cache: { readonly url: string; readonly target: { origin: string; path: string } } | null = null;
  return (url) => {
    if (cache?.url !== url) {
      const { origin, pathname, search } = new URL(url);
      cache = { url, target: { origin, path: pathname + search } };
    }
    return cache.target;
  };
}

/** undici references a socket again for each request, which would keep the process alive. */
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

const ANSWER_MAX_BYTES = 8 * 1024 * 1024;
export const HEADERS_MAX_BYTES = 16 * 1024;

const IGNORED_MAX_BYTES = 64 * 1024;

const REASON_BY_CODE: Readonly<Record<string, NotAnsweredReason>> = {
  UND_ERR_HEADERS_OVERFLOW: 'too_large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'truncated',
};

const PARSER_ERROR = 'HTTPParserError';

const FAULT_TEXTS: Partial<Readonly<Record<NotAnsweredReason, string>>> = {
  reset: 'the connection was cut',
  truncated: 'the connection was cut in the middle of the answer',
  too_large: `the headers of the answer are larger than ${HEADERS_MAX_BYTES} bytes`,
};

export class WireExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<HttpAnswer>;
  #resolve!: (answer: HttpAnswer) => void;
  #reject!: (error: NotAnswered) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #status = 0;
  #headers: (readonly [string, string])[] = [];
  #chunks: Buffer[] = [];
  #byteCount = 0;

  constructor(
    private readonly ignoresBody = false,
    private readonly maySend: () => boolean = () => true,
    private readonly keptBytes = 0,
    private readonly onArrival: (() => void) | null = null,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  fail(reason: NotAnsweredReason, message: string, cause?: unknown): void {
    if (this.#isOver) return;
    if (this.ignoresBody && this.#status !== 0) this.#resolveAnswer();
    this.#isOver = true;
    this.#reject(new NotAnswered(reason, this.#controller !== null, message, { cause }));
    this.#controller?.abort(new Error(message));
  }

  /** Nothing was sent before the first call, because undici makes it when it begins to write to a connected socket. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // undici would silently send the request again after a closed connection, but only the caller may repeat it.
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
    const isKept = !this.ignoresBody || this.#byteCount < this.keptBytes;
    this.#byteCount += chunk.length;
    if (this.#byteCount > (this.ignoresBody ? IGNORED_MAX_BYTES : ANSWER_MAX_BYTES)) this.#failTooLarge();
    else if (isKept) this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#isOver) this.#resolveAnswer();
  }

  #resolveAnswer(): void {
    this.#isOver = true;
    const [first, ...others] = this.#chunks;
    const body = first !== undefined && others.length === 0 ? first : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const reason = this.#reasonOf(error);
    const isNoHttp = reason === 'malformed' && error.name === PARSER_ERROR;
    this.fail(
      reason,
      isNoHttp ? 'what arrived is not valid HTTP' : (FAULT_TEXTS[reason] ?? error.message),
      error,
    );
  }

  #reasonOf(error: Error): NotAnsweredReason {
    const code = 'code' in error ? String(error.code) : '';
    if (this.#controller === null) {
      if (error instanceof ConnectFailure) return error.phase;
      return code === 'UND_ERR_INVALID_ARG' ? 'malformed' : 'connect';
    }
    const reason = REASON_BY_CODE[code];
    if (reason !== undefined) return reason;
    // undici reports an answer that ends within a chunk as a parser error with `EOF`.
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

export type ConnectPhase = 'name' | 'connect' | 'tls';

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

type FailureText = (error: Error, who: string) => string;

const TUNNEL_FAULTS: Readonly<Record<string, string>> = {
  ProxyConnectionError: 'cut the connection',
  HeadersTimeoutError: 'did not answer in time',
  [PARSER_ERROR]: 'does not speak HTTP',
};

function tunnelFailure(error: Error, proxyText: string, text: string): Error {
  if (error instanceof ConnectFailure) return error;
  const [, status] = /^Proxy response \((\d+)\)/.exec(error.message) ?? [];
  if (status !== undefined) {
    const why = status === '407' ? ', because it wants a user name and a password' : '';
    return new ConnectFailure('connect', error, `${proxyText} answered ${status}${why}`);
  }
  const fault = TUNNEL_FAULTS[error.name];
  if (fault !== undefined) return new ConnectFailure('connect', error, `${proxyText} ${fault}`);
  return text === error.message ? error : new ConnectFailure('tls', error, text);
}

function createConnector(
  timeoutMs: number,
  tls: Build.BuildOptions,
  failureText: FailureText,
  resolveName?: ResolveName,
  verifyPeer?: UndiciOptions['verifyPeer'],
): { readonly connect: Build.connector; readonly abandon: () => void } {
  const lookupOption = resolveName === undefined ? {} : { lookup: lookupWith(resolveName) };
  const connectSocket = buildConnector({ ...tls, ...lookupOption, allowH2: false, timeout: timeoutMs }) as (
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
        if (error !== null || verifyPeer === undefined) end(error);
        else
          verifyPeer(socket).then(
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
    abandon: () => {
      for (const socket of openSockets) socket.destroy(new Error('abandoned'));
    },
  };
}

/** Connects only to the addresses of `resolveName`, because a later lookup of the name may give others. */
function lookupWith(resolveName: ResolveName): LookupFunction {
  return (name, options, callback) => {
    resolveName(name).then(
      (addresses) => {
        const allAddresses = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first = { address: '', family: 0 }] = allAddresses;
        if (options.all === true) callback(null, allAddresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, []),
    );
  };
}
