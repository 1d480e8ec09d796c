import { expect, it } from 'vitest';
import type { Message, State, CodeValidity, ServicePort } from '../../../src/payments/dialogue/dialogue.js';
import { drive } from '../../../src/payments/dialogue/loop.js';
import { ID, operation, seen, SETTING, WHOLE } from './given.js';

async function atCode(isClockMovable: boolean, left: CodeValidity | null) {
  const calls: string[] = [];
  let nowMs = 0;
  let pass = (): void => undefined;
  const shown: State[] = [];
  let told: (message: Message) => void = () => undefined;
  const port: ServicePort = {
    ...{ banks: () => Promise.resolve(null), abort: () => undefined },
    call: ({ type }) => {
      calls.push(type);
      return Promise.resolve(operation(seen()));
    },
    readCodeValidity: () => {
      calls.push('codeLeft');
      return Promise.resolve(left);
    },
  };
  const ended = drive(
    {
      ...{ connect: () => port, setting: { ...SETTING, isClockMovable }, answers: WHOLE, id: ID },
      signal: new AbortController().signal,
      clock: {
        now: () => nowMs,
        monotonic: () => nowMs,
        sleep: (ms) =>
          new Promise((resolve) => {
            pass = () => {
              nowMs += ms;
              resolve();
            };
          }),
      },
    },
    (state, tell) => {
      shown.push(state);
      told = tell;
      return {
        show: (next) => shown.push(next),
        whenShown: () => Promise.resolve(),
        close: () => Promise.resolve(),
      };
    },
  );
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await settled();
  return {
    calls,
    state: () => shown.at(-1)!,
    second: async () => {
      pass();
      await settled();
    },
    leave: async () => {
      told({ type: 'stop' });
      await ended;
    },
  };
}

it('the countdown follows the clock of a sandbox that is moved', async () => {
  const run = await atCode(true, { codeExpiresAt: seen().codeExpiresAt, validMs: 30_000 });
  expect(run.state().codeDeadlineMs).toBe(300_000);
  for (let count = 0; count < 3; count += 1) await run.second();
  expect(run.state().codeDeadlineMs).toBe(33_000);
  for (let count = 0; count < 3; count += 1) await run.second();
  expect(run.calls).toEqual(['lookUp', 'codeLeft', 'codeLeft']);
  await run.leave();
});

it('no other service is asked again, and what cannot be told changes nothing', async () => {
  for (const [isClockMovable, calls] of [
    [false, ['lookUp']],
    [true, ['lookUp', 'codeLeft']],
  ] as const) {
    const run = await atCode(isClockMovable, null);
    for (let count = 0; count < 3; count += 1) await run.second();
    expect([run.state().codeDeadlineMs, run.calls]).toEqual([300_000, calls]);
    await run.leave();
  }
});
