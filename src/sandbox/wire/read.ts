/**
 * Reads a request off the wire, its body whole or as much of it as shows that it is too large; and answers what never becomes a request,
 * always with the envelope.
 */
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { datedAnswer, refusalAnswer, type HttpRefusal } from '../http/answer.js';
import { BODY_MAX_BYTES } from '../http/body.js';
import type { SandboxRequest } from '../message.js';

const NO_BODY = new Uint8Array();
/** How much of a body that was refused already is read and thrown away, so that its sender gets to see the refusal. */
const DISCARDED_MAX_BYTES = 16 * BODY_MAX_BYTES;

/** Calls `done` once, unless the sender goes away before the request is whole. `isCut`: there is more that was not read. */
export function readRequest(
  message: IncomingMessage,
  done: (request: SandboxRequest, isCut: boolean) => void,
): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = message.headers;
  if (encoding === undefined && (length === undefined || length === '0')) {
    done(requestOf(message, NO_BODY), false);
    return;
  }
  let chunks: Buffer[] = [];
  let received = 0;
  let isDone = false;
  message.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (isDone) {
      if (received > DISCARDED_MAX_BYTES) message.destroy();
      return;
    }
    chunks.push(chunk);
    if (received <= BODY_MAX_BYTES) return;
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
