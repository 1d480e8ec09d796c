import { describe, expect, it } from 'vitest';
import { signatureHeader } from '../../../src/contract/events.js';
import { explainSignature, type SignatureExplanation } from '../../../src/sandbox/control/deliveries.js';
import type { StoredAttempt } from '../../../src/sandbox/store/deliveries.js';
import type { RegisteredUrl } from '../../../src/sandbox/store/feed.js';
import { openScene } from '../delivery/scene.js';
import { create } from '../support/bodies.js';
import { START_MS } from '../support/clock.js';
import { expectRefusal } from '../support/expectations.js';

const BODY = '{"id":"1"}';
const STAMP = '1790175845';
const DAY_MS = 86_400_000;

const url = (secret: string, replacedAt: number | null = null): RegisteredUrl => ({
  ...{ id: secret, url: `https://example.com/${secret}`, secret, created_at: '2026-09-23T15:04:05Z' },
  replaced_at: replacedAt,
});

function attempt(secrets: readonly string[], change: Record<string, string> = {}): StoredAttempt {
  const headers = {
    ...{ 'x-firma': signatureHeader(secrets, STAMP, Buffer.from(BODY)), 'x-timestamp': STAMP },
    ...{ 'x-evento': 'payout.confirmed', 'x-id-evento': '1', ...change },
  };
  return { at: '2026-09-23T15:04:05Z', status: 204, error: null, headers, answer: null, ms: 1 };
}

function explained(attempts: readonly StoredAttempt[], urls: readonly RegisteredUrl[]): SignatureExplanation {
  return explainSignature({ attempts, body: BODY, type: 'payout.confirmed', event_id: '1' }, urls, START_MS);
}

const signature = ({ steps }: SignatureExplanation) => steps.filter(({ check }) => check === 'X-Firma');

describe('an attempt', () => {
  it('signed with the secret of the url is good, whatever the receiver said', () => {
    const found = explained([attempt(['other']), { ...attempt(['one']), status: 401 }], [url('one')]);
    expect(found.valid).toBe(true);
    expect(signature(found)).toMatchObject([{ ok: true, text: expect.stringContaining('/one ') as string }]);
    expect(found.steps.at(-1)).toMatchObject({ check: 'Receiver', ok: false });
  });

  it('signed with the one before is good for 24 hours after that was replaced', () => {
    const made = [attempt(['old'])];
    const at = (ms: number) => explained(made, [url('old', START_MS - ms), url('new')]).valid;
    expect([at(0), at(DAY_MS - 1), at(DAY_MS), at(DAY_MS + 1)]).toEqual([true, true, false, false]);
  });

  it('signed twice is good where one of the two is', () => {
    const found = explained([attempt(['new', 'old'])], [url('old', 0), url('new')]);
    expect(found.valid).toBe(true);
    expect(signature(found)).toMatchObject([{ ok: true }, { ok: false }]);
  });

  it.each<[string, StoredAttempt]>([
    ["nobody's secret", attempt(['other'])],
    ['another timestamp', attempt(['one'], { 'x-timestamp': '1790175846' })],
    ['no time', attempt(['one'], { 'x-timestamp': 'yesterday' })],
    ['another event', attempt(['one'], { 'x-evento': 'payout.failed' })],
    ['another id', attempt(['one'], { 'x-id-evento': '2' })],
  ])('with %s is not', (_, made) => expect(explained([made], [url('one')]).valid).toBe(false));

  it('that was not made, or not kept, is not', () => {
    const { headers: _, ...bare } = attempt(['one']);
    for (const attempts of [[], [bare]]) {
      const found = explained(attempts, [url('one')]);
      expect([found.valid, found.steps.length]).toEqual([false, 1]);
    }
  });

  it('tells no secret', () => {
    const said = JSON.stringify(explained([attempt(['whsec_1234'])], [url('whsec_1234')]));
    expect(said).not.toMatch(/secret of (?!https)/);
  });
});

it('a delivery over the control api is explained, one that nobody has is not found', async () => {
  const { world, register, settled } = await openScene();
  const secret = await register();
  await create(world, 'mobile_payment');
  const [delivery] = await settled();
  const reply = await world.control('GET', `/deliveries/${delivery!.id}/explanation`);
  expect(reply.json).toMatchObject({ valid: true });
  expect(reply.text).not.toContain(secret);
  expectRefusal(await world.control('GET', '/deliveries/x/explanation'), 'not_found');
});

it('deliveries come in pages where one is asked for', async () => {
  const { world, register, list } = await openScene();
  await register();
  for (let made = 0; made < 3; made += 1) await create(world, 'mobile_payment');
  const all = (await list()).map(({ id }) => id);
  const page = async (query: string): Promise<unknown> => {
    const { deliveries, next } = (await world.control('GET', `/deliveries?${query}`)).json;
    return [deliveries.map(({ id }) => id), next];
  };
  expect(await page('limit=2')).toEqual([all.slice(0, 2), all[1]]);
  expect(await page(`after=${all[1]!}`)).toEqual([all.slice(2), null]);
  expect(await page(`before=${all[2]!}&limit=1`)).toEqual([[all[1]], all[1]]);
  expect((await world.control('GET', '/deliveries?after=x')).status).toBe(400);
});
