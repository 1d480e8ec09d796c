/** What became of a request on the wire: told once its answer was written, or its connection was cut. */
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../runtime/clock.js';
import type { SandboxRequest } from '../message.js';

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
