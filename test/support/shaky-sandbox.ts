/** A sandbox behind a line that loses requests or answers, so that the client may not see what the service carried out. */
import { openSandbox, type Sandbox, sandboxTransport } from '../../src/sandbox/sandbox.js';
import { type Clock, systemRandom } from '../../src/runtime/clock.js';
import { NotAnswered } from '../../src/runtime/transport.js';
import type { HttpAnswer, HttpRequest, Transport } from '../../src/runtime/transport.js';

export type Fate =
  | 'answered'
  | 'lost-after'
  | 'lost-before'
  | 'refused'
  | {
      readonly status: number;
      readonly body: string | object;
      readonly headers?: Readonly<Record<string, string>>;
    };

export const NOT_ARRIVED: readonly Fate[] = ['lost-before', 'lost-before', 'lost-before'];
export const LOST: readonly Fate[] = ['lost-after', 'lost-after', 'lost-after'];
export const UNAVAILABLE = Array<Fate>(3).fill(refusal(503, 'temporarily_unavailable'));

export interface ShakySandbox {
  readonly sandbox: Sandbox;
  readonly transport: Transport;
  readonly env: Readonly<Record<string, string>>;
  /** After the given fates, every POST is answered. */
  next(...fates: readonly Fate[]): void;
  readonly posts: HttpRequest[];
  onPost: (request: HttpRequest) => unknown;
  /** The signal aborts after this many POSTs, as if the machine went down. */
  stopAt(posts: number): AbortSignal;
  ledger(key?: string): Promise<Readonly<Record<string, number>>>;
}

export const ADDRESS = 'http://localhost:4010';

export function shakySandbox(clock: Clock, store = ':memory:'): ShakySandbox {
  const sandbox = openSandbox({ store, clock, random: systemRandom });
  const line = sandboxTransport(sandbox, clock);
  const fates: Fate[] = [];
  const posts: HttpRequest[] = [];
  const shaky: ShakySandbox = {
    sandbox,
    posts,
    onPost: () => undefined,
    stopAt: (count) => {
      const stopping = new AbortController();
      shaky.onPost = () => {
        if (posts.length === count) stopping.abort(new Error('the machine goes down'));
      };
      return stopping.signal;
    },
    env: { SVC_BASE_URL: ADDRESS, SVC_API_KEY: sandbox.apiKey },
    next: (...more) => void fates.splice(0, fates.length, ...more),
    transport: async (request, options) => {
      const isControl = new URL(request.url).pathname.startsWith('/_control/');
      if (request.method !== 'POST' || isControl) return line(request, options);
      const isStopped = (): boolean => options.signal?.aborted === true;
      if (isStopped()) throw new NotAnswered('aborted', false, 'stopped');
      posts.push(request);
      await shaky.onPost(request);
      if (isStopped()) throw new NotAnswered('aborted', true, 'stopped');
      return suffer(fates.shift() ?? 'answered', () => line(request, options));
    },
    ledger: async (key = sandbox.apiKey) => {
      const headers = { authorization: `Bearer ${key}` };
      const url = `${ADDRESS}${key.startsWith('svc_live') ? '' : '/sandbox'}/v2/events?limit=200`;
      const { body } = await line({ method: 'GET', url, headers, body: null }, { timeoutMs: 1000 });
      const { events } = JSON.parse(Buffer.from(body).toString('utf8')) as {
        events: { data: { reference?: string } }[];
      };
      const counts: Record<string, number> = {};
      for (const { data } of events) counts[data.reference ?? ''] = (counts[data.reference ?? ''] ?? 0) + 1;
      return counts;
    },
  };
  return shaky;
}

async function suffer(fate: Fate, carryOut: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  if (fate === 'answered') return carryOut();
  if (fate === 'refused') throw new NotAnswered('connect', false, 'connection refused');
  if (fate === 'lost-before') throw new NotAnswered('reset', true, 'the connection was cut');
  if (fate === 'lost-after') {
    await carryOut();
    throw new NotAnswered('reset', true, 'the connection was cut');
  }
  const text = typeof fate.body === 'string' ? fate.body : JSON.stringify(fate.body);
  const headers = Object.entries({ 'content-type': 'application/json', ...fate.headers });
  return { status: fate.status, headers, body: Buffer.from(text) };
}

export function refusal(status: number, code: string, details?: readonly object[]): Fate {
  return { status, body: { error: { code, message: 'Said by the service.', ...(details && { details }) } } };
}

export function liveKey(shaky: ShakySandbox): Promise<string> {
  return keyOf(shaky, 'default', 'live');
}

export async function keyOf(
  { transport }: ShakySandbox,
  company: string,
  environment: 'sandbox' | 'live',
  scopes?: readonly string[],
): Promise<string> {
  const request = {
    method: 'POST' as const,
    url: `${ADDRESS}/_control/keys`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ company, environment, ...(scopes && { scopes }) })),
  };
  const { body } = await transport(request, { timeoutMs: 1000 });
  return (JSON.parse(Buffer.from(body).toString('utf8')) as { api_key: string }).api_key;
}
