import { describe, expect, it } from 'vitest';
import type { Interference, SandboxAnswer, SandboxRequest } from '../../src/sandbox/message.js';
import { NotAnswered } from '../../src/runtime/transport.js';
import { sandboxTransport } from '../../src/sandbox/sandbox.js';
import { fakeClock } from './support/clock.js';

const ANSWER = { status: 200, headers: { Allow: 'GET' }, body: Buffer.from('{}'), interference: null };
const LIMIT = { timeoutMs: 30_000 };

function recording(answer: Partial<SandboxAnswer> = {}) {
  const seen: SandboxRequest[] = [];
  const handle = (request: SandboxRequest): SandboxAnswer => {
    seen.push(request);
    return { ...ANSWER, ...answer };
  };
  return { seen, handle };
}

const request = { method: 'GET', url: 'http://localhost/sandbox/v2/balances', headers: {}, body: null };

describe('a request', () => {
  it.each([
    ['http://localhost/sandbox/v2/balances', 'localhost', '/sandbox/v2/balances'],
    ['http://127.0.0.1:4010/v2/events?x=a%2Fb&limit=1', '127.0.0.1:4010', '/v2/events?x=a%2Fb&limit=1'],
    ['http://localhost//v2/../x%2F', 'localhost', '//v2/../x%2F'],
    ['http://localhost', 'localhost', '/'],
    ['http://localhost?x=1', 'localhost', '/?x=1'],
  ])('to %s', async (url, host, target) => {
    const { seen, handle } = recording();
    const asked = { ...request, url, headers: { accept: 'x', host: 'evil' } };
    await sandboxTransport({ handle }, fakeClock())(asked, LIMIT);
    const headers = Object.entries({ host, accept: 'x' });
    expect(seen).toEqual([{ method: 'GET', target, headers, body: new Uint8Array() }]);
  });

  it('brings back status, headers and body', async () => {
    const answer = await sandboxTransport(recording(), fakeClock())(request, LIMIT);
    expect(answer).toEqual({ status: 200, headers: [['Allow', 'GET']], body: Buffer.from('{}') });
  });
});

describe('what goes wrong', () => {
  it.each([
    ['drop-before', 'reset'],
    ['drop-after', 'reset'],
    ['truncated', 'truncated'],
  ] as const)('%s is no answer: %s', async (kind, reason) => {
    const { handle, seen } = recording({ interference: { kind } });
    const sending = sandboxTransport({ handle }, fakeClock())(request, LIMIT);
    const failure = await sending.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(NotAnswered);
    expect(failure).toMatchObject({ reason, wasSent: true });
    expect(seen).toHaveLength(1);
  });

  it.each<Interference>([{ kind: 'silent' }, { kind: 'delay', delayMs: 60_000 }])(
    '%o is a timeout at the limit',
    async (interference) => {
      const clock = fakeClock();
      const { handle } = recording({ interference });
      const answer = sandboxTransport({ handle }, clock)(request, LIMIT);
      clock.advance(30_000);
      await expect(answer).rejects.toMatchObject({ reason: 'timeout', wasSent: true });
    },
  );

  it('a delay passes on the clock', async () => {
    const clock = fakeClock();
    const { handle } = recording({ interference: { kind: 'delay', delayMs: 5000 } });
    let isAnswered = false;
    const answer = sandboxTransport({ handle }, clock)(request, LIMIT).then(() => (isAnswered = true));
    clock.advance(4999);
    await Promise.resolve();
    expect(isAnswered).toBe(false);
    clock.advance(1);
    expect(await answer).toBe(true);
  });

  it('a signal during a delay stops it; one from before sends nothing', async () => {
    const { handle, seen } = recording({ interference: { kind: 'delay', delayMs: 60_000 } });
    const stop = new AbortController();
    const transport = sandboxTransport({ handle }, fakeClock());
    const answer = transport(request, { ...LIMIT, signal: stop.signal });
    stop.abort();
    await expect(answer).rejects.toMatchObject({ reason: 'aborted', wasSent: true });
    const late = transport(request, { ...LIMIT, signal: stop.signal });
    await expect(late).rejects.toMatchObject({ reason: 'aborted', wasSent: false });
    expect(seen).toHaveLength(1);
  });
});
