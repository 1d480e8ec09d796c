import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { debitOtp, directDebit, incomingTransfer } from '../../support/requests.js';
import { eachWorld, type RunOptions } from '../../support/svc.js';

const home = eachWorld();

/** The body of the request that would leave. */
async function bodyOf(type: readonly string[], options: RunOptions = {}): Promise<string> {
  const result = await home.svc([...type, '--dry-run'], options);
  expect(result.exitCode, result.stderr).toBe(0);
  const at = result.stdout.indexOf('"body":');
  return result.stdout.slice(at + '"body":'.length, -2);
}

const PAYER = '{"document":{"type":"V","number":"12345678"},"bank_code":"0102","phone":"04121234567"}';
const BODY = `{"amount":"10.00","country":"VE","currency":"VES","method":"debit_otp","payer":${PAYER}}`;

describe('a body from flags', () => {
  it('has every flag in it', async () => {
    const line = [
      ...incomingTransfer('12.50'),
      ...['--reference', 'order 7 "quoted"', '--expires-in-hours', '24'],
      ...['--metadata', 'shop.id=a=b', '--metadata', 'empty=', '--metadata-json', '{"n":1.10}'],
    ];
    expect(JSON.parse(await bodyOf(line))).toEqual({
      ...{ amount: '12.50', country: 'VE', currency: 'VES', method: 'incoming_transfer' },
      ...{ reference: 'order 7 "quoted"', expires_in_hours: 24 },
      metadata: { n: 1.1, 'shop.id': 'a=b', empty: '' },
      payer: { document: { type: 'V', number: '12345678' }, bank_code: '0102' },
    });
    expect(await bodyOf(line)).toContain('"metadata":{"n":1.10,');
  });

  it('has a mandate where the method takes one', async () => {
    const line = [...directDebit(), '--mandate', 'contract_id=A1', '--mandate', 'contract_date=2026-01-31'];
    const mandate = { contract_id: 'A1', contract_date: '2026-01-31' };
    expect(JSON.parse(await bodyOf(line))).toMatchObject({ mandate });
  });
});

describe('a body from JSON', () => {
  it.each<[string, (text: string) => [string[], RunOptions]]>([
    ['--data JSON', (text) => [['--data', text], {}]],
    ['--data -', (text) => [['--data', '-'], { stdin: text }]],
    ['--data @file', (text) => [['--data', `@${file(text)}`], {}]],
    ['--data-file', (text) => [['--data-file', file(text)], {}]],
  ])('%s goes out byte for byte', async (_, given) => {
    const text = BODY.replace('{"amount"', '{ "amount" ');
    const [flags, options] = given(text);
    expect(await bodyOf(['payins', 'create', ...flags], options)).toBe(text);
  });

  it('loses to flags, and keeps every other byte', async () => {
    const text = BODY.replace('}}', '}, "metadata":{"x":1.10,"n":12345678901234567890}}');
    const flags = ['--amount', '11.00', '--payer', 'document.number=7654321', '--payer', 'name=Ana'];
    expect(await bodyOf(['payins', 'create', '--data', text, ...flags])).toBe(
      '{"amount":"11.00","country":"VE","currency":"VES","method":"debit_otp","payer":' +
        '{"document":{"type":"V","number":"7654321"},"bank_code":"0102","phone":"04121234567","name":"Ana"},' +
        '"metadata":{"x":1.10,"n":12345678901234567890}}',
    );
  });

  it('is refused where it is nothing, or comes twice', async () => {
    const nothing = await home.svc(['payins', 'create', '--data', '-'], { stdin: '' });
    expect(nothing).toMatchObject({ exitCode: 2, stdout: '' });
    const twice = ['payins', 'create', '--data', BODY, '--data-file', file(BODY)];
    expect(await home.svc(twice)).toMatchObject({ exitCode: 2 });
  });
});

describe('what is refused before anything leaves', () => {
  it.each<[string, readonly string[], string, string]>([
    ['a phone of another shape', swap('phone=04121234567', 'phone=123'), 'payer.phone', 'invalid'],
    ['an empty value', swap('bank_code=0102', 'bank_code='), 'payer.bank_code', 'required'],
    ['a field nobody declares', [...debitOtp(), '--payer', 'colour=red'], 'payer.colour', 'unknown'],
  ])('%s', async (_, line, field, code) => {
    const result = await home.svc(line);
    expect(result.exitCode, result.stderr).toBe(2);
    expect(result.error()).toMatchObject({ outcome: 'not_sent', idempotency_key: null });
    expect(result.error()['details']).toContainEqual(expect.objectContaining({ field, code }));
    expect((await home.svc('sandbox status')).json()).toMatchObject({ operations: 0 });
  });

  it.each([
    ['--metadata', 'novalue'],
    ['--idempotency-key', 'short'],
    ['--idempotency-key', 'x'.repeat(129)],
    ['--idempotency-key', 'línea-2048'],
  ])('%s %s is usage', async (flag, value) => {
    const result = await home.svc([...incomingTransfer(), flag, value]);
    expect(result.exitCode, result.stderr).toBe(2);
    expect((await home.svc('sandbox status')).json()).toMatchObject({ operations: 0 });
  });
});

