/** The sandbox over HTTP: a thin adapter on loopback between Node's server and the handler. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, afterArrivals } from '../runtime/clock.js';
import { unrefServer } from '../runtime/network.js';
import type { Transport } from '../runtime/transport.js';
import { startDispatcher, type Dispatcher } from './delivery/dispatcher.js';
import { isTraceless } from './http/access.js';
import type { Interposer } from './interposer.js';
import { datedAnswer, refusalAnswer, type SandboxAnswer, type SandboxRequest } from './message.js';
import type { Sandbox } from './sandbox.js';
import { answerProof } from './owner.js';
import { watchersOf, toldOf, answerPage, isReadByPage, type ReadPage } from './wire/browser.js';
import { interpose } from './wire/exchange.js';
import {
  carry,
  type OnServed,
  readRequest,
  refuseBytes,
  refuseTunnel,
  watch,
  whenWritten,
  write,
} from './wire/http.js';

export interface ServeOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly clock: Clock;
  /** Of this process: a reader that follows along sees by it that another server answers. */
  readonly pid?: number;
  /** The way to webhook receivers; without it deliveries wait in the store for a server that has one. */
  readonly receivers?: Transport;
  /** Without `receivers`, where somebody else delivers: resolves when these deliveries were attempted. */
  readonly attempted?: Dispatcher['attempted'];
  /** Called for every error that became a 503: a defect, or a store that cannot be used. */
  readonly onDefect?: (error: Error) => void;
  /** Called for every request except proofs, the page and what the page reads. */
  readonly onServed?: OnServed;
  /** The server proves that it has this secret, which is kept next to the store (`owner.ts`). Without it the server proves nothing. */
  readonly secret?: string;
  /** The files of the page at `/`; without it there is none. */
  readonly page?: ReadPage;
  /** Stands between the requests and the handler; without it each is carried out and answered. */
  readonly interposer?: Interposer;
  /** For a sender's headers, and for its whole request; default 10 s and 30 s. */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

export interface Serving {
  readonly port: number;
  /** From now on it holds no process: one that has nothing else to do ends. */
  unref(): void;
  /** Answers what arrived whole, cuts everything else, and resolves when every connection is closed. */
  close(): Promise<void>;
}

/** How long a stopping server waits for clients to read their answers. */
const GRACE_MS = 2000;

/**
 * Listens on 127.0.0.1. The sandbox stays the caller's to close, after the server.
 * @throws the system's error where the port is taken (`EADDRINUSE`)
 */
