import { expect, it } from 'vitest';
import { debitOtp, payout } from '../support/requests.js';
import { eachWorld } from '../support/svc.js';

const home = eachWorld();

const list = async (flags = '') =>
  (await home.svc(`sandbox operations ${flags}`)).json()['operations'] as {
    id: string;
    waits_for: unknown;
  }[];

it('are newest first with what each waits for, narrowed down by every flag', async () => {
  await home.svc(payout());
  await home.svc(debitOtp());
  const [code, done] = await list();
  expect([code?.waits_for, done?.waits_for]).toMatchObject([{ kind: 'code' }, null]);
  const ids = async (flags: string): Promise<string[]> => (await list(flags)).map(({ id }) => id);
  expect(await ids('--waits')).toEqual([code!.id]);
  expect(await ids('--status confirmed')).toEqual([done!.id]);
  expect(await ids(`--search ${done!.id.slice(0, 13)}`)).toEqual([done!.id]);
  expect(await ids('--limit 1')).toEqual([code!.id]);
  expect(await ids(`--after ${done!.id}`)).toEqual([code!.id]);
  expect(await ids(`--before ${code!.id}`)).toEqual([done!.id]);
  const table = (await home.svc('sandbox operations -o table')).stdout;
  expect(table).toMatch(/○ pending +payin .* code +[0-9a-f]{6,}/);
  const { id } = code!;
  const one = (await home.svc(`sandbox operations ${id}`)).json();
  expect(one).toMatchObject({ id, requests: [2], events: [], deliveries: [] });
});

const processing = async (): Promise<string> => {
  await home.svc(payout('00000002'));
  return (await list())[0]!.id;
};

it("--settle is the bank's answer", async () => {
  const settle = `sandbox operations ${await processing()} --settle confirmed`;
  expect((await home.svc(settle)).json()).toMatchObject({ operation: { status: 'confirmed' } });
  expect((await home.svc(settle)).error()).toMatchObject({ exit_code: 7, code: 'invalid_state' });
});

it('--settle failed --failure fails it so', async () => {
  const id = await processing();
  const flags = '--settle failed --failure limit_exceeded/daily_limit';
  expect((await home.svc(`sandbox operations ${id} ${flags}`)).json()).toMatchObject({
    operation: { status: 'failed', failure: { code: 'limit_exceeded', reason: 'daily_limit' } },
  });
});

it('--expire ends a code', async () => {
  await home.svc(debitOtp());
  const [{ id } = { id: '' }] = await list();
  expect(await home.svc(`sandbox operations ${id} --expire`)).toMatchObject({ exitCode: 0 });
  expect(await home.svc(`sandbox operations ${id} --expire`)).toMatchObject({ exitCode: 7 });
});

const ID = '00000000-0000-4000-8000-000000000000';

it.each([
  ...['--settle confirmed', '--expire', 'x', '--status gone', `${ID} --settle failed`],
  ...[`${ID} --settle confirmed --failure rejected/other`, `${ID} --failure rejected/other`],
  ...[`${ID} --settle failed --failure 7`, `${ID} --settle confirmed --expire`],
])('%s is refused, and nothing is sent', async (words) => {
  expect(await home.svc(`sandbox operations ${words}`)).toMatchObject({ exitCode: 2, stdout: '' });
});

it('takes the id as its table prints it: the first characters', async () => {
  const id = await processing();
  const line = `sandbox operations ${id.slice(0, 8)}`;
  expect((await home.svc(line)).json()).toMatchObject({ id });
  const settled = { operation: { id, status: 'confirmed' } };
  expect((await home.svc(`${line} --settle confirmed`)).json()).toMatchObject(settled);
  const unknown = await home.svc('sandbox operations ffffff00');
  expect(unknown.error()).toMatchObject({ exit_code: 5, next_command: 'svc sandbox operations' });
  expect(await home.svc('sandbox operations')).toMatchObject({ exitCode: 0, stderr: '' });
});
