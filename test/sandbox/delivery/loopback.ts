import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import { serving } from '../../support/serving.js';

export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

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
