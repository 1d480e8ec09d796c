import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSandbox } from '../../../src/sandbox/sandbox.js';
import { systemClock, systemRandom } from '../../../src/runtime/clock.js';
import { testFolder } from '../../support/test-folder.js';
import { bundle, run } from './program.js';
import { ask, PAYOUT } from './request.js';

const PROCESSES = 20;

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

it('many at once make one store, one operation for a key they share, and one each for their own', async () => {
  const folder = testFolder();
  const [program, store] = [await bundle(folder, ONE_SHOT), join(folder, 'data', 'sandbox.db')];
  const runs = Array.from({ length: PROCESSES }, (_, index) => run(program, store, String(index)));
  const ends = await Promise.all(runs);
  expect(ends.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    ends.map(() => ({ code: 0, stderr: '' })),
  );
  const reports = ends.map(
    ({ stdout }) =>
      JSON.parse(stdout) as {
        readonly apiKey: string;
        readonly shared: { readonly status: number; readonly id: string };
        readonly own: { readonly status: number; readonly id: string };
      },
  );
  expect(new Set(reports.map(({ apiKey }) => apiKey)).size).toBe(1);
  expect(new Set(reports.map(({ shared }) => shared.id)).size).toBe(1);
  expect(new Set(reports.map(({ own }) => own.id)).size).toBe(PROCESSES);
  expect(reports.every(({ shared, own }) => shared.status === 201 && own.status === 201)).toBe(true);

  const sandbox = openSandbox({ store, clock: systemClock, random: systemRandom });
  const { events } = ask(sandbox, 'GET', '/v2/events?limit=200').json;
  sandbox.close();
  expect(events).toHaveLength(PROCESSES + 1);
  expect(new Set(events.map(({ data }) => data.id)).size).toBe(PROCESSES + 1);
  const references = events.map(({ data }) => Number(data.bank_reference));
  expect(references).toEqual(Array.from({ length: PROCESSES + 1 }, (_, index) => index + 1));
}, 180_000);
