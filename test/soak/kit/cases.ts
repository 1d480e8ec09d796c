/** What a shop tests against the kit, as the same lines for every test runner: webhooks, answers and the bank as they are on a bad day. */

/** These have a bank that takes two days. */
const SLOW: readonly string[] = ['a payout that is settled after days', 'a payout that the bank refuses'];

/** By its name what each test does with its sandbox. `ok` is how the runner has it that something is so. */
export const SHOP_CASES: Readonly<Record<string, string>> = {
  'a webhook that comes twice': `
    const receiver = await sandbox.receiver();
    await sandbox.fault({ delivery: 'duplicate' });
    const { id } = await send('payins', transfer('10.00'));
    await sandbox.pay(id);
    await sandbox.advance('0s');
    ok(receiver.deliveries.map(({ event }) => event.data.id).join() === id + ',' + id);
    ok(receiver.events.length === 1);`,
  'two webhooks out of order': `
    const receiver = await sandbox.receiver();
    await sandbox.fault({ delivery: 'reorder' });
    const first = await send('payins', transfer('10.00'));
    const second = await send('payins', transfer('11.00'));
    await sandbox.pay(first.id);
    await sandbox.pay(second.id);
    await sandbox.advance('0s');
    ok(receiver.events.map(({ data }) => data.id).join() === second.id + ',' + first.id);`,
  'a webhook that is late by a day': `
    const receiver = await sandbox.receiver();
    await sandbox.fault({ delivery: 'hold', for: '1d' });
    const { id } = await send('payins', transfer('10.00'));
    await sandbox.pay(id);
    await sandbox.advance('23h');
    ok(receiver.events.length === 0);
    await sandbox.advance('1h');
    ok(receiver.events[0].data.id === id);`,
  "a webhook before the create's answer": `
    const seen = [];
    await sandbox.receiver({ answer: ({ event }) => void seen.push(event.data.id) });
    await sandbox.fault({ delivery: 'before-answer' });
    const { id } = await send('payouts', payout);
    ok(seen.join() === id);`,
  'an answer that is lost': `
    await sandbox.fault({ route: 'payins.create', kind: 'drop-after' });
    const lost = await send('payins', transfer('10.00'), 'invoice-2048').then(() => false, () => true);
    ok(lost);
    const { status, id } = await send('payins', transfer('10.00'), 'invoice-2048');
    ok(status === 'pending');
    ok((await sandbox.operations()).map((one) => one.id).join() === id);`,
  '429 with Retry-After': `
    await sandbox.fault({ route: 'payins.create', status: 429, retry_after: 7 });
    const refused = await post('payins', transfer('10.00'), 'invoice-2049');
    ok(refused.status === 429 && refused.headers.get('retry-after') === '7');
    ok((await post('payins', transfer('10.00'), 'invoice-2049')).status === 201);`,
  'a code that has expired': `
    const { id } = await send('payins', debit);
    await sandbox.advance('6m');
    const { failure } = await send('payins/' + id + '/confirm', { code: sandbox.code });
    ok(failure.reason === 'code_expired');`,
  'a payout that is settled after days': `
    const receiver = await sandbox.receiver();
    const { id, status } = await send('payouts', payout);
    ok(status === 'pending');
    await sandbox.advance('47h');
    ok(receiver.events.length === 0);
    await sandbox.advance('1h');
    ok(receiver.events[0].data.id === id && receiver.events[0].type === 'payout.confirmed');`,
  'a payout that the bank refuses': `
    const receiver = await sandbox.receiver();
    const { id } = await send('payouts', payout);
    await sandbox.settle(id, { code: 'counterparty_rejected', reason: 'account_closed' });
    const event = await receiver.next('payout.failed');
    ok(event.data.id === id && event.data.failure.reason === 'account_closed');`,
};

/** What the cases of one file share. */
const SHARED = `
  const document = { type: 'V', number: '12345678' };
  const money = { country: 'VE', currency: 'VES' };
  const transfer = (amount) => ({
    method: 'incoming_transfer', ...money, amount, payer: { bank_code: '0102', document },
  });
  const debit = {
    method: 'debit_otp', ...money, amount: '10.00', payer: { bank_code: '0102', document, phone: '04121234567' },
  };
  const payout = {
    method: 'mobile_payment', ...money, amount: '10.00',
    beneficiary: { bank_code: '0102', document, account_number: '04121234567' },
  };
  let orders = 1000;
  const clientOf = (sandbox) => {
    const post = (path, body, key = 'order-' + (orders += 1)) => fetch(sandbox.serviceUrl + '/v2/' + path, {
      method: 'POST',
      headers: {
        authorization: 'Bearer ' + sandbox.apiKey,
        'content-type': 'application/json',
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    });
    const send = async (...asked) => (await post(...asked)).json();
    return { post, send };
  };`;

/** A file of all cases. @param head what the runner wants first: it imports the kit, and says what `ok` and `test` are */
export function shopFile(head: string): string {
  const tests = Object.entries(SHOP_CASES).map(
    ([name, lines]) => `
  test(${JSON.stringify(name)}, async () => {
    const sandbox = await startSandbox(${SLOW.includes(name) ? '{ settleAfterSeconds: 172_800 }' : '{}'});
    const { post, send } = clientOf(sandbox);
    try {${lines}
    } finally {
      await sandbox.close();
    }
  });`,
  );
  return `${head}\n${SHARED}\n${tests.join('\n')}\n`;
}
