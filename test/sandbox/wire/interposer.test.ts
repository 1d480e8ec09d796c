import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.js';
import type { Exchange, Interposer } from '../../../src/sandbox/interposer.js';
import { jsonAnswer } from '../../../src/sandbox/message.js';
import { serve } from '../../../src/sandbox/server.js';
import { fakeClock } from '../support/clock.js';
import { receiver } from '../delivery/receiver.js';
import { ask, PAYOUT } from '../store/request.js';
import { dial, exchange, openServer, requestText, type Served } from './wire.js';

const BODY = JSON.stringify(PAYOUT);

function payout({ sandbox, server }: Served, key = 'key-of-the-test'): ReturnType<typeof dial> {
  const dialled = dial(server.port);
  const headers = [`Authorization: Bearer ${sandbox.apiKey}`, `Idempotency-Key: ${key}`];
  dialled.socket.write(requestText('POST', '/sandbox/v2/payouts', [...headers, 'Connection: close'], BODY));
  return dialled;
}

const operations = ({ sandbox }: Served): number => ask(sandbox, 'GET', '/v2/events').json.events.length;

const letGoOn: Interposer = async ({ carryOut, send }) => send(await carryOut());

const watching =
  (see: (request: Exchange['request']) => unknown): Interposer =>
  (one) => {
    see(one.request);
    return letGoOn(one);
  };

function moment() {
  const { promise, resolve } = Promise.withResolvers<null>();
  return [promise, () => resolve(null)] as const;
}

const own = jsonAnswer(503, '{"error":{"code":"temporarily_unavailable","message":"no"}}');

