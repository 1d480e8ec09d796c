/** Whether the service itself says that a company has no such operation. */
import { expect, it } from 'vitest';
import { lookUp } from '../../../src/cli/call/looking-up.js';
import type { Where } from '../../../src/cli/line/where.js';
import type { SessionRun } from '../../../src/cli/session/session.js';
import { readAnswer } from '../../../src/client/response.js';
import { endpoint } from '../../../src/contract/endpoints.js';
import type { HttpAnswer } from '../../../src/runtime/transport.js';
import { answer, envelope, ID, NOW_MS, operation } from '../../client/doubles.js';

/** A run whose service answers with that. */
function answered(given: HttpAnswer): SessionRun<Where> {
  const conversation = {
    endpointId: 'transactions.get',
    retry: 'safe',
    id: ID,
    idempotencyKey: null,
    attempts: [readAnswer(given, endpoint('transactions.get'), NOW_MS)],
    create: null,
    lookup: null,
  };
  const client = { call: () => Promise.resolve(conversation) };
  const ports = { signal: new AbortController().signal };
  return { session: { client }, ports, typed: [], flags: {} } as unknown as SessionRun<Where>;
}

it('is null where it does', async () => {
  expect(await lookUp(ID, answered(envelope(404, 'not_found')))).toBeNull();
});

it.each([
  ['an empty 404', answer(404, '')],
  ['a 404 of another path', envelope(404, 'route_not_found')],
  ['another operation', answer(200, { ...(operation('confirmed') as object), id: ID.replace(/^./, 'f') })],
])('proves nothing by %s', async (_what, given) => {
  await expect(lookUp(ID, answered(given))).rejects.toMatchObject({
    kind: 'defect',
    facts: { code: 'contract_broken' },
  });
});

it('is the body of the operation whatever the case of the id', async () => {
  const given = answer(200, operation('confirmed'));
  expect(await lookUp(ID.toUpperCase(), answered(given))).toBe(given.body);
});
