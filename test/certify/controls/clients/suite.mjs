/** Right: a test suite that meets refusals on purpose. The suite ends with 0 although one of its payments fails. */
import { call, codeBody, create, payoutBody, Refused, settled } from './lib.mjs';

let failed = 0;
async function test(name, work) {
  try {
    await work();
  } catch (error) {
    failed += 1;
    console.error(`${name}: ${error.message}`);
  }
}
function is(one, other) {
  if (one !== other) throw new Error(`${one} is not ${other}`);
}
async function refused(status, work) {
  try {
    await work;
  } catch (error) {
    if (error instanceof Refused) return is(error.status, status);
    throw error;
  }
  throw new Error(`no ${status}`);
}
const payout = (body, key) => create('/v2/payouts', body, key);
const confirms = (id, typed) =>
  call('POST', `/v2/payins/${id}/confirm`, { text: JSON.stringify({ code: typed }) });

await test('the same key', async () => {
  const first = await payout(payoutBody('r-1'), 'replayed-1');
  is((await payout(payoutBody('r-1'), 'replayed-1')).id, first.id);
});
await test('a key of another body', async () => {
  await payout(payoutBody('r-2', { amount: '21.00' }), 'reused-11');
  await refused(409, payout(payoutBody('r-2', { amount: '22.00' }), 'reused-11'));
});
await test('no amount', async () => {
  for (const key of ['refused-1', 'refused-2'])
    await refused(400, payout(payoutBody('r-3', { amount: '-1' }), key));
});
await test('no key', () =>
  refused(400, call('POST', '/v2/payouts', { text: JSON.stringify(payoutBody('r-4')) })));
await test('no access', () => refused(401, call('GET', '/v2/balances', { token: 'svc_test_nobody' })));
await test('no operation', () =>
  refused(404, call('GET', '/v2/payouts/3f0c1b9e-0000-4000-8000-000000000000')));
await test('a code twice', async () => {
  const { id } = await create('/v2/payins', codeBody('c-1'), 'confirmed-1');
  is((await confirms(id, '123456')).status, 'confirmed');
  await refused(409, confirms(id, '123456'));
});
await test('a wrong code', async () => {
  const { id } = await create('/v2/payins', codeBody('c-2', '151.00'), 'wrong-code-1');
  is((await confirms(id, '000000')).status, 'failed');
});
await test('asked to wait, on a clock that stands still', async () => {
  const fault = { route: 'payouts.create', kind: 'status', status: 503, retry_after: 7 };
  await fetch(`${process.env.SVC_CONTROL_URL}/faults`, { method: 'POST', body: JSON.stringify(fault) });
  await create('/v2/payouts', payoutBody('r-5', { amount: '23.00' }), 'asked-to-wait', { heedsWait: false });
});
await test('two alike', async () => {
  for (const key of ['alike-one', 'alike-two'])
    await settled(`/v2/payouts/${(await payout(payoutBody(null), key)).id}`);
});
process.exit(failed === 0 ? 0 : 1);