describe('an interposer', () => {
  it('sees the bytes and the key as they were sent, also of control, and stays where it is after a reset', async () => {
    const seen: Exchange['request'][] = [];
    const interposer = watching((request) => seen.push(request));
    const served = await openServer({ interposer });
    const { sandbox, server } = served;
    const key = sandbox.apiKey;
    expect(await payout(served).ended).toContain('HTTP/1.1 201');
    await exchange(server.port, requestText('POST', '/_control/reset', ['Connection: close']));
    expect(await payout(served).ended).toContain('HTTP/1.1 201');
    expect(seen.map(({ method, target }) => `${method} ${target}`)).toEqual([
      'POST /sandbox/v2/payouts',
      'POST /_control/reset',
      'POST /sandbox/v2/payouts',
    ]);
    expect(Buffer.from(seen[0]!.body).toString()).toBe(BODY);
    expect(seen[0]!.headers).toContainEqual(['Authorization', `Bearer ${key}`]);
  });

  it('is not asked for the page, what the page reads, its stream, or a proof', async () => {
    const seen: string[] = [];
    const { server } = await openServer({
      interposer: watching(({ target }) => seen.push(target)),
      ...{ secret: 'a secret', page: () => Buffer.from('the page') },
    });
    const close = 'Connection: close';
    const [page] = await exchange(server.port, requestText('GET', '/', [close]));
    const own = [close, 'Sec-Fetch-Site: same-origin'];
    const [read] = await exchange(server.port, requestText('GET', '/_control/status', own));
    const nonce = '0123456789abcdef'.repeat(4);
    const proving = requestText('GET', `/_control/owner?nonce=${nonce}`, [close]);
    const [proof] = await exchange(server.port, proving);
    const stream = dial(server.port);
    stream.socket.write(requestText('GET', '/_control/stream'));
    await new Promise((resolve) => stream.socket.once('data', resolve));
    const [other] = await exchange(server.port, requestText('GET', '/_control/status', [close]));
    expect([page?.body, read?.status, proof?.status, other?.status]).toEqual(['the page', 200, 200, 200]);
    expect(seen).toEqual(['/_control/status']);
  });

  it('may send half: the whole head, half of the body that it promises, and an end', async () => {
    const statuses: (number | null)[] = [];
    const served = await openServer({
      interposer: async ({ carryOut, sendHalf }) => sendHalf(await carryOut()),
      onServed: ({ status }) => void statuses.push(status),
    });
    const text = await payout(served).ended;
    const [head = '', body = ''] = text.split('\r\n\r\n');
    const promised = Number(/^content-length: (\d+)/im.exec(head)?.[1]);
    expect(head).toMatch(/^HTTP\/1\.1 201 /);
    expect(body).toHaveLength(Math.floor(promised / 2));
    expect(body).toMatch(/^\{"id":"/);
    expect(operations(served)).toBe(1);
    expect(statuses).toEqual([null]);
  });

  it('sends half of nothing as a head that promises something', async () => {
    const served = await openServer({ interposer: ({ sendHalf }) => sendHalf(jsonAnswer(200, '')) });
    expect(await payout(served).ended).toMatch(/\r\ncontent-length: 1\r\n[^]*\r\n\r\n$/i);
  });

  it('may hold an answer until the client has left', async () => {
    const [isHeld, holds] = moment();
    const [hasLeft, left] = moment();
    const served = await openServer({
      interposer: async ({ carryOut, whenClientGone, send }) => {
        const answer = await carryOut();
        holds();
        await whenClientGone;
        await send(answer);
        left();
      },
    });
    const { socket, received } = payout(served);
    await isHeld;
    socket.destroy();
    await hasLeft;
    expect(received()).toBe('');
    expect(operations(served)).toBe(1);
  });

  it('sends one answer, the first', async () => {
    const served = await openServer({
      interposer: async ({ carryOut, send, sendHalf, cut }) => {
        await Promise.all([send(await carryOut()), send(own), sendHalf(own)]);
        cut();
      },
    });
    const text = await payout(served).ended;
    expect(text).toContain('HTTP/1.1 201');
    expect(text).not.toContain('503');
  });

  it('cuts what it forgets', async () => {
    const served = await openServer({ interposer: () => Promise.resolve() });
    expect(await payout(served).ended).toBe('');
    expect(operations(served)).toBe(0);
  });

  it('that fails is a defect, told once, and the client gets 503', async () => {
    const defects: string[] = [];
    const served = await openServer({
      interposer: () => Promise.reject(new Error('the interposer broke')),
      onDefect: ({ message }) => void defects.push(message),
    });
    expect(await payout(served).ended).toContain('HTTP/1.1 503');
    expect(defects).toEqual(['the interposer broke']);
  });

  it('hears that the sandbox failed; that is told once', async () => {
    const defects: string[] = [];
    const heard: string[] = [];
    const { sandbox } = await openServer();
    const handleAll = (requests: readonly object[]) => requests.map(() => new Error('the disk is full'));
    const interposer: Interposer = async ({ carryOut, send }) => {
      const answer = await carryOut().catch((error: unknown) => {
        heard.push((error as Error).message);
        throw error;
      });
      await send(answer);
    };
    const onDefect = ({ message }: Error) => void defects.push(message);
    const options = { port: 0, clock: systemClock, onDefect, interposer };
    const server = await serve({ ...sandbox, handleAll }, options);
    onTestFinished(() => server.close());
    expect(await payout({ sandbox, server }).ended).toContain('HTTP/1.1 503');
    expect(heard).toEqual(['the disk is full']);
    expect(defects).toEqual(heard);
  });

  it('that takes its time gets deliveries that go first attempted first, and waits for no others', async () => {
    const clock = fakeClock();
    const { transport, received } = receiver();
    let delivered = -1;
    const served = await openServer({
      clock,
      receivers: transport,
      interposer: async ({ carryOut, send }) => {
        const answer = await carryOut();
        if (answer.deliveryIds === undefined) return send(answer);
        // The delivery is over by now, so a wait that begins now would last until its limit.
        for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
        await send(answer);
        delivered = received.length;
      },
    });
    const { sandbox } = served;
    const url = 'https://receiver.example/hooks';
    expect(ask(sandbox, 'POST', '/v2/webhook-endpoints', { url }).status).toBe(201);
    ask(sandbox, 'POST', '/_control/faults', { delivery: 'before-answer' });
    expect(await payout(served).ended).toContain('HTTP/1.1 201');
    expect(delivered).toBe(1);
  });

  it('that holds a request ends with the server, and carries nothing out any more', async () => {
    const defects: Error[] = [];
    const [isHeld, holds] = moment();
    let late: Promise<unknown> = Promise.resolve();
    const clock = fakeClock();
    const served = await openServer({
      clock,
      onDefect: (error) => void defects.push(error),
      interposer: async ({ carryOut, whenClientGone }) => {
        holds();
        await whenClientGone;
        late = carryOut();
        await late;
      },
    });
    const { ended } = payout(served);
    await isHeld;
    const closed = served.server.close();
    clock.advance(2000);
    await closed;
    expect(await ended).toBe('');
    await expect(late).rejects.toThrow('stopping');
    expect(defects).toEqual([]);
    expect(operations(served)).toBe(0);
  });

  it('marks a request in the log, which shows what was sent in the end', async () => {
    const ways: [name: string, way: Interposer][] = [
      ['lost-before', ({ cut }) => Promise.resolve().then(cut)],
      ['lost-after', ({ carryOut, cut }) => carryOut().then(cut)],
      ['e503', ({ send }) => send(own)],
      ['e500', ({ carryOut, send }) => carryOut().then(() => send({ ...own, status: 500 }))],
      ['truncated', async ({ carryOut, sendHalf }) => sendHalf(await carryOut())],
      ['slow', letGoOn],
    ];
    const names = ways.map(([name]) => name);
    const served = await openServer({
      interposer: (one) => {
        const [name = '', way = letGoOn] = ways.shift() ?? [];
        if (name !== '') one.nameFault(name);
        return way(one);
      },
    });
    for (const name of names) await payout(served, `key-of-${name}`).ended;
    await payout(served, 'key-of-the-last').ended;
    const { requests } = ask(served.sandbox, 'GET', '/_control/requests?path=payouts').json;
    expect(requests.map(({ fault, status, company }) => [fault, status, company])).toEqual([
      ['lost-before', null, null],
      ['lost-after', null, 'default'],
      ['e503', 503, null],
      ['e500', 500, 'default'],
      ['truncated', null, 'default'],
      ['slow', 201, 'default'],
      [null, 201, 'default'],
    ]);
    expect(new Set(requests.map(({ endpoint }) => endpoint))).toEqual(new Set(['payouts.create']));
    const pathOf = (at: number) => `/_control/requests/${String(requests[at]!.id)}`;
    const answerOf = (at: number): string => ask(served.sandbox, 'GET', pathOf(at)).text;
    expect(answerOf(0)).toContain('"answer":{"headers":{},"body":""}');
    expect(answerOf(1)).toContain('confirmed');
    expect(answerOf(3)).toContain('temporarily_unavailable');
    expect(answerOf(1)).not.toContain(served.sandbox.apiKey);
  });

  it('keeps the code of a marked confirm out of the log, carried out or not', async () => {
    const served = await openServer({
      interposer: ({ nameFault: mark, cut }) => {
        mark('lost-before');
        cut();
        return Promise.resolve();
      },
    });
    const { socket, ended } = dial(served.server.port);
    const target = '/sandbox/v2/payins/7bb1c4a9-abe9-412e-a7b5-b624fd094fa4/confirm';
    socket.write(requestText('POST', target, [], '{"code":"123456"}'));
    await ended;
    const list = ask(served.sandbox, 'GET', '/_control/requests/1').text;
    expect(list).toContain('"fault":"lost-before"');
    expect(list).not.toContain('123456');
  });
});
