import { afterAll, beforeAll, expect, it } from 'vitest';
import { startService, type Service } from '../../scripts/safety/service.js';
import '../support/starting.js';

let service: Service;
beforeAll(async () => {
  service = await startService({});
});
afterAll(() => service.close());

const create = (key: string, amount: string): Promise<Response> =>
  fetch(`${service.url}/v2/payouts`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: JSON.stringify({ amount, reference: 'one' }),
  });

it('answers a key with its one operation, and refuses it for another body', async () => {
  const [first, again, other] = [
    await create('k', '1.00'),
    await create('k', '1.00'),
    await create('k', '2.00'),
  ];
  expect([first.status, again.status, other.status]).toEqual([201, 201, 409]);
  expect(await again.json()).toEqual(await first.json());
  expect(await other.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } });
  expect(service.paid('one')).toHaveLength(1);
});
