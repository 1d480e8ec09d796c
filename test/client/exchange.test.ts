import { describe, expect, it } from 'vitest';
import { WireExchange } from '../../src/client/undici.js';
import { NotAnswered } from '../../src/runtime/transport.js';

function controllerOf(rawHeaders: Buffer[] = []) {
  let reason: Error | null = null;
  return {
    get aborted() {
      return reason !== null;
    },
    get reason() {
      return reason;
    },
    paused: false,
    rawHeaders,
    abort: (error: Error) => void (reason ??= error),
    pause: () => undefined,
    resume: () => undefined,
  };
}

const failureOf = (exchange: WireExchange): Promise<unknown> =>
  exchange.answer.catch((error: unknown) => error);

describe('an exchange', () => {
  it('that undici would start a second time is ended instead: only the caller decides about a repetition', async () => {
    const exchange = new WireExchange();
    const [first, second] = [controllerOf(), controllerOf()];
    exchange.onRequestStart(first);
    exchange.onRequestStart(second);
    expect(second.aborted).toBe(true);
    expect(await failureOf(exchange)).toMatchObject({ reason: 'reset', wasSent: true });
  });

  it('that ended before its start does not leave when undici comes to it', async () => {
    const exchange = new WireExchange();
    exchange.fail('timeout', 'too late');
    const controller = controllerOf();
    exchange.onRequestStart(controller);
    expect(controller.aborted).toBe(true);
    expect(await failureOf(exchange)).toMatchObject({ reason: 'timeout', wasSent: false });
  });

  it('is asked whether it may leave in the moment in which it would, however long undici kept it', async () => {
    let isGood = true;
    const [left, kept] = [new WireExchange(false, () => isGood), new WireExchange(false, () => isGood)];
    const [first, second] = [controllerOf(), controllerOf()];
    left.onRequestStart(first);
    isGood = false;
    kept.onRequestStart(second);
    expect([first.aborted, second.aborted]).toEqual([false, true]);
    expect(await failureOf(kept)).toMatchObject({ reason: 'late', wasSent: false });
    left.fail('timeout', 'no answer');
    expect(await failureOf(left)).toMatchObject({ wasSent: true });
  });

  it('says that some of its body has arrived to whoever asks for that, and keeps none of it, however much there is', async () => {
    let arrivals = 0;
    const exchange = new WireExchange(
      false,
      () => true,
      0,
      () => (arrivals += 1),
    );
    const controller = controllerOf();
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200);
    const chunk = Buffer.alloc(1024 * 1024);
    for (let count = 0; count < 9; count += 1) exchange.onResponseData(controller, chunk);
    exchange.onResponseEnd();
    expect(arrivals).toBe(9);
    expect(await exchange.answer).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  it('ends once: what comes later changes nothing', async () => {
    const exchange = new WireExchange();
    const controller = controllerOf([Buffer.from('A'), Buffer.from('1')]);
    exchange.onRequestStart(controller);
    exchange.onResponseStart(controller, 200);
    exchange.onResponseData(controller, Buffer.from('{'));
    exchange.onResponseData(controller, Buffer.from('}'));
    exchange.onResponseEnd();
    exchange.onResponseError(controller, new Error('late'));
    exchange.fail('timeout', 'later');
    expect(await exchange.answer).toEqual({ status: 200, headers: [['A', '1']], body: Buffer.from('{}') });
    expect(controller.aborted).toBe(false);
  });

  it('keeps what undici said as the cause', async () => {
    const exchange = new WireExchange();
    const cause = new Error('getaddrinfo ENOTFOUND');
    exchange.onResponseError(controllerOf(), cause);
    const failure = await failureOf(exchange);
    expect(failure).toBeInstanceOf(NotAnswered);
    expect(failure).toMatchObject({ cause, message: cause.message, wasSent: false });
  });
});
