import { Failure } from '../../runtime/failure.js';
import type { Output } from '../../runtime/streams.js';

export function readPort(text: string, flag = '--port'): number {
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : NaN;
  if (port <= 65_535) return port;
  throw new Failure('usage', `${flag} must be a whole number from 0 to 65535.`);
}

export function listenFailure(error: unknown, port: number, flag = '--port'): unknown {
  const { code } = error as { code?: unknown };
  if (code !== 'EADDRINUSE' && code !== 'EACCES') return error;
  const why = code === 'EADDRINUSE' ? 'is in use' : 'is not allowed';
  return new Failure('local_state', `Port ${port} ${why}. Use another one, or ${flag} 0 for a free one.`, {
    cause: error,
  });
}

/** Later lines are dropped, because a slow reader must not fill the memory. */
const WAITING_MAX = 1000;

export function lineLog(errors: Pick<Output, 'write'>, itemName: string): (line: string) => void {
  let waitingLines: string[] = [];
  let isWriting = false;
  let droppedCount = 0;
  const flush = async (): Promise<void> => {
    isWriting = true;
    while (waitingLines.length > 0) {
      const lines =
        droppedCount === 0 ? waitingLines : [...waitingLines, `(${String(droppedCount)} ${itemName} more)`];
      [waitingLines, droppedCount] = [[], 0];
      await errors.write(lines.map((line) => `${line}\n`).join('')).catch(() => undefined);
    }
    isWriting = false;
  };
  return (line) => {
    if (waitingLines.length < WAITING_MAX) waitingLines.push(line);
    else droppedCount += 1;
    if (!isWriting) void flush();
  };
}
