/** Reads a request off the wire: headers as sent, the body whole or as much of it as shows that it is too large. */
import type { IncomingMessage } from 'node:http';
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
