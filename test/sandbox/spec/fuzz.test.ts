import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ALL_METHODS, create, validBody } from '../support/bodies.js';
import { NOBODY } from '../support/endpoints.js';
import { allEvents, expectEnvelope } from '../support/expectations.js';
import { oddRequests } from '../support/odd-requests.js';
import { openWorld, type World } from '../support/world.js';

const RUNS = Number(process.env['SVC_FUZZ_RUNS'] ?? 3000);
const SEED = Number(process.env['SVC_FUZZ_SEED'] ?? 20_260_923);
const ALLOWED = [200, 201, 400, 401, 403, 404, 405, 409, 413];

async function validTexts(world: World): Promise<string[]> {
  const texts = ['{"code":"123456"}', '{"url":"https://a.example/hook"}', '{"advance_seconds":3600}', '{}'];
  for (const method of ALL_METHODS) {
    const body = await validBody(world, method);
    texts.push(JSON.stringify(body), JSON.stringify({ ...body, reference: 'r', metadata: { a: [1] } }));
  }
  return texts;
}

it(`answers ${String(RUNS)} odd requests, each with what the contract allows, and is in one piece after them`, async () => {
  const world = await openWorld();
  const texts = await validTexts(world);
  const ids = [NOBODY, NOBODY.toUpperCase(), '', '%00', 'x', '..', '%2e%2e'];
  for (const method of ALL_METHODS) ids.push((await create(world, method, { document: '00000002' })).json.id);
  const seen = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(
      oddRequests({ texts, ids, key: world.key }),
      async ({ method, target, headers, body }) => {
        const reply = await world.sendRaw({ method, target, headers, body });
        seen.set(reply.status, (seen.get(reply.status) ?? 0) + 1);
        expect(ALLOWED).toContain(reply.status);
        expect(reply.headers['content-type']).toMatch(/^application\/json/);
        if (reply.status >= 400) expectEnvelope(reply);
        else expect(reply.json).toBeTypeOf('object');
      },
    ),
    { numRuns: RUNS, seed: SEED },
  );
  for (const status of [200, 201, 400, 401, 404, 405])
    expect(seen.get(status) ?? 0).toBeGreaterThan(RUNS / 500);
  for (const method of ALL_METHODS) expect((await create(world, method)).status).toBe(201);
  const events = await allEvents(world);
  expect(new Set(events.map(({ data }) => data.id)).size).toBe(events.length);
  for (const { reserved } of (await world.get('/v2/balances')).json.balances)
    expect(Number(reserved)).toBeGreaterThanOrEqual(0);
});
