import { describe, expect, it } from 'vitest';
import { debitOtp, ID, incomingTransfer } from '../../support/requests.js';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();

async function awaiting(number?: string): Promise<string> {
  return String((await home.svc(debitOtp(number))).json()['id']);
}

/** A code as it is typed behind the flag, and on standard input. */
const bothWays = (typed: string) => Object.entries({ [`--code=${typed}`]: '', '--code=-': typed });

it.each([
  ...['123456', '123456\n', '123 456', ' 123456', '123456\r\n', '123-456', '123\u2013456', '\ufeff123456'],
  ...['12\u200b3456', '\t1 2 3 4 5 6 ', '１２３４５６', '12\u20613\u2212456', '1\u00ad23\u00a0456'],
  ...['123\u3164456', '-123456-', '\u202d123456\u202c'],
])('takes %j for the code 123456, from a flag and from standard input', async (typed) => {
  for (const [flag, stdin] of bothWays(typed)) {
    const result = await home.svc(['payins', 'confirm', await awaiting(), flag], { stdin });
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.json()).toMatchObject({ status: 'confirmed' });
  }
});

it.each([
  ...['123', '12345678901', '12345é', '123.456', '123456,', '"123456"', '1234 5678 901', '١٢٣٤٥٦'],
  ...['$(id)', '----', ' \u200b', '12345\ufffd'],
])('%j can only be wrong: the pay-in is left as it is', async (typed) => {
  const id = await awaiting();
  for (const [flag, stdin] of bothWays(typed)) {
    const result = await home.svc(['payins', 'confirm', id, flag], { stdin });
    expect(result, result.stderr).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.error()).toMatchObject({ outcome: 'not_sent' });
    expect(result.error()['message']).toContain('4 to 10 letters or digits');
    expect(result.stderr).not.toMatch(/123456|\$\(id|12345/);
  }
  expect((await home.svc(`payins get ${id}`)).json()).toMatchObject({ pending_reason: 'awaiting_code' });
});

it.each(['1234', '12345', 'AB12cd', '1234567890'])("sends %j: the length is the bank's", async (code) => {
  const sent = await home.svc(['payins', 'confirm', await awaiting(), '--code', code]);
  expect([sent.exitCode, sent.error()['code']]).toEqual([9, 'code_rejected']);
});

it.each([
  ['no code', 'payins confirm $ID', ''],
  ['an empty code', 'payins confirm $ID --code -', '\n'],
  ['no id', 'payins confirm --code 123456', ''],
  ['an id that is none', 'payins confirm abc --code 123456', ''],
  ['an id with a path in it', `payins confirm ${ID}/../x --code 123456`, ''],
])('%s ends with 2 and leaves the pay-in as it is', async (_, line, stdin) => {
  const id = await awaiting();
  expect(await home.svc(line.replace('$ID', id), { stdin })).toMatchObject({ exitCode: 2, stdout: '' });
  expect((await home.svc(`payins get ${id}`)).json()).toMatchObject({ pending_reason: 'awaiting_code' });
});

it('prints the failed pay-in and ends with 9 where the code is wrong', async () => {
  const result = await home.svc(`payins confirm ${await awaiting()} --code 000000`);
  expect(result).toMatchObject({ exitCode: 9 });
  expect(result.json()).toMatchObject({ status: 'failed', failure: { reason: 'code_invalid' } });
  expect(result.error()).toMatchObject({ code: 'code_rejected', next_command: null, outcome: 'sent' });
});

it('tells a person once that the code was wrong', async () => {
  const line = `payins confirm ${await awaiting()} --code 000000`;
  const { stdout, stderr } = await home.svc(line, { tty: { stdout: true, stderr: true } });
  expect(`${stdout}${stderr}`.match(/code was/g)).toHaveLength(1);
  expect(stderr).toContain('The operation failed. This is final: to try again, create a new');
});

it('sends an expired code where a script says so, and the service answers', async () => {
  const id = await awaiting();
  await home.svc('sandbox clock advance 301s');
  const result = await home.svc(`payins confirm ${id} --code 123456`);
  expect(result.exitCode).toBe(9);
  expect(result.json()).toMatchObject({ failure: { reason: 'code_expired' } });
});

it('leaves a pay-in that is processing at 0, and waits for it with --wait or --wait-timeout', async () => {
  const line = async (): Promise<string> => `payins confirm ${await awaiting('00000002')} --code 123456`;
  expect((await home.svc(await line())).json()).toMatchObject({ pending_reason: 'processing' });
  expect((await home.svc(`${await line()} --wait`)).json()).toMatchObject({ status: 'confirmed' });
  expect((await home.svc(`${await line()} --wait-timeout 5s`)).json()).toMatchObject({ status: 'confirmed' });
});

describe('a new code', () => {
  it('gives the code a new time, by either name', async () => {
    const { id, code_expires_at: until } = (await home.svc(debitOtp())).json();
    home.clock.advance(60_000);
    for (const name of ['resend', 'resend-code']) {
      const { code_expires_at: later } = (await home.svc(`payins ${name} ${String(id)}`)).json();
      expect(Date.parse(String(later))).toBe(Date.parse(String(until)) + 60_000);
    }
  });

  it('revives a code that expired', async () => {
    const id = String((await home.svc(debitOtp())).json()['id']);
    await home.svc('sandbox clock advance 10m');
    await home.svc(`payins resend ${id}`);
    expect(await home.svc(`payins confirm ${id} --code 123456`)).toMatchObject({ exitCode: 0 });
  });

  it('is a conflict where no code is awaited', async () => {
    const id = String((await home.svc(incomingTransfer())).json()['id']);
    const result = await home.svc(`payins resend ${id}`);
    expect(result).toMatchObject({ exitCode: 7, stdout: '' });
    expect(result.error()).toMatchObject({ code: 'code_not_expected' });
  });
});

describe('a cancel', () => {
  it('cancels once: a cancel that was carried out is no failure', async () => {
    const id = String((await home.svc(incomingTransfer())).json()['id']);
    const result = await home.svc(`payin cancel ${id}`);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.json()).toMatchObject({ status: 'failed', failure: { code: 'cancelled' } });
    expect(await home.svc(`payins cancel ${id}`)).toMatchObject({ exitCode: 7, stdout: '' });
  });

  it('says where to look after a conflict', async () => {
    const id = String((await home.svc(debitOtp())).json()['id']);
    const result = await home.svc(`payins cancel ${id}`);
    expect(result).toMatchObject({ exitCode: 7 });
    expect(result.error()).toMatchObject({ code: 'not_cancellable', next_command: `svc payins get ${id}` });
  });
});
