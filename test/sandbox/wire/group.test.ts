import { describe, expect, it } from 'vitest';
import { isoSeconds, type Random } from '../../../src/runtime/clock.js';
import type { SandboxAnswer, SandboxRequest } from '../../../src/sandbox/message.js';
import { openSandbox } from '../../../src/sandbox/sandbox.js';
import { groupCommits } from '../../../src/sandbox/server.js';
import { fakeClock, START_MS } from '../support/clock.js';
import { seededRandom } from '../support/random.js';
import { ask, PAYOUT, requestOf } from '../store/request.js';

const BROKEN = 'key-of-the-broken';

function breakable(isBroken: (draw: number) => boolean): Random {
  const random = seededRandom();
  let draw = 0;
  const uuid = (): string => {
    draw += 1;
    if (isBroken(draw)) throw new TypeError('a defect');
    return random.uuid();
  };
  return { ...random, uuid };
}

describe('a group', () => {
  it('is carried out once, in order, when everything has arrived', async () => {
    const groups: string[][] = [];
    const handleAll = (requests: readonly SandboxRequest[]): SandboxAnswer[] => {
      groups.push(requests.map(({ target }) => target));
      const plain = { status: 200, headers: {}, interference: null };
      return requests.map(({ target }) => ({ ...plain, body: Buffer.from(target) }));
    };
    const group = groupCommits({ handleAll, timeMs: () => START_MS }, () => undefined);
    const asked = (target: string): Promise<string> =>
      new Promise((resolve) => {
        const request = { method: 'GET', target, headers: [], body: new Uint8Array() };
        group.add(request, ({ body }) => resolve(Buffer.from(body).toString()));
      });
    expect(await Promise.all(['a', 'b', 'c'].map(asked))).toEqual(['a', 'b', 'c']);
    expect(groups).toEqual([['a', 'b', 'c']]);
    group.flush();
    expect(groups).toHaveLength(1);
  });
});

describe('a defect', () => {
  it('that passes undoes the group, and everything is carried out once after all', () => {
    // The first draw is the store's own name. Then each create draws an operation and an event. The second event fails once.
    const random = breakable((draw) => draw === 5);
    const sandbox = openSandbox({ store: ':memory:', clock: fakeClock(), random });
    const requests = ['key-of-the-first', BROKEN, 'key-of-the-third'].map((key) =>
      requestOf(sandbox.apiKey, 'POST', '/sandbox/v2/payouts', PAYOUT, key),
    );
    expect(sandbox.handleAll(requests)).toMatchObject([{ status: 201 }, { status: 201 }, { status: 201 }]);
    expect(ask(sandbox, 'GET', '/v2/events').json.events).toHaveLength(3);
    sandbox.close();
  });

  it('that stays undoes its own request alone, is told, and becomes 503', () => {
    let isBroken = false;
    const random = breakable(() => isBroken);
    const sandbox = openSandbox({ store: ':memory:', clock: fakeClock(), random });
    const defects: Error[] = [];
    const statuses: number[] = [];
    const group = groupCommits(sandbox, (error) => defects.push(error));
    const moving = (seconds: number) =>
      requestOf(sandbox.apiKey, 'POST', '/_control/clock', { advance_seconds: seconds });
    const paying = requestOf(sandbox.apiKey, 'POST', '/sandbox/v2/payouts', PAYOUT, BROKEN);
    for (const request of [moving(5), paying, moving(7)])
      group.add(request, ({ status }) => statuses.push(status));
    isBroken = true;
    group.flush();
    isBroken = false;
    expect(statuses).toEqual([200, 503, 200]);
    expect(defects).toEqual([expect.any(TypeError)]);
    const moved = `{"now":"${isoSeconds(START_MS + 12_000)}","next_due":null}`;
    expect(ask(sandbox, 'GET', '/_control/clock').text).toBe(moved);
    expect(ask(sandbox, 'POST', '/v2/payouts', PAYOUT, BROKEN).status).toBe(201);
    expect(ask(sandbox, 'GET', '/v2/events').json.events).toHaveLength(1);
    sandbox.close();
  });
});