export async function serve(sandbox: Sandbox, options: ServeOptions): Promise<Serving> {
  const { clock, secret, page, onServed, interposer, onDefect = () => undefined } = options;
  const { headersTimeoutMs = 10_000, requestTimeoutMs = 30_000 } = options;
  // Known from now on, even where the store can't be read any more.
  sandbox.timeMs();
  const { pid = 0 } = options;
  const watchers = watchersOf(sandbox, { clock, pid, onDefect });
  const group = groupCommits(sandbox, onDefect);
  const stopping = new AbortController();
  const unanswered = new Set<ServerResponse>();
  const unavailable = (): SandboxAnswer => unavailableAt(sandbox.timeMs());
  /** Something may have fallen due, or be new. */
  const changed = (): void => {
    dispatcher?.wake();
    watchers.tell();
  };
  const carryOut = (request: SandboxRequest): Promise<SandboxAnswer> =>
    new Promise((resolve, reject) => {
      if (stopping.signal.aborted) {
        reject(new Error('The sandbox is stopping: nothing was carried out.'));
        return;
      }
      group.add(request, (answer, defect) => {
        if (defect === null) resolve(answer);
        else reject(defect);
        changed();
      });
    });
  const limits = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1000, headersTimeoutMs),
    keepAliveTimeout: 65_000,
    // The handler checks Host itself, so that a missing one is answered with the envelope too.
    requireHostHeader: false,
  };
  const portOf = (listening: Server): number => (listening.address() as AddressInfo).port;
  const server = createServer(limits, (message, response) => {
    readRequest(message, (request, isCut) => {
      if (stopping.signal.aborted) {
        response.destroy();
        return;
      }
      const proof = secret === undefined ? null : answerProof(request, secret, portOf(server));
      const own = proof ?? (page === undefined ? null : answerPage(request, page));
      if (own !== null) {
        write(datedAnswer(own, sandbox.timeMs()), response, isCut);
        return;
      }
      if (watchers.take(request, response)) return;
      unanswered.add(response);
      response.on('close', () => unanswered.delete(response));
      const isSeen = !isReadByPage(request) && !isTraceless(request);
      if (onServed !== undefined && isSeen) watch(request, response, clock, onServed);
      const carrying = { clock, stopping: stopping.signal, attempted };
      if (interposer !== undefined && isSeen) {
        const arrived = { request, response, isCut };
        const ports = {
          ...carrying,
          carryOut,
          unavailable,
          onDefect,
          timeMs: sandbox.timeMs,
          spoilt: sandbox.spoilt,
        };
        void interpose(interposer, arrived, ports).finally(() => watchers.tell());
        return;
      }
      group.add(request, (answer) => {
        void carry(answer, response, isCut, carrying);
        changed();
      });
    });
  });
  server.on('clientError', (error, socket) => refuseBytes(error, socket, sandbox.timeMs()));
  server.on('connect', (_request, socket) => refuseTunnel(socket, sandbox.timeMs()));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    const refusal = refusalAnswer({ refusal: 'body_invalid', status: 417 });
    write(datedAnswer(refusal, sandbox.timeMs()), response, true);
  });
  await listen(server, options.port);
  const dispatcher =
    options.receivers === undefined
      ? null
      : startDispatcher(toldOf(sandbox.outbox, watchers), { transport: options.receivers, clock, onDefect });
  const attempted = dispatcher?.attempted ?? options.attempted ?? (() => Promise.resolve());
  return {
    port: portOf(server),
    unref: () => unrefServer(server),
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      group.flush();
      stopping.abort();
      watchers.close();
      const written = Promise.all([...unanswered].map(whenWritten));
      const grace = new AbortController();
      await Promise.race([written, clock.sleep(GRACE_MS, grace.signal).catch(() => undefined)]);
      grace.abort();
      server.closeAllConnections();
      await closed;
      await dispatcher?.close();
    },
  };
}

/** @param nowMs sandbox time */
function unavailableAt(nowMs: number): SandboxAnswer {
  return datedAnswer(refusalAnswer({ refusal: 'temporarily_unavailable' }), nowMs);
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', 1024, () => resolve());
  });
}

/** Called once the answer is durable; with the defect that made it a 503, else null. */
type Answered = (answer: SandboxAnswer, defect: Error | null) => void;

interface CommitGroup {
  /** Carries the request out with the others of this moment. */
  add(request: SandboxRequest, answer: Answered): void;
  /** Carries out at once what was added. */
  flush(): void;
}

/** @param onDefect called for every error that became a 503; the others of its group are not touched */
export function groupCommits(
  { handleAll, timeMs }: Pick<Sandbox, 'handleAll' | 'timeMs'>,
  onDefect: (error: Error) => void,
): CommitGroup {
  let waiting: { readonly request: SandboxRequest; readonly answer: Answered }[] = [];
  const flush = (): void => {
    const group = waiting;
    waiting = [];
    if (group.length === 0) return;
    const answers = handleAll(group.map(({ request }) => request));
    for (const [index, { answer }] of group.entries()) {
      const result = answers[index] ?? new Error('a request has an answer');
      if (!(result instanceof Error)) answer(result, null);
      else {
        onDefect(result);
        answer(unavailableAt(timeMs()), result);
      }
    }
  };
  return {
    add(request, answer) {
      waiting.push({ request, answer });
      if (waiting.length === 1) afterArrivals(flush);
    },
    flush,
  };
}
