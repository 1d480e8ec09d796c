import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPython, receivers, type Receivers } from '../support/receivers.js';

let all: Receivers;
beforeAll(() => void (all = receivers()));
afterAll(() => all.end());

describe.concurrent('a right receiver passes everything', () => {
  it('as docs/receive-events.md prints it for Node', async () => {
    const documented = await all.serveDocumented('receiver.mjs');
    expect(await all.examine(documented, '')).toEqual({ exitCode: 0, own: [], whole: [] });
  });

  it.runIf(hasPython)('as docs/receive-events.md prints it for Python', async () => {
    const documented = await all.serveDocumented('receiver.py');
    expect(await all.examine(documented, '')).toEqual({ exitCode: 0, own: [], whole: [] });
  });

  it.runIf(hasPython)('with a queue, in Python', async () => {
    expect(await all.examine(await all.serveQueue(), '')).toEqual({ exitCode: 0, own: [], whole: [] });
  });
});

it('one that handles each delivery again fails for that alone', async () => {
  const served = await all.serve(['no-dedupe']);
  expect(await all.examine(served, 'no-dedupe')).toMatchObject({ exitCode: 19, own: ['twice.row'] });
}, 60_000);
