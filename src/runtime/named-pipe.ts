/**
 * Named pipes that somebody gave in the place of a file. They are opened without waiting for a writer and read by the loop, so that a signal is
 * heard meanwhile: an open that waits holds a thread, and with it the end of the process.
 */
import * as fs from 'node:fs';

/** By path. A pipe gives its bytes once, and a file is read as a whole. */
const held = new Map<string, Buffer>();

/** False also when `stat` fails: opening the file then says why. */
export function isNamedPipe(path: string): boolean {
  try {
    return fs.statSync(path, { throwIfNoEntry: false })?.isFIFO() === true;
  } catch {
    return false;
  }
}

export interface PipeReading extends AsyncIterable<Uint8Array> {
  /** Ends the waiting too. */
  close(): void;
}

/** Its end is the end of its last writer; before the first one came it has none. @throws the system's error */
export async function readNamedPipe(path: string): Promise<PipeReading> {
  const { O_RDONLY, O_NONBLOCK } = fs.constants;
  const fd = fs.openSync(path, O_RDONLY | O_NONBLOCK);
  const { Socket } = await import('node:net');
  const socket = new Socket({ fd, readable: true, writable: false });
  return {
    [Symbol.asyncIterator]: () => socket[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
    close: () => void socket.destroy(),
  };
}

/**
 * Reads the file where it is a named pipe; its bytes are `heldPipe` from then on.
 * @param maxBytes what is behind that is not read
 * @throws the signal's reason; the system's error
 */
export async function holdNamedPipe(path: string, maxBytes: number, signal: AbortSignal): Promise<void> {
  if (!held.has(path) && isNamedPipe(path)) held.set(path, await whole(path, maxBytes, signal));
}

/** What was read of it, or null where it was none. */
export function heldPipe(path: string): Buffer | null {
  return held.get(path) ?? null;
}

async function whole(path: string, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const pipe = await readNamedPipe(path);
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
