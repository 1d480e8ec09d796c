/** The receivers of the controls as programs, over the network: right ones pass, and each broken one fails its telling case. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPython, receivers, type Receivers } from '../support/receivers.js';
import { BROKEN_SHOPS } from './receivers/shop.js';

/** It answers late, which takes as long as a receiver may take; in virtual time it is examined with all others. */
const LATE = 'slow';
/** It ends with all shops of its process. */
const ENDING = 'dies';

const broken = Object.entries(BROKEN_SHOPS).filter(([mode]) => mode !== LATE && mode !== ENDING);

let all: Receivers;
let served: Awaited<ReturnType<Receivers['serve']>>;
beforeAll(async () => {
  all = receivers();
  served = await all.serve(broken.map(([mode]) => mode));
});
afterAll(() => all.end());

describe.concurrent('a broken receiver fails its telling case', () => {
  it.each(broken)('%s', async (mode, cases) => {
    const { exitCode, own, whole } = await all.examine(served, mode, cases);
    expect(own, JSON.stringify(whole)).toEqual([...cases]);
    expect(exitCode).toBe(own.every((id) => SHOULD.has(id)) ? 0 : 19);
  });

  it(ENDING, async () => {
    const { own } = await all.examine(await all.serve([ENDING]), ENDING, BROKEN_SHOPS[ENDING]);
    expect(own).toEqual([...BROKEN_SHOPS[ENDING]]);
  });
});

const SHOULD = new Set(['forged.answered-4xx', 'unknown.type', 'unknown.members', 'unknown.operation']);

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
