import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../support/test-folder.js';
import { create } from '../support/bodies.js';
import { expectRefusal, expectRequired } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import { openWorld } from '../support/world.js';

aWorldForEachTest();

const UNREADABLE = [
  ...['', ' ', 'null', 'true', '5', '"123456"', '[]', '["123456"]', '{', '{"code":}', '{"code":"123456"} x'],
  ...["{'code':'123456'}", '{"code":"123456","code":"123456"}', '{"code":123456}', '{"code":["123456"]}'],
  ...['{"code":{}}', '{"code":true}', '{"code":"123456","extra":1}'],
];

async function expectConfirmed(id: string): Promise<void> {
  expect((await world.post(`/v2/payins/${id}/confirm`, { code: world.code })).json.status).toBe('confirmed');
}

describe('the body of a confirmation', () => {
  it.each([['{}'], ['{"code":""}'], ['{"code":null}']])('%s is field_required', async (body) => {
    const { id } = (await create(world, 'debit_otp')).json;
    const reply = await world.post(`/v2/payins/${id}/confirm`, body);
    expectRequired(reply, 'code');
    await expectConfirmed(id);
  });

  it.each(UNREADABLE)('%j is body_invalid', async (body) => {
    const { id } = (await create(world, 'debit_otp')).json;
    expectRefusal(await world.post(`/v2/payins/${id}/confirm`, body), 'body_invalid');
    await expectConfirmed(id);
  });

  it.each(['0', '12345', '1234567', ' 123456', '123456 ', '١٢٣٤٥٦', 'x'.repeat(10_000)])(
    '%j is a wrong code',
    async (code) => {
      const { id } = (await create(world, 'debit_otp')).json;
      const reply = await world.post(`/v2/payins/${id}/confirm`, { code });
      expect(reply.status).toBe(200);
      const failure = { code: 'code_rejected', reason: 'code_invalid' };
      expect(reply.json).toMatchObject({ status: 'failed', failure });
    },
  );

  it('the valid code is the one the sandbox was opened with', async () => {
    const world = await openWorld({ code: '654321' });
    const first = (await create(world, 'debit_otp')).json.id;
    const second = (await create(world, 'debit_otp')).json.id;
    expect((await world.post(`/v2/payins/${first}/confirm`, { code: '123456' })).json.status).toBe('failed');
    expect((await world.post(`/v2/payins/${second}/confirm`, { code: '654321' })).json.status).toBe(
      'confirmed',
    );
  });

  it('is 123456 unless given', () => expect(world.code).toBe('123456'));

  it('leaves no trace of the code in the store', async () => {
    const folder = testFolder();
    const world = await openWorld({ store: join(folder, 'store.sqlite') });
    const { id } = (await create(world, 'debit_otp', { fields: { reference: 'canary-of-the-store' } })).json;
    await world.post(`/v2/payins/${id}/confirm`, { code: 'never-stored-code' });
    const stored = (): string =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), 'latin1'))
        .join('');
    expect(stored()).not.toContain('never-stored-code');
    await world.close();
    expect(stored()).toContain('canary-of-the-store');
    expect(stored()).not.toContain('never-stored-code');
  });
});
