import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, afterArrivals } from '../runtime/clock.js';
import { unrefServer } from '../runtime/network.js';
import type { Transport } from '../runtime/transport.js';
import { startDispatcher, waitAtMost, type Dispatcher } from './delivery/dispatcher.js';
import { isUnlogged } from './http/access.js';
import type { Interposer } from './interposer.js';
import { datedAnswer, refusalAnswer, unavailableAnswer } from './message.js';
import type { SandboxAnswer, SandboxRequest } from './message.js';
import type { Sandbox } from './sandbox.js';
import { answerProof } from './owner.js';
import { answerPage, compressForPage, isReadByPage, openWatchers, type ReadPage } from './wire/browser.js';
import { interpose } from './wire/exchange.js';
import { sendAnswer, type OnServed, readRequest, refuseBytes, refuseTunnel } from './wire/http.js';
import { reportServed, whenWritten, writeAnswer } from './wire/http.js';

export interface ServeOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly pid?: number;
  readonly receivers?: Transport;
  readonly whenAttempted?: Dispatcher['whenAttempted'];
  readonly onDefect?: (error: Error) => void;
  readonly onServed?: OnServed;
  readonly secret?: string;
  readonly page?: ReadPage;
  readonly interposer?: Interposer;
  readonly requestTimeoutMs?: number;
}

const GRACE_MS = 2000;

export async function serve(sandbox: Sandbox, options: ServeOptions) {
  const { clock, secret, page, onServed, interposer, onDefect = () => undefined } = options;
  const { requestTimeoutMs = 30_000, pid = 0, receivers: transport } = options;
  const headersTimeoutMs = Math.min(10_000, requestTimeoutMs);
  const { timeMs, faultLog } = sandbox;
  // Read the clock offset now, because the store may become unreadable later.
  timeMs();
  const watchers = openWatchers(sandbox, clock, pid, onDefect);
  const group = groupCommits(sandbox, onDefect);
  const stop = new AbortController();
  const openResponses = new Set<ServerResponse>();
  const notifyChange = (): void => {
    dispatcher?.wake();
    watchers.notify();
  };
  const carryOut = (request: SandboxRequest): Promise<SandboxAnswer> =>
    new Promise((resolve, reject) => {
      if (stop.signal.aborted) {
        reject(new Error('The sandbox is stopping: nothing was carried out.'));
        return;
      }
      group.add(request, (answer, defect) => {
        if (defect === null) resolve(answer);
        else reject(defect);
        notifyChange();
      });
    });
  const limits = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headersTimeoutMs),
    keepAliveTimeout: 65_000,
    // Node would refuse a missing `Host` without an error envelope, so the handler checks it.
    requireHostHeader: false,
  };
  const portOf = (listening: Server): number => (listening.address() as AddressInfo).port;
  const server = createServer(limits, (message, response) => {
    readRequest(message, (request, isCut) => {
      if (stop.signal.aborted) {
        response.destroy();
        return;
      }
      const proof = secret === undefined ? null : answerProof(request, secret, portOf(server));
      const ownAnswer = proof ?? (page === undefined ? null : answerPage(request, page));
      if (ownAnswer !== null) {
        writeAnswer(datedAnswer(ownAnswer, timeMs()), response, isCut);
        return;
      }
      if (watchers.take(request, response)) return;
      openResponses.add(response);
      response.on('close', () => openResponses.delete(response));
      const isObserved = !isReadByPage(request) && !isUnlogged(request);
      if (onServed !== undefined && isObserved) reportServed(request, response, clock, onServed);
      const answerPorts = { clock, stop: stop.signal, whenAttempted };
      if (interposer !== undefined && isObserved) {
        const ports = { ...answerPorts, carryOut, onDefect, timeMs, faultLog };
        void interpose(interposer, request, response, isCut, ports).finally(() => watchers.notify());
        return;
      }
      group.add(request, (answer) => {
        void sendAnswer(compressForPage(request, answer), response, isCut, answerPorts);
        notifyChange();
      });
    });
  });
  server.on('clientError', (error, socket) => refuseBytes(error, socket, timeMs()));
  server.on('connect', (_request, socket) => refuseTunnel(socket, timeMs()));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const refusal = refusalAnswer({ refusal: 'body_invalid', status: 417 });
    writeAnswer(datedAnswer(refusal, timeMs()), response, true);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', 1024, () => resolve());
  });
  const dispatcher =
    transport === undefined
      ? null
      : startDispatcher(sandbox.outbox, { transport, clock, onDefect, onRound: watchers.notify });
  const whenAttempted = dispatcher?.whenAttempted ?? options.whenAttempted ?? (() => Promise.resolve());
  return {
    port: portOf(server),
    unref: () => unrefServer(server),
    async close(): Promise<void> {
      const whenClosed = new Promise<void>((resolve) => server.close(() => resolve()));
      group.flush();
      stop.abort();
      watchers.close();
      const whenAllWritten = Promise.all([...openResponses].map(whenWritten));
      await waitAtMost(clock, GRACE_MS, whenAllWritten);
      server.closeAllConnections();
      await whenClosed;
      await dispatcher?.close();
    },
  };
}

type OnAnswered = (answer: SandboxAnswer, defect: Error | null) => void;

export function groupCommits(
  { handleAll, timeMs }: Pick<Sandbox, 'handleAll' | 'timeMs'>,
  onDefect: (error: Error) => void,
) {
  let waitingRequests: { readonly request: SandboxRequest; readonly onAnswered: OnAnswered }[] = [];
  const flush = (): void => {
    const group = waitingRequests;
    waitingRequests = [];
    if (group.length === 0) return;
    const answers = handleAll(group.map(({ request }) => request));
    for (const [index, { onAnswered }] of group.entries()) {
      const result = answers[index] ?? new Error('a request has an answer');
      if (!(result instanceof Error)) onAnswered(result, null);
      else {
        onDefect(result);
        onAnswered(unavailableAnswer(timeMs()), result);
      }
    }
  };
  return {
    add(request: SandboxRequest, onAnswered: OnAnswered): void {
      waitingRequests.push({ request, onAnswered });
      if (waitingRequests.length === 1) afterArrivals(flush);
    },
    flush,
  };
}
