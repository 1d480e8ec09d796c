import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../runtime/clock.js';
import { BODY_MAX_BYTES } from '../http/call.js';
import { isStateUpload, STATE_MAX_BYTES } from '../control/call.js';
import { loadStateReader } from '../control/state.js';
import { datedAnswer, refusalAnswer } from '../message.js';
import type { HttpRefusal, SandboxAnswer, SandboxRequest } from '../message.js';

const NO_BODY = new Uint8Array();
const DISCARDED_MAX_BYTES = 16 * BODY_MAX_BYTES;

/** `isCut` means that not all bytes of the body were read. */
export function readRequest(
  message: IncomingMessage,
  carryOut: (request: SandboxRequest, isCut: boolean) => void,
): void {
  const isState = isStateUpload(message.method ?? '', message.url ?? '');
  const finish = (request: SandboxRequest, isCut: boolean): void => {
    if (isState)
      loadStateReader().then(
        () => carryOut(request, isCut),
        () => message.destroy(),
      );
    else carryOut(request, isCut);
  };
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (encoding === undefined && (length === undefined || length === '0')) {
    finish(requestOf(message, NO_BODY), false);
    return;
  }
  let chunks: Buffer[] = [];
  let receivedBytes = 0;
  let isDone = false;
  const bytesMax = isState ? STATE_MAX_BYTES : BODY_MAX_BYTES;
  message.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (isDone) {
      if (receivedBytes > Math.max(DISCARDED_MAX_BYTES, 2 * bytesMax)) message.destroy();
      return;
    }
    chunks.push(chunk);
    if (receivedBytes <= bytesMax) return;
    isDone = true;
    finish(requestOf(message, Buffer.concat(chunks)), true);
    chunks = [];
  });
  message.on('end', () => {
    if (isDone) return;
    const [first = NO_BODY] = chunks;
    finish(requestOf(message, chunks.length > 1 ? Buffer.concat(chunks) : first), false);
  });
}

export function requestOf(message: IncomingMessage, body: Uint8Array): SandboxRequest {
  const { method = '', url = '', rawHeaders } = message;
  const headers: (readonly [string, string])[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    headers.push([rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '']);
  return { method, target: url, headers, body };
}

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

export function refuseBytes(error: Error, socket: Duplex, nowMs: number): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  refuseSocket({ refusal: 'body_invalid', status: STATUS_BY_CODE[code ?? ''] ?? 400 }, socket, nowMs);
}

/** Node gives this socket no error listener, and an error without a listener would end the server. */
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

export interface AnswerPorts {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  readonly whenAttempted: (ids: readonly string[]) => Promise<void>;
}

export async function sendAnswer(
  answer: SandboxAnswer,
  response: ServerResponse,
  isCut: boolean,
  { clock, stop, whenAttempted }: AnswerPorts,
): Promise<void> {
  const { interference, deliveryIds } = answer;
  if (deliveryIds !== undefined) await Promise.race([whenAttempted(deliveryIds), whenAborted(stop)]);
  if (interference?.kind === 'delay') await clock.sleep(interference.delayMs, stop).catch(() => undefined);
  if (interference?.kind === 'silent') await Promise.race([whenWritten(response), whenAborted(stop)]);
  if (interference === null || interference.kind === 'delay') writeAnswer(answer, response, isCut);
  else if (interference.kind === 'truncated') writeHalf(answer, response);
  else response.destroy();
}

export const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

export function writeAnswer(answer: SandboxAnswer, response: ServerResponse, closes: boolean): void {
  const { status, headers, body } = answer;
  if (closes) response.setHeader('Connection', 'close');
  response.sendDate = false;
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

export function writeHalf({ status, headers, body }: SandboxAnswer, response: ServerResponse): void {
  response.sendDate = false;
  response.writeHead(status, { ...headers, 'Content-Length': Math.max(body.length, 1) });
  const half = body.subarray(0, Math.floor(body.length / 2));
  if (half.length === 0) response.flushHeaders();
  else response.write(half);
  response.socket?.destroySoon();
}

export const whenWritten = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve();
    else response.once('close', () => resolve()).once('finish', () => resolve());
  });

export interface ServedRequest {
  readonly method: string;
  readonly target: string;
  readonly status: number | null;
  readonly tookMs: number;
}

export type OnServed = (request: ServedRequest) => void;

export function reportServed(
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
