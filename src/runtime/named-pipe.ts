import * as fs from 'node:fs';

/** A pipe gives its bytes only once, so this map keeps them. */
const pipeContents = new Map<string, Buffer>();

export function isNamedPipe(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  } catch {
    return false;
  }
}

export async function openNamedPipe(path: string): Promise<AsyncIterable<Uint8Array> & { close(): void }> {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(path, O_RDONLY | O_NONBLOCK);
  const { Socket } = await import('node:net');
  const socket = new Socket({ fd, readable: true, writable: false });
  return {
    [Symbol.asyncIterator]: () => socket[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
    close: () => void socket.destroy(),
  };
}

export async function bufferNamedPipe(path: string, maxBytes: number, signal: AbortSignal): Promise<void> {
  if (!pipeContents.has(path) && isNamedPipe(path))
    pipeContents.set(path, await readWhole(path, maxBytes, signal));
}

export function bufferedPipe(path: string): Buffer | null {
  return pipeContents.get(path) ?? null;
}

async function readWhole(path: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const pipe = await openNamedPipe(path);
  const stop = (): void => pipe.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of pipe) {
      chunks.push(chunk);
      length += chunk.length;
      if (length >= maxBytes) break;
    }
  } catch (error) {
    throw signal.aborted ? (signal.reason as Error) : error;
  } finally {
    signal.removeEventListener('abort', stop);
    pipe.close();
  }
  if (signal.aborted) throw signal.reason as Error;
  return Buffer.concat(chunks).subarray(0, maxBytes);
}
