import { expect, it } from 'vitest';
import { FAILING, people, person } from '../support/payroll.js';
import { batchHome } from '../support/batch-home.js';
import { NOT_ARRIVED, refusal } from '../support/shaky-sandbox.js';

const here = batchHome();
const { svc, begin, pay } = here;
const SEVENS = people(4, () => ({ amount: '7.00' }));
const DENIED = refusal(401, 'unauthorized');

it('removes a batch of which nothing left, and the corrected file follows under its name', async () => {
  await begin(DENIED);
  const edited = await pay(SEVENS, 'pay', '--allow-duplicates');
  expect(edited.failure()).toBe('13 file_changed');
  expect(edited.error()['message']).toContain('svc batches drop');
  const dropped = await svc('batches drop pay --json');
  expect(dropped.json()).toEqual({ batch: 'pay', rows_dropped: 4, batch_removed: true });
  expect((await svc('batches status pay')).exitCode).toBe(5);
  const sent = await pay(SEVENS, 'pay', '--allow-duplicates');
  expect(sent.json()).toMatchObject({ confirmed: 4, totals: { VES: { confirmed: '28.00' } } });
});

it('leaves what left, with sums that add up, and the rows that went may be in another file', async () => {
  await begin('answered', ...NOT_ARRIVED, DENIED);
  const dropped = await svc('batches drop pay --json');
  expect(dropped.json()).toEqual({ batch: 'pay', rows_dropped: 2, batch_removed: false });
  expect((await svc('batches status pay --json')).json()).toMatchObject({
    ...{ rows: 2, confirmed: 1, unknown: 1, not_sent: 0 },
    totals: { VES: { total: '202.00' } },
  });
  expect(dropped.stderr).toContain('put them into a file of their own');
  expect((await pay([SEVENS[2]!, person(3)], 'mended')).json()).toMatchObject({ confirmed: 2 });
  expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 2 });
  expect(Object.values(await here.shaky.ledger())).toEqual([1, 1, 1, 1]);
});

it('is not said to have sent the whole file, and what went is paid by the line that is named', async () => {
  await begin('answered', 'answered', DENIED);
  await svc('batches drop pay');
  const again = await begin();
  expect(again.failure()).toBe('13 batch_finished');
  expect(again.error()['message']).toContain('has 2 rows, and all were sent');
  expect(again.error()['message']).not.toMatch(/--batch|another name/);
  const rest = await svc(`payouts batch ${here.file} --batch rest --skip-paid --json`);
  expect(rest.json()).toMatchObject({ rows: 4, confirmed: 2, earlier: 2 });
  expect(Object.values(await here.shaky.ledger())).toEqual([1, 1, 1, 1]);
});

const keys = (): unknown[] => here.shaky.posts.map(({ headers }) => headers['idempotency-key']);

it('removes a failed row that a retry has put back: its failure is in the events, and the corrected file is its next try', async () => {
  await pay([person(0, FAILING), person(1)], 'pay');
  here.shaky.next(DENIED);
  await svc('batches retry pay --failed');
  const dropped = await svc('batches drop pay --json');
  expect(dropped.json()).toMatchObject({ rows_dropped: 1, batch_removed: false });
  expect((await svc('batches status pay --json')).json()).toMatchObject({ rows: 1, confirmed: 1 });
  expect((await pay([person(0, { amount: '7.00' })], 'mended')).json()).toMatchObject({ confirmed: 1 });
  const [failed, , denied] = keys();
  const mended = keys().at(-1);
  expect(mended).toBe(denied);
  expect(mended).not.toBe(failed);
  expect(await here.shaky.ledger()).toEqual({ 'emp-0000': 2, 'emp-0001': 1 });
});

it('says where there is no such batch, and is locked out while it runs', async () => {
  expect((await svc('batches drop nobody --json')).error()).toMatchObject({ exit_code: 5 });
  let code: unknown = null;
  here.shaky.onPost = async () => void (code ??= (await svc('batches drop pay --json')).error()['code']);
  expect((await begin()).json()).toMatchObject({ confirmed: 4 });
  expect(code).toBe('locked');
});