describe('--dry-run', () => {
  it('prints the request with a masked key and sends nothing', async () => {
    const result = await home.svc([...debitOtp(), '--dry-run', '--idempotency-key', 'invoice-2048']);
    const { headers, ...sent } = result.json();
    const url = expect.stringMatching(/\/sandbox\/v2\/payins$/) as string;
    expect(sent).toEqual({ method: 'POST', url, body: JSON.parse(BODY) as object });
    const own = { authorization: 'Bearer svc_test_****', 'idempotency-key': 'invoice-2048' };
    expect(headers).toMatchObject({ ...own, 'content-type': 'application/json' });
    expect((await home.svc('sandbox status')).json()).toMatchObject({ operations: 0 });
    expect((await home.svc('requests list')).json()).toEqual({ requests: [] });
  });

  it('validates, and can be filtered', async () => {
    expect(await home.svc([...debitOtp('x'), '--dry-run'])).toMatchObject({ exitCode: 2, stdout: '' });
    const filtered = await home.svc([...debitOtp(), '--dry-run', '--jq', '.body.payer.phone']);
    expect(filtered.stdout).toBe('04121234567\n');
  });
});

describe('--wait', () => {
  it('polls until the operation is final, and prints the last answer', async () => {
    const result = await home.svc([...debitOtp('12345678'), '--wait', '--wait-timeout', '1m']);
    expect(result).toMatchObject({ exitCode: 8 });
    expect(home.clock.sleeps).toEqual([]);
    expect(result.error()['next_command']).toMatch(/^svc payins confirm [0-9a-f-]{36}$/);
  });

  it('ends with 8 once --wait-timeout has passed, and it implies --wait', async () => {
    const result = await home.svc([...incomingTransfer(), '--wait-timeout', '30s']);
    expect(result).toMatchObject({ exitCode: 8 });
    expect(result.json()).toMatchObject({ status: 'pending' });
    expect(home.clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(30_000);
    expect(result.error()['next_command']).toMatch(/^svc transactions get --wait [0-9a-f-]{36}$/);
  });

  it('ends with 9 where the operation fails meanwhile', async () => {
    const line = [...incomingTransfer(), '--expires-in-hours', '1', '--wait-timeout', '2h'];
    const result = await home.svc(line);
    expect(result).toMatchObject({ exitCode: 9 });
    expect(result.json()).toMatchObject({ status: 'failed', failure: { code: 'expired' } });
    expect(result.error()).toMatchObject({ code: 'expired', idempotency_key: expect.any(String) as string });
  });
});

it.each(['--interactive', '-i'])('%s asks nobody where nobody is: 2, nothing sent', async (flag) => {
  const result = await home.svc([...debitOtp(), flag]);
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect((await home.svc('sandbox status')).json()).toMatchObject({ operations: 0 });
});

it('keeps everything it writes to the user alone', async () => {
  await home.svc(debitOtp());
  const entries = readdirSync(home.home, { recursive: true }).map((name) => join(home.home, String(name)));
  const ours = entries.filter((path) => /\/svc(\/|$)/.test(path));
  expect(ours.some((path) => path.includes('cache'))).toBe(true);
  for (const path of ours) {
    const stats = statSync(path);
    expect([path, (stats.mode & 0o777).toString(8)]).toEqual([path, stats.isDirectory() ? '700' : '600']);
  }
});

it('says how its output is read: the operation of the service, unchanged', async () => {
  const result = await home.svc([...debitOtp(), '--reference', 'é']);
  const { events } = (await home.svc('events list')).json() as { events: unknown[] };
  expect(events).toEqual([]);
  const get = await home.svc(`payins get ${String(result.json()['id'])}`);
  expect(get.stdout).toBe(result.stdout);
});

function swap(from: string, to: string): string[] {
  return debitOtp().map((word) => (word === from ? to : word));
}

function file(text: string): string {
  const path = join(home.home, 'payin.json');
  writeFileSync(path, text);
  expect(readFileSync(path, 'utf8')).toBe(text);
  return path;
}
