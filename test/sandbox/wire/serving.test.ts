/** The server at work: many connections, races for one key, faults on the wire, and an end that loses nothing. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../support/clock.js';
import { bundle, start } from '../store/program.js';
import { testFolder } from '../../support/test-folder.js';
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

  it('1,000 of them that race for 50 keys make 50 operations, and each gets its own', async () => {
    const { server, sandbox } = await openServer();
    const answers = await Promise.all(
      Array.from({ length: 1000 }, async (_, index) => {
        const key = `key-number-${String(index % 50)}`;
        const [answer] = await exchange(server.port, payoutText(sandbox.apiKey, key, 'Connection: close'));
        return { key, id: idOf(answer!) };
      }),
    );
    const ids = new Map(answers.map(({ key, id }) => [key, id]));
    expect(ids.size).toBe(50);
    expect(answers.filter(({ key, id }) => ids.get(key) !== id)).toEqual([]);
    expect(ask(sandbox, 'GET', '/v2/events?limit=200').json.events).toHaveLength(50);
    const { balances } = ask(sandbox, 'GET', '/v2/balances').json;
    expect(balances.find(({ currency }) => currency === 'VES')?.available).toBe('-525.00');
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
  it.each([
    ['drop-before', 0],
    ['drop-after', 1],
  ])('%s cuts the connection without a byte', async (kind, carriedOut) => {
    const { server, sandbox } = await openServer();
    ask(sandbox, 'POST', '/_control/faults', { route: 'payouts.create', kind });
    const { socket, ended } = dial(server.port);
    socket.write(payoutText(sandbox.apiKey, 'key-of-the-test'));
    expect(await ended).toBe('');
    expect(ask(sandbox, 'GET', '/v2/events').json.events).toHaveLength(carriedOut);
  });

  it('truncated sends the head and half of what it promises', async () => {
    const { server, sandbox } = await openServer();
    ask(sandbox, 'POST', '/_control/faults', { route: 'payouts.create', kind: 'truncated' });
    const { socket, ended } = dial(server.port);
    socket.write(payoutText(sandbox.apiKey, 'key-of-the-test'));
    const [head = '', body = ''] = (await ended).split('\r\n\r\n');
    const promised = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    expect(head).toMatch(/^HTTP\/1\.1 201 /);
    expect(body).toHaveLength(Math.floor(promised / 2));
    expect(ask(sandbox, 'GET', '/v2/events').json.events).toHaveLength(1);
  });

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

  it('delay holds the answer back by the clock, and nobody else', async () => {
    const clock = fakeClock();
    const { server, sandbox } = await openServer({ clock });
    ask(sandbox, 'POST', '/_control/faults', { route: 'payouts.create', kind: 'delay', delay_ms: 5000 });
    const slow = dial(server.port);
    slow.socket.write(payoutText(sandbox.apiKey, 'key-of-the-slow', 'Connection: close'));
    const [fast] = await exchange(
      server.port,
      payoutText(sandbox.apiKey, 'key-of-the-fast', 'Connection: close'),
    );
    expect(fast?.status).toBe(201);
    expect(slow.received()).toBe('');
    clock.advance(4999);
    const [other] = await exchange(
      server.port,
      payoutText(sandbox.apiKey, 'key-of-another', 'Connection: close'),
    );
    expect([other?.status, slow.received()]).toEqual([201, '']);
    clock.advance(1);
    expect(answersIn(await slow.ended).map(({ status }) => status)).toEqual([201]);
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
    // The held one has arrived when one that was sent after it is answered.
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
    // Its clock stands still: a wait for the grace of the server would never end.
    const { server, sandbox } = await openServer({ clock: fakeClock() });
    ask(sandbox, 'POST', '/_control/faults', { route: 'payouts.create', kind: 'silent' });
    const { socket, ended } = dial(server.port);
    socket.write(payoutText(sandbox.apiKey, 'key-of-the-test'));
    await exchange(server.port, payoutText(sandbox.apiKey, 'key-of-another', 'Connection: close'));
    await server.close();
    expect(await ended).toBe('');
  });

  it('by kill -9 keeps every payout that was answered', async () => {
    const folder = testFolder();
    const program = await bundle(
      folder,
      `const sandbox = openSandbox({ store: process.argv[2], clock, random });
       const { port } = await serve(sandbox, { port: 0, clock });
       console.log(port + ' ' + sandbox.apiKey);`,
    );
    const store = join(folder, 'sandbox.db');
    const first = start(program, store);
    const [port, apiKey = ''] = (await first.lines(1))[0]!.split(' ');
    const answered = new Set<string>();
    const payers = Array.from({ length: 8 }, async (_, payer) => {
      for (let number = 0; ; number += 1) {
        const text = payoutText(
          apiKey,
          `key-of-payer-${String(payer)}-${String(number)}`,
          'Connection: close',
        );
        const [answer] = await exchange(Number(port), text).catch(() => []);
        if (answer?.status !== 201) return;
        answered.add(idOf(answer));
        if (answered.size === 100) first.child.kill('SIGKILL');
      }
    });
    await Promise.all(payers);
    expect(answered.size).toBeGreaterThanOrEqual(100);
    const { sandbox } = await openServer({}, store);
    const kept = new Set<string>();
    for (let cursor = ''; ;) {
      const page = ask(sandbox, 'GET', `/v2/events?limit=200${cursor}`).json;
      for (const { data } of page.events) kept.add(data.id);
      if (page.events.length === 0) break;
      cursor = `&cursor=${page.next_cursor ?? ''}`;
    }
    expect([...answered].filter((id) => !kept.has(id))).toEqual([]);
    expect(kept.size - answered.size).toBeLessThanOrEqual(8);
  }, 180_000);
});

async function openSocket(port: number): Promise<void> {
  const { socket } = dial(port);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
}
