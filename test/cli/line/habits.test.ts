/** Commands of other tools are answered with the one that does it here, and what is answered works when it is typed. */
import { afterAll, describe, expect, it } from 'vitest';
import { COMMAND_IDS, REGISTRY, VOCABULARY } from '../../../src/commands/registry.js';
import { world } from '../../support/svc.js';

const here = world();
afterAll(() => here.remove());

/** Goes on until it is stopped, opens a browser, reads what is piped in, or needs what was done before. */
const GOES_ON = [
  'events tail',
  'webhooks listen',
  'sandbox start',
  'sandbox open',
  'sandbox payment',
  'sandbox ping',
  'webhooks verify',
];

async function answerTo(line: string): Promise<string> {
  const result = await here.svc(line);
  expect(result, line).toMatchObject({ exitCode: 2, stdout: '' });
  const { message, outcome, next_command: next } = result.error();
  expect(outcome).toBe('not_sent');
  const [, said = ''] = /In svc this is: svc (.+)$/.exec(String(message)) ?? [];
  const id = COMMAND_IDS.find((one) => said === one || said.startsWith(`${one} `)) ?? '';
  expect(COMMAND_IDS, String(message)).toContain(id);
  // A line with flags is whole, and so is a list; any other leads to its page.
  const isLine = String(message).endsWith(`: ${String(next)}`);
  expect(isLine ? / --| list$/.test(String(next)) : next === `svc ${id} --help`, String(next)).toBe(true);
  expect(await here.svc(`${String(next).slice('svc '.length)} --quiet`)).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  return id;
}

/** Whether it is whole as it is printed. */
async function isWhole(id: string): Promise<boolean> {
  const command = await REGISTRY[id as keyof typeof REGISTRY]();
  const args = Object.values(command.args) as { readonly required?: boolean }[];
  const flags = Object.values(command.flags as Record<string, { readonly required?: boolean }>);
  return (
    // A file has no name until somebody gives it one.
    !id.endsWith(' batch') &&
    !GOES_ON.includes(id) &&
    // Runs what is behind "--".
    id !== 'sandbox exec' &&
    command.needs.length === 0 &&
    ![...args, ...flags].some((one) => one.required === true)
  );
}

describe('habits', () => {
  it.each([...VOCABULARY.habits])('svc %s', async (typed, { id, why = '' }) => {
    expect(await answerTo(typed)).toBe(id);
    for (const [, line = ''] of why.matchAll(/"svc ([a-z ]+)"/g)) expect(COMMAND_IDS).toContain(line);
    if (await isWhole(id)) {
      const { exitCode, stderr } = await here.svc(id);
      expect({ exitCode }, stderr).toEqual({ exitCode: 0 });
    }
  });

  it.each([
    ['config get x', 'profiles list'],
    ['payin list', 'operations list'],
    ['payouts send', 'payouts create'],
    ['payouts show', 'payouts get'],
    ['profiles ls', 'profiles list'],
    ['profiles delete shop', 'profiles remove'],
    ['batch ls', 'batches list'],
    ['webhooks create', 'webhooks register'],
    ['events watch', 'events tail'],
    ['profiles get shop', 'profiles show'],
    ['state ls', 'state status'],
    ['get payouts', 'operations list'],
    ['get payout 3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'payouts get'],
    ['describe payout x', 'payouts get'],
    ['list events', 'events list'],
    ['create payout', 'payouts create'],
    ['delete profile shop', 'profiles remove'],
    ['auth token', 'profiles add'],
    ['sandbox serve', 'sandbox start'],
    ['refund 3f2504e0-4f89-41d3-9a0c-0305e82c3301', 'payouts create'],
  ])('svc %s: svc %s', async (typed, id) => {
    expect(await answerTo(typed)).toBe(id);
  });

  it.each([
    ['batches show march', 'svc batches status march'],
    ['batches get march', 'svc batches status march'],
    ['batches logs march', 'svc batches status march'],
    ['batches continue march', 'svc batches resume march'],
    ['status march --live', 'svc batches status --live march'],
    ['resume march --live', 'svc batches resume --live march'],
    ['status 123456', 'svc batches status --help'],
    ['describe 6f1c2a9e', 'svc transactions trace 6f1c2a9e'],
    ['find -- rent', 'svc operations find --help'],
    ['operations get order-1001', 'svc operations find order-1001'],
    ['trace order-1001', 'svc operations find order-1001'],
    ['operations show 6f1c2a9e', 'svc transactions get 6f1c2a9e'],
    ['transactions find order-1001', 'svc operations find order-1001'],
    ['webhooks listen --forward-to http://localhost:3000', 'svc events forward --help'],
    ['batch nomina.csv', 'svc payouts batch nomina.csv'],
    ['payins cobros.xlsx', 'svc payins batch cobros.xlsx'],
    ['payouts list --live', 'svc operations list --direction payout --live'],
    ['requests retry', 'svc requests repeat --help'],
    ['requests retry rent-2026', 'svc requests repeat rent-2026'],
    ['batches ls', 'svc batches list'],
    ['events ls --live', 'svc events list --live'],
    ['batches ls march', 'svc batches list --help'],
    ['batches cancel march', 'svc batches drop march'],
  ])('svc %s leads to: %s, with what was named', async (typed, next) => {
    expect((await here.svc(typed)).error()['next_command']).toBe(next);
  });

  it.each([
    ['batches export march --failed', '--state failed'],
    ['sandbox fault clear', '--clear'],
  ])('svc %s: did you mean %s?', async (typed, flag) => {
    expect((await here.svc(typed)).error()['message']).toContain(`Did you mean ${flag}?`);
  });

  it('suggests no flag that the command refuses', async () => {
    const { message } = (await here.svc('sandbox start --host 0.0.0.0')).error();
    expect(message).toContain('See "svc sandbox start --help".');
  });

  it.each(['payin', 'payout'])('%ss alone are listed', async (direction) => {
    for (const verb of ['list', 'ls'])
      expect((await here.svc(`${direction} ${verb} -o json`)).error()['next_command']).toBe(
        `svc operations list --direction ${direction}`,
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
