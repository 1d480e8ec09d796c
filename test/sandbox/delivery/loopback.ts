/** Receivers that listen on loopback: what a real one does to a delivery, well or badly. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { serving } from '../../support/serving.js';

export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values by turns, as they stood on the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

/** Listens until the test ends. @param answer may leave the answer open, or destroy the connection */
export async function listener(
  answer: (response: ServerResponse, request: Arrived) => void = (response) => response.writeHead(200).end(),
  port = 0,
) {
  const arrived: Arrived[] = [];
  const waiting = new Set<() => void>();
  const { url, stop } = await serving((request, response, body) => {
    const { method = '', url: target = '', headers, rawHeaders } = request;
    const one = { method, url: target, headers, rawHeaders, body };
    arrived.push(one);
    answer(response, one);
    for (const check of waiting) check();
  }, port);
  onTestFinished(stop);
  return {
    url: `${url}/hooks`,
    arrived,
    /** Resolves once that many deliveries arrived. */
    count: (wanted: number) =>
      new Promise<void>((resolve) => {
        const check = (): void => {
          if (arrived.length < wanted) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
