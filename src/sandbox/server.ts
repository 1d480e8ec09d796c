/** The sandbox over HTTP: a thin adapter on loopback between Node's server and the handler. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../runtime/clock.js';
import { refusalAnswer } from './http/answer.js';
import type { SandboxAnswer } from './message.js';
import type { Sandbox } from './sandbox.js';
import { groupCommits } from './wire/group.js';
import { readRequest } from './wire/read.js';
import { refuseBytes, refuseTunnel } from './wire/refuse.js';

export interface ServeOptions {
  /** 0 picks a free one. */
  readonly port: number;
  readonly clock: Clock;
  /** Told about every error that became a 503: a defect, or a store that cannot be used. */
  readonly onDefect?: (error: Error) => void;
}

export interface Serving {
  readonly port: number;
  /** Answers what arrived whole, cuts everything else, and resolves when every connection is closed. */
  close(): Promise<void>;
}

/** Slow senders are cut off; the connections of idle clients stay open for a while. */
const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1000,
};

/**
 * Listens on 127.0.0.1. The sandbox stays the caller's to close, after the server.
 * @throws the system's error where the port is taken (`EADDRINUSE`)
 */
export async function serve(sandbox: Sandbox, options: ServeOptions): Promise<Serving> {
  const { clock, onDefect = () => undefined } = options;
  const group = groupCommits(sandbox, onDefect);
  const stopping = new AbortController();
  const unanswered = new Set<ServerResponse>();
  // The handler checks Host itself, so that a missing one is answered with the envelope too.
  const server = createServer({ ...LIMITS, requireHostHeader: false }, (message, response) => {
    readRequest(message, (request, isCut) => {
      unanswered.add(response);
      response.on('close', () => unanswered.delete(response));
      group.add(request, (answer) => void carry(answer, response, isCut, clock, stopping.signal));
    });
  });
  server.on('clientError', refuseBytes);
  server.on('connect', (_request, socket) => refuseTunnel(socket));
  server.on('checkExpectation', (_request, response: ServerResponse) => {
    write(refusalAnswer({ refusal: 'body_invalid', status: 417 }), response, true);
  });
  await listen(server, options.port);
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      group.flush();
      stopping.abort();
      await Promise.all([...unanswered].map(whenWritten));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', 1024, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Sends an answer the way its fault lets it: at once, late, or never. */
async function carry(
  answer: SandboxAnswer,
  response: ServerResponse,
  isCut: boolean,
  clock: Clock,
  stopping: AbortSignal,
): Promise<void> {
  const { interference } = answer;
  if (interference?.kind === 'delay') {
    await clock.sleep(interference.delayMs, stopping).catch(() => undefined);
  }
  if (interference === null || interference.kind === 'delay') write(answer, response, isCut);
  else response.destroy();
}

/** @param closes where the request was not read to its end, so that nothing can follow on the connection */
function write({ status, headers, body }: SandboxAnswer, response: ServerResponse, closes: boolean): void {
  if (closes) response.setHeader('Connection', 'close');
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

function whenWritten(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve();
    else response.once('close', () => resolve()).once('finish', () => resolve());
  });
}
