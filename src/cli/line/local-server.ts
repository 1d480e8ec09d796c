/**
 * A server on this machine as every command that runs one needs it: its port as it was typed, why it can't be had, and lines about what
 * arrives.
 */
import { Failure } from '../../runtime/failure.js';
import type { Output } from '../../runtime/streams.js';

/** @throws Failure `usage` */
export function readPort(text: string, flag = '--port'): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new Failure('usage', `${flag} must be a whole number from 0 to 65535.`);
}

/** What to say for the error of a server that could not listen; any other error is returned unchanged. */
export function notListening(error: unknown, port: number, flag = '--port'): unknown {
  const { code } = error as { code?: unknown };
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const why = code === 'EADDRINUSE' ? 'is in use' : 'is not allowed';
  return new Failure('local_state', `Port ${port} ${why}. Use another one, or ${flag} 0 for a free one.`, {
    cause: error,
  });
}

/** What waits while nobody reads is bounded: a reader who is slow or gone costs lines, and never the server its memory. */
const WAITING_MAX = 1000;

/**
 * @param what the lines are about, for the count of those that were left out: "(12 requests more)"
 * @returns takes a line without its end; it never throws
 */
export function lineLog(errors: Pick<Output, 'write'>, what: string): (line: string) => void {
  let waiting: string[] = [];
  let isWriting = false;
  let left = 0;
  const flush = async (): Promise<void> => {
    isWriting = true;
    while (waiting.length > 0) {
      const lines = left === 0 ? waiting : [...waiting, `(${String(left)} ${what} more)`];
      [waiting, left] = [[], 0];
      await errors.write(lines.map((line) => `${line}\n`).join('')).catch(() => undefined);
    }
    isWriting = false;
  };
  return (line) => {
    if (waiting.length < WAITING_MAX) waiting.push(line);
    else left += 1;
    if (!isWriting) void flush();
  };
}
