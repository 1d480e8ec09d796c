import { expect, it } from 'vitest';
import { batchHome } from '../support/batch-home.js';
import { FAILING, PENDING, person } from '../support/payroll.js';
import { refusal } from '../support/shaky-sandbox.js';

const HOUR_MS = 3_600_000;
const DENIED = refusal(401, 'unauthorized');
const here = batchHome([person(0, PENDING)]);
const { svc, begin, pay } = here;
const keys = (): unknown[] => here.shaky.posts.map(({ headers }) => headers['idempotency-key']);

it('has the key of the next try where another machine had one fail and the next one is under way', async () => {
  await begin(DENIED);
  const env = here.machine('other');
  expect((await pay([person(0, FAILING)], 'there', '', { env })).json()).toMatchObject({ failed: 1 });
  here.home.clock.advance(20 * HOUR_MS);
  expect((await pay([person(0, PENDING)], 'mended', '', { env })).json()).toMatchObject({ pending: 1 });
  here.home.clock.advance(30_000);
  const { operation_id: theirs } = (await here.rows('mended', env))['emp-0000']!;
  const resumed = await svc('batches resume pay --json');
  const [denied, failed, pending] = keys();
  const mine = keys().at(-1);
  expect(failed).toBe(denied);
  expect(mine).toBe(pending);
  expect(resumed.json(), resumed.stderr).toMatchObject({ pending: 1, failed: 0 });
  expect((await here.rows())['emp-0000']).toMatchObject({ operation_id: theirs });
});
