/** Lines on standard error about what arrives at a server, written while it goes on with its work. */
import type { Output } from '../../runtime/streams.js';

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
