import { createHmac } from 'node:crypto';
import { NotAnswered, type Transport } from '../../../src/runtime/transport.js';

export interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly spelled: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

export type Reaction = number | 'dead' | 'silent';

export function receiver(react: (request: Received, before: number) => Reaction = () => 204) {
  const received: Received[] = [];
  const waiting = new Map<(error: NotAnswered) => void, string>();
  let most = 0;
  let isDead = false;
  const transport: Transport = async (request, { timeoutMs, signal }) => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const one = { url: request.url, headers, spelled: request.headers, body: request.body!, timeoutMs };
    const reaction = react(one, received.length);
    received.push(one);
    await new Promise((resolve) => setImmediate(resolve));
    if (isDead || reaction === 'dead')
      throw new NotAnswered('connect', false, 'no program listens at 127.0.0.1:9');
    if (typeof reaction === 'number') return { status: reaction, headers: [], body: new Uint8Array() };
    return new Promise((_, reject) => {
      waiting.set(reject, request.url);
      most = Math.max(most, waiting.size);
      signal?.addEventListener('abort', () => {
        waiting.delete(reject);
        reject(new NotAnswered('aborted', true, 'interrupted'));
      });
    });
  };
  const timeOut = (wanted?: string): void => {
    for (const [reject, url] of [...waiting]) {
      if (wanted !== undefined && url !== wanted) continue;
      waiting.delete(reject);
      reject(new NotAnswered('timeout', true, 'no complete answer within 10000 ms'));
    }
  };
  const die = (): void => {
    isDead = true;
    timeOut();
  };
  return { transport, received, waiting: () => waiting.size, mostWaiting: () => most, timeOut, die };
}

export const signatureOf = ({ headers, body }: Received, secret: string): string =>
  `v1=${createHmac('sha256', secret).update(`${headers['x-timestamp']!}.`).update(body).digest('hex')}`;

const MOST_TURNS = 5000;

export async function until(isSo: () => boolean | Promise<boolean>, what = 'what was waited for') {
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${what} did not come`);
}

export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
