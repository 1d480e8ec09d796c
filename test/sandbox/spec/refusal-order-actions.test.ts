import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { NOBODY } from '../support/endpoints.js';
import { expectInvalid, expectRefusal, expectRequired, expectUnknown } from '../support/expectations.js';
import { requiredField } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';

aWorldForEachTest();

const ACTIONS = [
  ['confirm', 'payins/{id}/confirm', 'direct_debit', 'code_not_expected', '{}', 'field_required'],
  [
    ...['confirm with an unreadable body', 'payins/{id}/confirm', 'incoming_transfer'],
    ...['code_not_expected', '[', 'body_invalid'],
  ],
  ['resend-code', 'payins/{id}/resend-code', 'direct_debit', 'code_not_expected', '[1]', 'body_invalid'],
  ['cancel of a pay-in', 'payins/{id}/cancel', 'debit_otp', 'not_cancellable', '"x"', 'body_invalid'],
  ['cancel of a payout', 'payouts/{id}/cancel', 'bank_transfer', 'not_cancellable', '{', 'body_invalid'],
] as const;

describe.each(ACTIONS)('%s', (name, route, method, conflict, badBody, badCode) => {
  const path = (id: string): string => `/v2/${route.replace('{id}', id)}`;

  it('peels off its refusals one by one, in their order', async () => {
    const { id } = (await create(world, method)).json;
    const { api_key: poor } = (await world.control('POST', '/keys', { scopes: ['operaciones:leer'] })).json;
    const details = badCode === 'field_required' ? requiredField('code') : undefined;
    const good = name.startsWith('confirm') ? { code: '123456' } : undefined;
    expectRefusal(
      await world.send('PUT', `/sandbox${path(NOBODY)}`, { key: null, body: badBody }),
      'method_not_allowed',
    );
    expectRefusal(await world.post(path(NOBODY), badBody, { key: null }), 'unauthorized');
    expectRefusal(await world.post(path(NOBODY), badBody, { key: poor }), 'scope_missing');
    expectRefusal(await world.post(path('no-uuid'), badBody), 'not_found');
    expectRefusal(await world.post(path(NOBODY), badBody), 'not_found');
    expectRefusal(await world.post(path(id), badBody), badCode, details);
    expectRefusal(await world.post(path(id), good), conflict);
  });
});

describe('POST /v2/webhook-endpoints', () => {
  const path = '/v2/webhook-endpoints';

  it('peels off its refusals one by one, in their order', async () => {
    const { api_key: poor } = (await world.control('POST', '/keys', { scopes: ['operaciones:leer'] })).json;
    expectRefusal(await world.send('GET', `/sandbox${path}`, { key: null }), 'method_not_allowed');
    expectRefusal(await world.post(path, '{', { key: null }), 'unauthorized');
    expectRefusal(await world.post(path, '{', { key: poor }), 'scope_missing');
    expectRefusal(await world.post(path, '{'), 'body_invalid');
    expectRequired(await world.post(path, {}), 'url');
  });

  it.each([undefined, null, ''])('with the url %j is field_required', async (url) => {
    expectRequired(await world.post(path, { url }), 'url');
  });

  it.each([
    ...['x', 'http://example.com/hook', 'http://127.0.0.1/hook', 'ftp://example.com', '//example.com'],
    ...['https://', 'javascript:1', 5],
    [],
    {},
  ])('with the url %j is field_invalid', async (url) => {
    expectInvalid(await world.post(path, { url }), 'url');
  });

  it('with an unknown field is field_invalid', async () => {
    const reply = await world.post(path, { url: 'https://example.com', events: [] });
    expectUnknown(reply, 'events');
  });

  it('answers 201 with id, url, a secret shown once, and the time', async () => {
    const url = 'https://example.com/hook?a=1';
    const first = await world.post(path, { url });
    const second = await world.post(path, { url });
    for (const { status, json } of [first, second]) {
      expect(status).toBe(201);
      expect(Object.keys(json).sort()).toEqual(['created_at', 'id', 'secret', 'url']);
      expect(json).toMatchObject({ url, created_at: '2026-09-23T15:04:05Z' });
      expect(json.secret.length).toBeGreaterThanOrEqual(16);
    }
    expect(first.json.secret).not.toBe(second.json.secret);
    expect(first.json.id).not.toBe(second.json.id);
  });
});
