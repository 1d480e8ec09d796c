/** Writes answers to the wire, the way their faults let them. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import type { SandboxAnswer } from '../message.js';

/** Sends an answer the way its fault lets it: at once, late, or never. */
export async function carry(
  answer: SandboxAnswer,
  response: ServerResponse,
  isCut: boolean,
  clock: Clock,
  stopping: AbortSignal,
): Promise<void> {
  const { interference } = answer;
  if (interference?.kind === 'delay') {
    await clock.sleep(interference.delayMs, stopping).catch(() => undefined);
  }
  if (interference === null || interference.kind === 'delay') write(answer, response, isCut);
  else response.destroy();
}

/** @param closes where the request was not read to its end, so that nothing can follow on the connection */
export function write(
  { status, headers, body }: SandboxAnswer,
  response: ServerResponse,
  closes: boolean,
): void {
  if (closes) response.setHeader('Connection', 'close');
  // The answer has its own: the time of the sandbox.
  response.sendDate = false;
  response.writeHead(status, { ...headers, 'Content-Length': body.length });
  response.end(body);
}

/** Resolves once the answer was handed over, or cannot be any more. */
export function whenWritten(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve();
    else response.once('close', () => resolve()).once('finish', () => resolve());
  });
}
