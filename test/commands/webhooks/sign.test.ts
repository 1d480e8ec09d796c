/** `svc webhooks sign`: the headers of a delivery, and that they verify. */
import { expect, it } from 'vitest';
import { eachWorld } from '../../support/svc.js';
import { BODY, SECRET, STAMP, VECTOR, firma } from '../../webhook/samples.js';

const box = eachWorld();

const env = { SVC_WEBHOOK_SECRET: SECRET };
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
    const headers = Object.entries((await sign('', body)).json()).map(
      ([name, value]) => `${name}: ${String(value)}`,
    );
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
  ['no JSON', 'hello'],
  ['a list', '[]'],
  ['no type', '{"id":"x"}'],
  ['a byte order mark', `\uFEFF${VECTOR.body}`],
  ['invalid UTF-8', Buffer.from(VECTOR.body.replace('VES', '\xff'), 'latin1')],
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
