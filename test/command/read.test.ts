import { expect, it } from 'vitest';
import { lookUp } from '../../src/command/read.js';
import type { Where } from '../../src/session/place-flags.js';
import { createClient } from '../../src/client/client.js';
import type { HttpAnswer } from '../../src/runtime/transport.js';
import { answer, envelope, ID, NOW_MS, operation, plainRandom } from '../client/doubles.js';
import { fakeClock } from '../support/fake-clock.js';
import type { SessionRun } from '../../src/command/command.js';

function answered(given: HttpAnswer): SessionRun<Where> {
  const { signal } = new AbortController();
  const client = createClient({
    environment: 'sandbox',
    transport: () => Promise.resolve(given),
    clock: fakeClock(NOW_MS),
    random: plainRandom(),
    ...{ baseUrl: 'https://api.example.com/sandbox', key: 'svc_test_abc', userAgent: 'svc/1' },
  });
  return { session: { client }, ports: { signal }, typed: [], flags: {} } as unknown as SessionRun<Where>;
}

it('is null where it does', async () => {
  expect(await lookUp(ID, answered(envelope(404, 'not_found')))).toBeNull();
});

it.each([
  ['an empty 404', answer(404, '')],
  ['a 404 of another path', envelope(404, 'route_not_found')],
  ['another operation', answer(200, operation('confirmed', { id: ID.replace(/^./, 'f') }))],
])('proves nothing by %s', async (_what, given) => {
  const broken = { kind: 'defect', facts: { code: 'contract_broken' } };
  await expect(lookUp(ID, answered(given))).rejects.toMatchObject(broken);
});

it('is the operation and its body whatever the case of the id', async () => {
  const given = answer(200, operation('confirmed'));
  const found = await lookUp(ID.toUpperCase(), answered(given));
  expect(found).toMatchObject({ operation: { id: ID }, body: given.body });
});
