import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.js';
import { ask, PAYOUT } from '../store/request.js';
import { answersIn, dial, exchange, openServer, requestText, type Answer } from './wire.js';

const BODY = JSON.stringify(PAYOUT);

function payoutText(apiKey: string, key: string, ...headers: readonly string[]): string {
  const all = [`Authorization: Bearer ${apiKey}`, `Idempotency-Key: ${key}`, ...headers];
  return requestText('POST', '/sandbox/v2/payouts', all, BODY);
}

function idOf({ body }: Answer): string {
  return (JSON.parse(body) as { id: string }).id;
}

describe('connections', () => {
  it('answers what is sent on one of them in order', async () => {
    const { server, sandbox } = await openServer();
    const texts = ['a', 'b', 'c'].map((name) => payoutText(sandbox.apiKey, `key-number-${name}`));
    const last = payoutText(sandbox.apiKey, 'key-number-a', 'Connection: close');
    const answers = await exchange(server.port, [...texts, last].join(''));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const [a, b, c, again] = answers.map(idOf);
    expect(again).toBe(a);
    expect(new Set([a, b, c]).size).toBe(3);
  });

  it('one that goes away in the middle of its body carries nothing out', async () => {
    const { server, sandbox } = await openServer();
    const text = payoutText(sandbox.apiKey, 'key-of-the-test');
    const { socket, ended } = dial(server.port);
    socket.write(text.slice(0, -1));
    socket.end();
    await ended;
    expect(ask(sandbox, 'GET', '/v2/events').json.events).toEqual([]);
  });
});

describe('faults on the wire', () => {
  it('silent says nothing until the client leaves; another is answered meanwhile', async () => {
    const clock = fakeClock();
    const { server, sandbox } = await openServer({ clock });
    ask(sandbox, 'POST', '/_control/faults', { route: 'payouts.create', kind: 'silent' });
    const { socket, received } = dial(server.port);
    socket.write(payoutText(sandbox.apiKey, 'key-of-the-test'));
    const close = 'Connection: close';
    const [other] = await exchange(server.port, payoutText(sandbox.apiKey, 'key-of-another', close));
    clock.advance(86_400_000);
    const [again] = await exchange(server.port, payoutText(sandbox.apiKey, 'key-of-the-test', close));
    expect([other?.status, again?.status, received()]).toEqual([201, 201, '']);
    expect(ask(sandbox, 'GET', '/v2/events').json.events).toHaveLength(2);
    socket.destroy();
  });
});

describe('the end', () => {
  it('answers what arrived whole, held back or not, and cuts the rest', async () => {
    const { server, sandbox } = await openServer();
    ask(sandbox, 'POST', '/_control/faults', { route: 'payouts.create', kind: 'delay', delay_ms: 3_600_000 });
    const held = dial(server.port);
    held.socket.write(payoutText(sandbox.apiKey, 'key-of-the-held'));
    const partial = dial(server.port);
    partial.socket.write(payoutText(sandbox.apiKey, 'key-of-the-part').slice(0, -5));
    const idle = dial(server.port);
    idle.socket.write(requestText('GET', '/sandbox/v2/methods', [`Authorization: Bearer ${sandbox.apiKey}`]));
    // When the later request is answered, the held request has arrived.
    await exchange(server.port, payoutText(sandbox.apiKey, 'key-of-the-next', 'Connection: close'));
    await server.close();
    const [answer] = answersIn(await held.ended);
    expect(answer?.status).toBe(201);
    expect(await partial.ended).toBe('');
    expect(answersIn(await idle.ended).map(({ status }) => status)).toEqual([200]);
    const ids = ask(sandbox, 'GET', '/v2/events').json.events.map(({ data }) => data.id);
    expect(ids).toHaveLength(2);
    expect(ids).toContain(idOf(answer!));
    await expect(openSocket(server.port)).rejects.toThrow('ECONNREFUSED');
  });

  it('waits for no request that gets no answer', async () => {
    // The clock stands still, so a wait for the grace of the server would never end.
    const { server, sandbox } = await openServer({ clock: fakeClock() });
    ask(sandbox, 'POST', '/_control/faults', { route: 'payouts.create', kind: 'silent' });
    const { socket, ended } = dial(server.port);
    socket.write(payoutText(sandbox.apiKey, 'key-of-the-test'));
    await exchange(server.port, payoutText(sandbox.apiKey, 'key-of-another', 'Connection: close'));
    await server.close();
    expect(await ended).toBe('');
  });
});

async function openSocket(port: number): Promise<void> {
  const { socket } = dial(port);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
}
