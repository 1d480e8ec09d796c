/** A receiver of webhooks without a network: it notes what reaches it and answers as it is told. */
import { createHmac } from 'node:crypto';
import { NotAnswered, type Transport } from '../../../src/runtime/transport.js';

export interface Received {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** With their names as they were sent. */
  readonly spelled: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly timeoutMs: number;
}

/** A status, a receiver that is dead, or one that says nothing until it is cut. */
export type Reaction = number | 'dead' | 'silent';

/** @param react asked for each delivery that arrives, with how many came before it */
export function receiver(react: (request: Received, before: number) => Reaction = () => 204) {
  const received: Received[] = [];
  const waiting = new Map<(error: NotAnswered) => void, string>();
  let most = 0;
  let isDead = false;
  const transport: Transport = async (request, { timeoutMs, signal }) => {
    // As Node reads them.
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const one = { url: request.url, headers, spelled: request.headers, body: request.body!, timeoutMs };
    const reaction = react(one, received.length);
    received.push(one);
    // A network takes at least a turn.
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
  /** Lets the silent ones of a url fail, as after ten seconds. */
  const timeOut = (wanted?: string): void => {
    for (const [reject, url] of [...waiting]) {
      if (wanted !== undefined && url !== wanted) continue;
      waiting.delete(reject);
      reject(new NotAnswered('timeout', true, 'no complete answer within 10000 ms'));
    }
  };
  /** Is dead from now on, and lets go of all who wait. */
  const die = (): void => {
    isDead = true;
    timeOut();
  };
  return { transport, received, waiting: () => waiting.size, mostWaiting: () => most, timeOut, die };
}

/** The signature of what was received, as the documents tell a receiver to make it. */
export const signatureOf = ({ headers, body }: Received, secret: string): string =>
  `v1=${createHmac('sha256', secret).update(`${headers['x-timestamp']!}.`).update(body).digest('hex')}`;

const MOST_TURNS = 5000;

/** Lets the event loop turn until something is so. No time passes but what that takes. */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  what = 'what was waited for',
): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`${what} did not come`);
}

/** Lets the event loop turn often enough for anything that was going to happen. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
