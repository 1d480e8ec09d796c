/** Reads requests from the connection, refuses malformed ones, and writes answers as their faults allow. */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../runtime/clock.js';
import { BODY_MAX_BYTES } from '../http/call.js';
import { putsState, STATE_MAX_BYTES } from '../control/call.js';
import { readyForState } from '../control/state.js';
import {
  datedAnswer,
  type HttpRefusal,
  refusalAnswer,
  type SandboxAnswer,
  type SandboxRequest,
} from '../message.js';

const NO_BODY = new Uint8Array();
/** How much of a body that was refused already is read and thrown away, so that its sender gets to see the refusal. */
const DISCARDED_MAX_BYTES = 16 * BODY_MAX_BYTES;

/** Calls `carryOut` once, unless the sender goes away before the request is whole. `isCut`: there is more that was not read. */
export function readRequest(
  message: IncomingMessage,
  carryOut: (request: SandboxRequest, isCut: boolean) => void,
): void {
  const isState = putsState(message.method ?? '', message.url ?? '');
  const done = (request: SandboxRequest, isCut: boolean): void => {
    if (isState)
      readyForState().then(
        () => carryOut(request, isCut),
        () => message.destroy(),
      );
    else carryOut(request, isCut);
  };
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (encoding === undefined && (length === undefined || length === '0')) {
    done(requestOf(message, NO_BODY), false);
    return;
  }
  let chunks: Buffer[] = [];
  let received = 0;
  let isDone = false;
  // A state is as large as what is kept in it.
  const most = isState ? STATE_MAX_BYTES : BODY_MAX_BYTES;
  message.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (isDone) {
      if (received > Math.max(DISCARDED_MAX_BYTES, 2 * most)) message.destroy();
      return;
    }
    chunks.push(chunk);
    if (received <= most) return;
    isDone = true;
    done(requestOf(message, Buffer.concat(chunks)), true);
    chunks = [];
  });
  message.on('end', () => {
    if (isDone) return;
    const [first = NO_BODY] = chunks;
    done(requestOf(message, chunks.length > 1 ? Buffer.concat(chunks) : first), false);
  });
}

function requestOf({ method = '', url = '', rawHeaders }: IncomingMessage, body: Uint8Array): SandboxRequest {
  const headers: (readonly [string, string])[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  }
  return { method, target: url, headers, body };
}

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers a connection whose bytes are no request, or too slow, or too much, and closes it. @param nowMs sandbox time */
export function refuseBytes(error: Error, socket: Duplex, nowMs: number): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseSocket({ refusal: 'body_invalid', status: STATUS_BY_CODE[code ?? ''] ?? 400 }, socket, nowMs);
}

/**
 * `CONNECT` asks for a tunnel; this is no proxy. Node hands the connection over without a listener for its errors, and a client that
 * goes away would end the whole server with one. @param nowMs sandbox time
 */
export function refuseTunnel(socket: Duplex, nowMs: number): void {
  socket.on('error', () => socket.destroy());
  refuseSocket({ refusal: 'method_not_allowed', headers: { Allow: 'GET, POST' } }, socket, nowMs);
}

function refuseSocket(refusal: HttpRefusal, socket: Duplex, nowMs: number): void {
  const { status, headers, body } = datedAnswer(refusalAnswer(refusal), nowMs);
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ];
  socket.end(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]), () => socket.destroy());
}

export interface CarryPorts {
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  /** Resolves when these deliveries were attempted. */
  readonly whenAttempted: (ids: readonly string[]) => Promise<void>;
}

/** Sends an answer the way its fault lets it: at once, late, or never. */
export async function carry(
  answer: SandboxAnswer,
  response: ServerResponse,
  isCut: boolean,
  { clock, stopping, whenAttempted }: CarryPorts,
): Promise<void> {
  const { interference, deliveredFirst } = answer;
  if (deliveredFirst !== undefined) await Promise.race([whenAttempted(deliveredFirst), aborted(stopping)]);
  if (interference?.kind === 'delay') {
    await clock.sleep(interference.delayMs, stopping).catch(() => undefined);
  }
  if (interference?.kind === 'silent') await Promise.race([whenWritten(response), aborted(stopping)]);
  if (interference === null || interference.kind === 'delay') write(answer, response, isCut);
  else if (interference.kind === 'truncated') writeHalf(answer, response);
  else response.destroy();
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** @param closes where the request was not read to its end, so that nothing can follow on the connection */
export function write(
  { status, headers, body }: SandboxAnswer,
  response: ServerResponse,
  closes: boolean,
): void {
  if (closes) response.setHeader('Connection', 'close');
  // The answer has its own: the time of the sandbox.
  response.sendDate = false;
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

/** The whole head, the first half of the body, and an end where more was promised. */
export function writeHalf({ status, headers, body }: SandboxAnswer, response: ServerResponse): void {
  response.sendDate = false;
  response.writeHead(status, { ...headers, 'Content-Length': Math.max(body.length, 1) });
  const half = body.subarray(0, Math.floor(body.length / 2));
  if (half.length === 0) response.flushHeaders();
  else response.write(half);
  response.socket?.destroySoon();
}

/** Resolves once the answer was handed over, or cannot be any more. */
export function whenWritten(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve();
    else response.once('close', () => resolve()).once('finish', () => resolve());
  });
}

/** A request as the server saw it. */
export interface Served {
  readonly method: string;
  /** As it was sent, with its query. */
  readonly target: string;
  /** Null where the connection was cut without an answer. */
  readonly status: number | null;
  readonly tookMs: number;
}

export type OnServed = (served: Served) => void;

/** Tells of the request when its answer is over; it counts from now. */
export function watch(
  { method, target }: SandboxRequest,
  response: ServerResponse,
  clock: Clock,
  onServed: OnServed,
): void {
  const startedMs = clock.monotonic();
  response.once('close', () => {
    const status = response.writableFinished ? response.statusCode : null;
    onServed({ method, target, status, tookMs: clock.monotonic() - startedMs });
  });
}
