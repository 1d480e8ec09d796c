/** Many processes on one file: they wait for each other, agree on what happened, and a kill takes nothing that was acknowledged. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSandbox } from '../../../src/sandbox/sandbox.js';
import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import type { AnsweredEvent } from '../support/answered.js';
import { testFolder } from '../../support/test-folder.js';
import { bundle, start } from './program.js';
import { ask, PAYOUT } from './request.js';

const PROCESSES = 20;

/** Opens the store (making it, for whoever comes first), pays once with a key of its own and once with one that all share. */
const ONE_SHOT = `
const [, , store, name] = process.argv;
const sandbox = openSandbox({ store, clock, random });
const pay = (key) => {
  const headers = [['Host', 'localhost'], ['Authorization', 'Bearer ' + sandbox.apiKey], ['Idempotency-Key', key]];
  const request = { method: 'POST', target: '/sandbox/v2/payouts', headers, body: Buffer.from('${JSON.stringify(PAYOUT)}') };
  const { status, body } = sandbox.handle(request);
  return { status, id: JSON.parse(Buffer.from(body)).id };
};
console.log(JSON.stringify({ apiKey: sandbox.apiKey, shared: pay('shared-key'), own: pay('own-key-' + name) }));
sandbox.close();
`;

/** Pays for ever, and says so after each acknowledgement. */
const PAYING = `
const [, , store, name] = process.argv;
const sandbox = openSandbox({ store, clock, random });
const headers = [['Host', 'localhost'], ['Authorization', 'Bearer ' + sandbox.apiKey]];
for (let number = 0; ; number += 1) {
  const key = name + '-payout-' + number;
  const body = Buffer.from('${JSON.stringify(PAYOUT)}');
  const request = { method: 'POST', target: '/sandbox/v2/payouts', headers: [...headers, ['Idempotency-Key', key]], body };
  const answer = sandbox.handle(request);
  (await import('node:fs')).writeSync(1, key + ' ' + JSON.parse(Buffer.from(answer.body)).id + '\\n');
}
`;

interface Report {
  readonly apiKey: string;
  readonly shared: { readonly status: number; readonly id: string };
  readonly own: { readonly status: number; readonly id: string };
}

function eventsIn(store: string): readonly AnsweredEvent[] {
  const sandbox = openSandbox({ store, clock: systemClock, random: systemRandom });
  const events: AnsweredEvent[] = [];
  for (let cursor: string | null = null; ;) {
    const query: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = ask(sandbox, 'GET', `/v2/events?limit=200${query}`).json;
    if (page.events.length === 0) break;
    events.push(...page.events);
    cursor = page.next_cursor;
  }
  sandbox.close();
  return events;
}

describe('many processes at once', () => {
  it('make one store, one operation for a key they share, and one each for their own', async () => {
    const folder = testFolder();
    const [program, store] = [await bundle(folder, ONE_SHOT), join(folder, 'data', 'sandbox.db')];
    const runs = Array.from({ length: PROCESSES }, (_, index) => start(program, store, String(index)));
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    expect(ends.map(({ code, errors }) => ({ code, errors }))).toEqual(
      ends.map(() => ({ code: 0, errors: '' })),
    );
    const reports = ends.map(({ output }) => JSON.parse(output) as Report);
    expect(new Set(reports.map(({ apiKey }) => apiKey)).size).toBe(1);
    expect(new Set(reports.map(({ shared }) => shared.id)).size).toBe(1);
    expect(new Set(reports.map(({ own }) => own.id)).size).toBe(PROCESSES);
    expect(reports.every(({ shared, own }) => shared.status === 201 && own.status === 201)).toBe(true);

    const events = eventsIn(store);
    expect(events).toHaveLength(PROCESSES + 1);
    expect(new Set(events.map(({ data }) => data.id)).size).toBe(PROCESSES + 1);
    const references = events.map(({ data }) => Number(data.bank_reference));
    expect(references).toEqual(Array.from({ length: PROCESSES + 1 }, (_, index) => index + 1));
  }, 180_000);
});

describe('kill -9', () => {
  it('takes nothing that was acknowledged, and doubles nothing', async () => {
    const folder = testFolder();
    const [program, store] = [await bundle(folder, PAYING), join(folder, 'sandbox.db')];
    const acknowledged = new Map<string, string>();
    for (const name of ['first', 'second', 'third']) {
      const run = start(program, store, name);
      await run.lines(30);
      run.child.kill('SIGKILL');
      const { output } = await run.ended;
      for (const line of output.split('\n').slice(0, -1)) {
        const [key = '', id = ''] = line.split(' ');
        acknowledged.set(key, id);
      }
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(90);
    const ids = new Set(eventsIn(store).map(({ data }) => data.id));
    expect([...acknowledged.values()].filter((id) => !ids.has(id))).toEqual([]);
    // Killed after its commit and before its word of it: at most one a run.
    expect(ids.size - acknowledged.size).toBeLessThanOrEqual(3);

    const sandbox = openSandbox({ store, clock: systemClock, random: systemRandom });
    for (const [key, id] of [...acknowledged].slice(0, 20)) {
      expect(ask(sandbox, 'POST', '/v2/payouts', PAYOUT, key).json.id).toBe(id);
    }
    const { balances } = ask(sandbox, 'GET', '/v2/balances').json;
    const available = (-10.5 * ids.size).toFixed(2);
    expect(balances.find(({ currency }) => currency === 'VES')).toEqual({
      currency: 'VES',
      available,
      reserved: '0.00',
    });
    sandbox.close();
  }, 180_000);
});
