import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Stopped } from '../../../src/runtime/ports.js';
import { eachWorld, type Result, type RunOptions } from '../../support/svc.js';
import { BODY, SECRET, STAMP, VECTOR, firma } from './samples.js';

const box = eachWorld();

const env = { SVC_WEBHOOK_SECRET: SECRET };
const signed = ['--signature', VECTOR.signature, '--timestamp', STAMP];
const at = ['--at', STAMP];
const signedAt = (stamp: string): string[] => ['--signature', firma(BODY, stamp), '--timestamp', stamp];
const verify = (
  argv: readonly string[],
  stdin: string | Uint8Array,
  options: RunOptions = {},
): Promise<Result> => box.svc(['webhooks', 'verify', ...argv], { env, stdin, ...options });
const request = (body: string | Uint8Array, ...headers: string[]): Buffer =>
  Buffer.concat([Buffer.from(['POST /hooks HTTP/1.1', ...headers, '', ''].join('\r\n')), Buffer.from(body)]);
const FIRMA = `X-Firma: ${VECTOR.signature}`;
const rightHeaders = [FIRMA, `X-Timestamp: ${STAMP}`];

describe('accepted', () => {
  it('prints the bytes of the event and a newline', async () => {
    const { exitCode, bytes, stderr } = await verify([...signed, ...at], BODY);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(bytes.equals(Buffer.from(`${VECTOR.body}\n`))).toBe(true);
  });

  it('a newline of its own stays, and is signed', async () => {
    const body = Buffer.from(`${VECTOR.body}\r\n`);
    const { exitCode, bytes } = await verify(['--signature', firma(body), '--timestamp', STAMP, ...at], body);
    expect(exitCode).toBe(0);
    expect(bytes.equals(Buffer.concat([body, Buffer.from('\n')]))).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['a request', request(BODY, ...rightHeaders, 'X-Evento: payout.confirmed')],
    ['headers alone', Buffer.concat([Buffer.from(`${rightHeaders.join('\n')}\n\n`), BODY])],
  ])('from %s', async (_name, stdin) => {
    const { exitCode, bytes } = await verify(at, stdin);
    expect(exitCode).toBe(0);
    expect(bytes.equals(Buffer.from(`${VECTOR.body}\n`))).toBe(true);
  });

  it('by variables', async () => {
    const more = { ...env, SVC_WEBHOOK_SIGNATURE: VECTOR.signature, SVC_WEBHOOK_TIMESTAMP: STAMP };
    expect((await verify(at, BODY, { env: more })).exitCode).toBe(0);
  });

  it.each<[string, number, string[], number]>([
    ['within the tolerance', 300, [], 0],
    ['outside it', 301, [], 17],
    ['within another one', 900, ['--tolerance', '900'], 0],
    ['outside none', 1, ['--tolerance', '0'], 17],
  ])('by this clock, %s', async (_what, seconds, argv, exitCode) => {
    const stamp = String(Math.floor(box.clock.now() / 1000) - seconds);
    expect(await verify([...signedAt(stamp), ...argv], BODY)).toMatchObject({ exitCode });
  });

  it.each<[string, string[], RunOptions, RegExp]>([
    ['filtered', ['--jq', '.data.amount'], {}, /^1500\.50\n$/],
    ['as a line', ['-o', 'ndjson'], {}, /^\{"id".*\}\n$/],
    ['as JSON on a terminal', ['--no-color'], { tty: { stdout: true } }, /^\{\n {2}"id": "0c9d/],
    ['as JSON whatever is preferred', [], { env: { ...env, SVC_OUTPUT: 'table' } }, /^\{"id":"0c9d/],
    ['as a table where that is asked for', ['-o', 'table'], {}, /^(?!\{)[^]*payout\.confirmed/],
  ])('%s', async (_name, argv, options, text) => {
    const { exitCode, stdout } = await verify([...signed, ...at, ...argv], BODY, options);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(text);
  });

  it('lets no event drive a terminal', async () => {
    const body = VECTOR.body.replace('VES', '\u009b31m');
    const argv = ['--signature', firma(body), '--timestamp', STAMP, ...at];
    expect((await verify(argv, body, { tty: { stdout: true } })).stdout).not.toContain('\u009b');
    expect((await verify(argv, body)).stdout).toContain('\u009b');
  });
});

describe('where headers come from', () => {
  const wrong = firma('x');
  const set = { SVC_WEBHOOK_SIGNATURE: wrong, SVC_WEBHOOK_TIMESTAMP: '1' };
  const right = { SVC_WEBHOOK_SIGNATURE: VECTOR.signature };
  it.each<[string, string[], Record<string, string>, string[], number]>([
    ['a flag before the request', signed, {}, [`X-Firma: ${wrong}`, 'X-Timestamp: 1'], 0],
    ['a flag before two headers', signed, {}, [...rightHeaders, ...rightHeaders], 0],
    ['a flag before a variable', signed, set, [], 0],
    ['the request before a variable', [], set, rightHeaders, 0],
    ['each on its own', ['--timestamp', STAMP], { SVC_WEBHOOK_TIMESTAMP: '1' }, [FIRMA.toLowerCase()], 0],
    ['a wrong flag counts', ['--signature', wrong], {}, rightHeaders, 17],
    ['a wrong request counts', [], right, [`X-Firma: ${wrong}`, `X-Timestamp: ${STAMP}`], 17],
  ])('%s', async (_name, argv, variables, headers, exitCode) => {
    const stdin = headers.length === 0 ? BODY : request(BODY, ...headers);
    const options = { env: { ...env, ...variables } };
    expect(await verify([...argv, ...at], stdin, options)).toMatchObject({ exitCode });
  });
});

describe('rejected', () => {
  it.each<[string, string[], string | Uint8Array, string]>([
    ['a wrong signature', ['--signature', firma('x'), '--timestamp', STAMP], BODY, 'signature_mismatch'],
    ['a body of 10 MB', signed, Buffer.alloc(10_000_000, 0x20), 'body_too_large'],
    ['an input of 20 MB', signed, Buffer.alloc(20_000_000, 0x20), 'body_too_large'],
    ['another type', [], request(BODY, ...rightHeaders, 'X-Evento: payin.failed'), 'type_differs'],
    ['half a request', [], `${rightHeaders.join('\n')}\n`, 'request_malformed'],
  ])('%s', async (_name, argv, stdin, code) => {
    const { exitCode, stdout, error } = await verify([...argv, ...at], stdin);
    expect([exitCode, stdout]).toEqual([17, '']);
    expect(error()).toMatchObject({ code, exit_code: 17, retryable: false });
  });

  it('says the same in words', async () => {
    const { exitCode, stdout, stderr } = await verify([...signed, ...at], 'x', { tty: { stdout: true } });
    expect([exitCode, stdout]).toEqual([17, '']);
    expect(stderr).toMatch(/^Error: No signature matches this body, timestamp and secret\.\n/);
  });

  it.each<[string, string[], string | Uint8Array, RegExp]>([
    ['a trailing newline', signed, `${VECTOR.body}\n`, /Likely cause: the body has a trailing newline/],
    ['the clock', signedAt('1789999000'), BODY, /clock skew/],
    ['nothing known', signed, 'x', /The secret is wrong or the body was changed\./],
  ])('explains %s', async (_name, argv, stdin, text) => {
    const { exitCode, stdout, error } = await verify([...at, ...argv, '--explain'], stdin);
    expect([exitCode, stdout]).toEqual([17, '']);
    expect(error()['message']).toMatch(text);
    expect((await verify([...at, ...argv], stdin)).stderr).not.toMatch(/cause/);
  });

  it('explains nothing where settings are broken, and rejects all the same', async () => {
    mkdirSync(join(box.home, '.config', 'svc'), { recursive: true });
    writeFileSync(join(box.home, '.config', 'svc', 'config.json'), '{', { mode: 0o600 });
    const { exitCode, error } = await verify([...signed, ...at, '--explain'], 'x');
    expect(exitCode).toBe(17);
    expect(error()['message']).toMatch(/The secret is wrong or the body was changed/);
  });
});

describe('a whole request that nobody signed', () => {
  it.each([
    ['neither', '', 'signature_missing', /no X-Firma and no X-Timestamp/],
    ['no signature', `X-Timestamp: ${STAMP}\n`, 'signature_missing', /no X-Firma\./],
    ['no timestamp', `X-Firma: ${VECTOR.signature}\n`, 'timestamp_missing', /no X-Timestamp\./],
  ])('with %s is no delivery: 17', async (_what, head, code, message) => {
    for (const first of ['POST /hooks HTTP/1.1\n', '']) {
      const input = `${first}Host: example.com\n${head}\n{}`;
      const { exitCode, stdout, error } = await verify([], input);
      expect([exitCode, stdout]).toEqual([17, '']);
      expect(error()).toMatchObject({ code, message: expect.stringMatching(message) as string });
    }
  });
});

describe('usage', () => {
  it.each<[string, string[], Record<string, string>, RegExp]>([
    ['no signature', ['--timestamp', STAMP], {}, /no X-Firma.*--signature or SVC_WEBHOOK_SIGNATURE/],
    ['no timestamp', signed.slice(0, 2), {}, /no X-Timestamp.*--timestamp or SVC_WEBHOOK_TIMESTAMP/],
    ['neither', [], {}, /no X-Firma and no X-Timestamp/],
    ['an empty secret', signed, { SVC_WEBHOOK_SECRET: '' }, /SVC_WEBHOOK_SECRET contains no secret/],
    ['a blank secret', signed, { SVC_WEBHOOK_SECRET: ' \n' }, /SVC_WEBHOOK_SECRET contains no secret/],
    ['three secrets', signed, { SVC_WEBHOOK_SECRET: 'a b c' }, /3 secrets/],
    ['a clock that is none', [...signed, '--at', 'now'], {}, /--at/],
    ['a tolerance that is none', [...signed, '--tolerance', '5m'], {}, /--tolerance/],
    ['a filter that is none', [...signed, '--jq', '.['], {}, /jq|compile|syntax/i],
    ['a secret as a flag', [...signed, '--secret', SECRET], {}, /--secret/],
    ['a secret as an argument', [...signed, SECRET], {}, /argument/],
    ['no secret file', [...signed, '--secret-file', '/nowhere/x'], {}, /There is no file \/nowhere\/x/],
  ])('%s', async (_name, argv, variables, text) => {
    const more = { env: { ...env, ...variables } };
    const { exitCode, stdout, stderr, error } = await verify([...argv], BODY, more);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(error()['message']).toMatch(text);
    expect(stderr).not.toContain(SECRET);
  });

  it('no input', async () => {
    for (const argv of [[], at])
      expect((await verify(argv, '')).error()).toMatchObject({
        ...{ exit_code: 2, message: 'Standard input is empty. Nothing was verified.' },
      });
  });

  it('a list', async () => {
    const { exitCode, stdout, stderr } = await verify([...signed, ...at, '-o', 'csv'], BODY);
    expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringMatching(/csv/)]);
  });

  it('no secret anywhere', async () => {
    const { error } = await verify([...signed, ...at], BODY, { env: {} });
    const message = /no signing secret.*SVC_WEBHOOK_SECRET.*--secret-file.*webhooks register/;
    expect(error()).toMatchObject({ exit_code: 2, message: expect.stringMatching(message) as string });
  });

  it('no secret for an address that is not configured', async () => {
    for (const more of [{ SVC_ENV: 'live' }, { SVC_API_KEY: 'svc_test_abc' }]) {
      const { exitCode, error } = await verify([...signed, ...at], BODY, { env: more });
      expect(exitCode).toBe(2);
      expect(error()['message']).toMatch(/no service address is configured/);
    }
  });
});

describe('secrets', () => {
  const file = (text: string | Uint8Array, mode = 0o600): string => {
    const path = join(box.home, 'secret');
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const withFile = (path: string, options: RunOptions = { env: {} }): Promise<Result> =>
    verify([...signed, ...at, '--secret-file', path], BODY, options);

  it.each(['', '\n', '\r\n', '\nwhsec_new\n'])('from a file that ends with %j', async (end) => {
    expect(await withFile(file(SECRET + end))).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('a file counts before the variable', async () => {
    expect((await withFile(file(SECRET), { env: { SVC_WEBHOOK_SECRET: 'whsec_wrong' } })).exitCode).toBe(0);
    expect((await withFile(file('whsec_wrong'), { env })).exitCode).toBe(17);
  });

  it.each([`whsec_new ${SECRET}`, `${SECRET}\n\twhsec_old\n`])('two in a variable: %j', async (text) => {
    const more = { env: { SVC_WEBHOOK_SECRET: text } };
    expect(await verify([...signed, ...at], BODY, more)).toMatchObject({ exitCode: 0 });
  });

  it('warns of a file that others can read', async () => {
    const { exitCode, stderr } = await withFile(file(SECRET, 0o644));
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(/^Other users .*chmod 600 /);
    const quiet = await verify([...signed, ...at, '--quiet', '--secret-file', file(SECRET, 0o644)], BODY);
    expect(quiet).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['blank', '\n'],
    ['no text', Buffer.from([0xff, 0xfe, 0x00])],
    ['too long', 'x'.repeat(5000)],
  ])('refuses a file that is %s', async (_name, text) => {
    expect((await withFile(file(text))).exitCode).toBe(2);
  });
});

describe('waiting for the input', () => {
  it('ends when the process is asked to', async () => {
    const signal = AbortSignal.abort(new Stopped('SIGINT', 130));
    expect(await verify([...signed, ...at], BODY, { signal })).toMatchObject({ exitCode: 130, stdout: '' });
  });

  it('says so at a terminal', async () => {
    const tty = { stdin: true };
    expect((await verify([...signed, ...at], BODY, { tty })).stderr).toMatch(/^Reading standard input/);
    expect((await verify([...signed, ...at, '--quiet'], BODY, { tty })).stderr).toBe('');
  });
});

describe('svc webhooks sign', () => {
  const sign = (argv: string, stdin: string | Uint8Array = BODY, variables: Record<string, string> = env) =>
    box.svc(`webhooks sign ${argv}`, { env: variables, stdin });

  it('signs the published vector', async () => {
    const { exitCode, stdout, stderr } = await sign(`--at ${STAMP}`);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      `{"X-Firma":"${VECTOR.signature}","X-Timestamp":"${STAMP}","X-Evento":"payout.confirmed",` +
        '"X-Id-Evento":"0c9d1b2e-7f3a-4b8c-9d0e-1f2a3b4c5d6e"}\n',
    );
  });

  it('signs at this moment, with both secrets of a rotation, newest first', async () => {
    const { stdout } = await sign('', BODY, { SVC_WEBHOOK_SECRET: `whsec_new ${SECRET}` });
    const now = String(Math.floor(box.clock.now() / 1000));
    const both = `${firma(BODY, now, 'whsec_new')} ${firma(BODY, now)}`;
    expect(JSON.parse(stdout)).toMatchObject({ 'X-Firma': both, 'X-Timestamp': now });
  });

  it('signs the bytes as they are, and what it signs verifies', async () => {
    for (const end of ['', '\n', '\r\n']) {
      const body = `${VECTOR.body}${end}`;
      const signed = Object.entries((await sign('', body)).json());
      const headers = signed.map(([name, value]) => `${name}: ${String(value)}`);
      const request = `${headers.join('\r\n')}\r\n\r\n${body}`;
      expect((await box.svc('webhooks verify', { env, stdin: request })).exitCode).toBe(0);
      expect((await box.svc('webhooks verify', { env, stdin: `${request}\n` })).exitCode).toBe(17);
    }
  });

  it('prints one header where that is asked for', async () => {
    expect((await sign(`--at ${STAMP} --jq ."X-Firma"`)).stdout).toBe(`${VECTOR.signature}\n`);
  });

  it.each<[string, string | Uint8Array]>([
    ['nothing', ''],
    ['an id that no header carries', VECTOR.body.replace('0c9d1b2e', '0c\\n')],
    ['more than 1 MiB', VECTOR.body.padEnd(1024 * 1024 + 1)],
  ])('refuses %s', async (_name, body) => {
    const { exitCode, stdout, error } = await sign(`--at ${STAMP}`, body);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(error()).toMatchObject({ code: 'usage', outcome: 'not_sent' });
  });

  it.each<[string, Record<string, string>, string]>([
    ['no secret', {}, ''],
    ['an empty one', { SVC_WEBHOOK_SECRET: '' }, ''],
    ['a time that is none', env, '--at 1.5'],
  ])('refuses %s', async (_name, variables, argv) => {
    expect(await sign(argv, BODY, variables)).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
