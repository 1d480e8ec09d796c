/** Answers what never becomes a request: what Node's parser refuses, tunnels, and expectations; always with the envelope. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { datedAnswer, refusalAnswer, type HttpRefusal } from '../http/answer.js';

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
