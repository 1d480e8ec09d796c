/** Writes answers to the wire, the way their faults let them, and tells of a request once its answer was written or its connection was cut. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import type { SandboxAnswer, SandboxRequest } from '../message.js';

/** Sends an answer the way its fault lets it: at once, late, or never. */
export async function carry(
  answer: SandboxAnswer,
  response: ServerResponse,
  isCut: boolean,
  { clock, stopping }: { readonly clock: Clock; readonly stopping: AbortSignal },
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

/** A request as the server saw it. */
export interface Served {
  readonly method: string;
  /** As it was sent, with its query. */
  readonly target: string;
  /** Null where the connection was cut without an answer. */
  readonly status: number | null;
  readonly tookMs: number;
}

export type OnServed = (served: Served) => void;

/** Tells of the request when its answer is over; it counts from now. */
export function watch(
  { method, target }: SandboxRequest,
  response: ServerResponse,
  clock: Clock,
  onServed: OnServed,
): void {
  const startedMs = clock.monotonic();
  response.once('close', () => {
    const status = response.writableFinished ? response.statusCode : null;
    onServed({ method, target, status, tookMs: clock.monotonic() - startedMs });
  });
}
