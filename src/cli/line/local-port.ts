/** The port of a server on this machine: as it was typed, and why it can't be had. */
import { Failure } from '../../runtime/failure.js';

/** @throws Failure `usage` */
export function readPort(text: string): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new Failure('usage', '--port is a whole number from 0 to 65535.');
}

/** What to say for the error of a server that could not listen; any other error is returned unchanged. */
export function notListening(error: unknown, port: number): unknown {
  const { code } = error as { code?: unknown };
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const why = code === 'EADDRINUSE' ? 'is taken' : 'is not allowed';
  return new Failure('local_state', `Port ${port} ${why}. Give another: --port 0 picks a free one.`, {
    cause: error,
  });
}
