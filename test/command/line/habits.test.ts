import { afterAll, describe, expect, it } from 'vitest';
import { COMMAND_IDS, VOCABULARY } from '../../../src/registry.js';
import { world } from '../../support/svc.js';

const here = world();
afterAll(() => here.remove());

async function answerTo(line: string): Promise<string> {
  const result = await here.svc(line);
  expect(result, line).toMatchObject({ exitCode: 2, stdout: '' });
  const { message, outcome, next_command: next } = result.error();
  expect(outcome).toBe('not_sent');
  const [, said = ''] = /In svc this is: svc (.+)$/.exec(String(message)) ?? [];
  const id = COMMAND_IDS.find((one) => said === one || said.startsWith(`${one} `)) ?? '';
  expect(COMMAND_IDS, String(message)).toContain(id);
  expect(next).toBe(`svc ${said} --help`);
  const help = await here.svc(`${said} --help --quiet`);
  expect([help.exitCode, help.stderr]).toEqual([0, '']);
  return id;
}

describe('habits', () => {
  it.each([...VOCABULARY.habits])('svc %s', async (typed, { id }) => expect(await answerTo(typed)).toBe(id));

  it.each([
    ['config get x', 'profiles list'],
    ['logs tail', 'events tail'],
    ['login --live', 'profiles add'],
    ['payments list', 'operations list'],
    ['payin list', 'operations list'],
    ['refund 3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'payouts create'],
    ['trigger payout.failed', 'webhooks trigger'],
    ['listen --forward-to http://localhost:3000', 'webhooks listen'],
    ['batch nomina.csv', 'payouts batch'],
    ['payins cobros.xlsx', 'payins batch'],
  ])('svc %s: svc %s', async (typed, id) => expect(await answerTo(typed)).toBe(id));

  it.each([
    ['verify', 'webhooks verify'],
    ['tail -f', 'events tail'],
    ['confirm 3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'payins confirm'],
    ['trace order-1001', 'transactions trace'],
    ['find order-1001', 'operations find'],
    ['resume march --live', 'batches resume'],
    ['start', 'sandbox start'],
    ['exec -- npm test', 'sandbox exec'],
  ])('svc %s: did you mean svc %s?', async (typed, id) => {
    expect((await here.svc(typed)).error()['message']).toContain(`Did you mean "svc ${id}"?`);
  });

  it.each([
    ['get', 'svc help all'],
    ['create payout', 'svc help all'],
    ['cancel x', 'svc help all'],
    ['operations bogus', 'svc operations --help'],
    ['requests bogus', 'svc requests --help'],
    ['batches get march', 'svc batches --help'],
  ])('svc %s: See "%s"', async (typed, page) => {
    const { message } = (await here.svc(typed)).error();
    expect(message).toContain(`There is no command "svc ${typed}". See "${page}".`);
  });

  it.each([
    ['webhooks listen --forward-to http://localhost:3000', 'In svc this is: svc events forward'],
    ['batches export march --failed', 'Did you mean --state failed?'],
    ['sandbox fault clear', 'Did you mean --clear?'],
    ['sandbox start --host 0.0.0.0', 'See "svc sandbox start --help".'],
  ])('svc %s: %s', async (typed, said) => expect((await here.svc(typed)).error()['message']).toContain(said));

  it.each(['payin', 'payout'])('%ss alone are listed', async (direction) => {
    expect((await here.svc(`${direction}s list --live`)).error()['message']).toBe(
      `The service cannot list operations; svc lists those it knows. In svc this is: svc operations list --direction ${direction}`,
    );
  });

  it('says what the API does not have', async () => {
    expect((await here.svc('refund')).error()['message']).toBe(
      'The API has no refunds: a payout sends money back. In svc this is: svc payouts create',
    );
    expect((await here.svc('stop')).error()['message']).toBe(
      'Nothing of svc runs in the background: press Ctrl-C where it runs. In svc this is: svc sandbox status',
    );
  });

  it('repeats no code and no id', async () => {
    const { stderr } = await here.svc('nonsense 123456');
    expect(stderr).toContain('svc nonsense ...');
  });
});
