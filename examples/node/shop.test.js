/** Tests the shop against a sandbox of the whole service, which runs in this process. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, beforeEach, test } from 'node:test';
import { startSandbox } from '@svc-cli/svc/testing';
import { Shop } from './shop.js';

const PAYER = { document: { type: 'V', number: '12345678' }, bank_code: '0102' };

let sandbox, shop, server;
beforeEach(async () => {
  sandbox = await startSandbox();
  shop = new Shop(sandbox);
  server = shop.server().listen(0, '127.0.0.1');
  await once(server, 'listening');
  await shop.registerWebhook(`http://127.0.0.1:${server.address().port}/webhooks`);
});
afterEach(async () => {
  await sandbox.close();
  server.close();
});

test('a code that is right pays the order', async () => {
  const { id } = await shop.payByCode('1001', '150.00', { ...PAYER, phone: '04121234567' });
  equal(shop.orders.get('1001'), 'waiting');
  await shop.enterCode(id, sandbox.code);
  await sandbox.waitForDelivery('payin.confirmed');
  deepEqual([shop.orders.get('1001'), shop.shipped], ['paid', ['1001']]);
});

test('a code that is wrong ends it', async () => {
  const { id } = await shop.payByCode('1001', '150.00', { ...PAYER, phone: '04121234567' });
  equal((await shop.enterCode(id, '000000')).status, 'failed');
  await sandbox.waitForDelivery('payin.failed');
  deepEqual([shop.orders.get('1001'), shop.shipped], ['failed', []]);
});

test('a transfer pays the order once, however often that is delivered', async () => {
  const { id } = await shop.payByTransfer('1002', '30.00', PAYER);
  await sandbox.pay(id);
  const delivery = await sandbox.waitForDelivery('payin.confirmed');
  await sandbox.resend(delivery.id);
  equal((await sandbox.waitForDelivery('payin.confirmed')).attempts.length, 2);
  deepEqual(shop.shipped, ['1002']);
});

test('a transfer that never comes fails the order when its time is over', async () => {
  await shop.payByTransfer('1002', '30.00', PAYER);
  await sandbox.advance('73h');
  equal(shop.orders.get('1002'), 'failed');
});

test('an answer that is lost makes no second pay-in', async () => {
  await sandbox.fault({ route: 'payins.create', kind: 'drop-after' });
  await sandbox.fault({ route: 'payins.create', status: 503 });
  await shop.payByTransfer('1003', '30.00', PAYER);
  equal((await sandbox.operations()).length, 1);
  deepEqual(
    (await sandbox.requests({ path: '/v2/payins' })).map(({ status }) => status),
    [null, 503, 201],
  );
});

test('a service that wants to be left alone for a while is left alone', async () => {
  const waited = [];
  const patient = new Shop({ ...sandbox, sleep: async (ms) => waited.push(ms) });
  await sandbox.fault({ route: 'payins.create', status: 503, retry_after: 7 });
  await patient.payByTransfer('1003', '30.00', PAYER);
  deepEqual(waited, [7000]);
});

test('what the service refuses is not sent again', async () => {
  await rejects(shop.payByTransfer('1004', '-1', PAYER), { code: 'field_invalid' });
  equal((await sandbox.requests({ path: '/v2/payins' })).length, 1);
});

test('a delivery that is not signed ships nothing', async () => {
  const event = { id: 'x', type: 'payin.confirmed', data: { reference: '1005' } };
  const body = Buffer.from(JSON.stringify(event));
  const timestamp = String(Math.floor(Date.now() / 1000));
  equal(shop.take({ headers: {}, body }), 401);
  equal(shop.take({ headers: { 'x-timestamp': timestamp, 'x-firma': `v1=${'0'.repeat(64)}` }, body }), 401);
  deepEqual(shop.shipped, []);
});
