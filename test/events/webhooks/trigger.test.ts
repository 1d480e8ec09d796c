import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../src/contract/events.js';
import { NotAnswered, type HttpRequest } from '../../../src/runtime/transport.js';
import { verify } from '../../../src/events/webhooks/verification.js';
import { feedLine } from '../../support/feed-line.js';
import { startService } from '../../support/service.js';
import { eachWorld, type RunOptions } from '../../support/svc.js';

const home = eachWorld();

const TO = '--to http://127.0.0.1:3000/hooks';

async function trigger(words: string, status: number | NotAnswered = 200, options: RunOptions = {}) {
  const line = feedLine(
    () => new NotAnswered('connect', false, 'there is no feed'),
    () => status,
  );
  const result = await home.svc(`webhooks trigger ${words}`, { ...options, transport: line });
  return { ...result, sent: line.delivered, json: () => result.json(), error: () => result.error() };
}

function verdict({ headers, body }: HttpRequest, secret: string) {
  const rules = { secrets: [secret], nowMs: home.clock.now() };
  return verify({ headers: Object.entries(headers), body: body! }, rules);
}

const forwardingSecret = async (): Promise<string> =>
  (await home.svc('events forward --print-secret')).stdout.trim();

describe('a sample', () => {
  it.each(EVENT_TYPES)('of %s verifies with the forwarding secret', async (type) => {
    const { exitCode, stderr, sent, json } = await trigger(`${type} ${TO}`);
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(verdict(sent[0]!, await forwardingSecret())).toMatchObject({ accepted: true, event: { type } });
    const event_id = sent[0]!.headers['X-Id-Evento'];
    expect(json()).toEqual({ deliveries: [{ event_id, type, status: 200, error: null }] });
  });

  it('is signed with the secret that is given', async () => {
    const file = join(home.home, 'secret');
    writeFileSync(file, 'whsec_file\n', { mode: 0o600 });
    const { sent } = await trigger(`payin.confirmed ${TO} --secret-file ${file}`);
    expect(verdict(sent[0]!, 'whsec_file').accepted).toBe(true);
    const env = { SVC_WEBHOOK_SECRET: 'whsec_env' };
    const other = await trigger(`payin.confirmed ${TO}`, 200, { env });
    expect(verdict(other.sent[0]!, 'whsec_env').accepted).toBe(true);
  });

  it('takes replacements, and refuses one that matches nothing', async () => {
    const { sent } = await trigger(`payin.confirmed ${TO} --set amount=9.99 --set reference=order-7`);
    const data = { amount: '9.99', reference: 'order-7' };
    expect(JSON.parse(Buffer.from(sent[0]!.body!).toString())).toMatchObject({ data });
    for (const set of ['nope=1', 'amount', '=1', 'a..b=1']) {
      const refused = await trigger(`payin.confirmed ${TO} --set ${set}`);
      expect([refused.exitCode, refused.sent]).toEqual([2, []]);
    }
  });

  it('is sent many times, each with an id of its own, or twice with the same', async () => {
    const ids = (sent: readonly HttpRequest[]) => sent.map(({ headers }) => headers['X-Id-Evento']);
    const many = ids((await trigger(`payin.confirmed ${TO} --times 3`)).sent);
    expect(new Set(many).size).toBe(3);
    const twice = ids((await trigger(`payin.confirmed ${TO} --duplicate --times 2`)).sent);
    expect([twice.length, new Set(twice).size, twice[0] === twice[1]]).toEqual([4, 2, true]);
    expect((await trigger(`payin.confirmed ${TO} --times 0`)).exitCode).toBe(2);
  });
});

describe('a faulty one', () => {
  it.each([
    ['--bad-signature', 'signature_mismatch'],
    ['--old', 'timestamp_outside_tolerance'],
  ])('with %s is rejected by a right receiver, which is success', async (flag, reason) => {
    const { exitCode, sent, stderr } = await trigger(`payin.confirmed ${TO} ${flag}`, 401);
    expect(exitCode).toBe(0);
    expect(stderr).toBe('The receiver rejected the faulty delivery, as it must.\n');
    expect(verdict(sent[0]!, await forwardingSecret())).toMatchObject({ accepted: false, reason });
  });

  it('that a receiver accepts is the finding', async () => {
    const { exitCode, error } = await trigger(`payin.confirmed ${TO} --bad-signature`, 200);
    expect([exitCode, error()['code']]).toEqual([1, 'forgery_accepted']);
  });
});

it.each([
  [400, 6],
  [500, 10],
  [302, 1],
])('a receiver that answers %i ends it with %i, and its answer is printed', async (status, exitCode) => {
  const result = await trigger(`payin.confirmed ${TO}`, status);
  expect(result.exitCode).toBe(exitCode);
  expect(result.json()).toMatchObject({ deliveries: [{ status }] });
});

it.each<[body: string, answer: string | undefined]>([
  ['Signature mismatch\nat verify (shop.js:1)\n', 'Signature mismatch'],
  ['\r\n  {"error":"unknown type"}', '{"error":"unknown type"}'],
  ['', undefined],
  ['x'.repeat(5000), 'x'.repeat(200)],
  ['\u001b[2Jgone', '\u001b[2Jgone'],
])('shows the first line of an answer: %j', async (body, answer) => {
  const service = await startService((_received, response) => void response.writeHead(400).end(body));
  const result = await home.svc(`webhooks trigger payin.confirmed --to ${service.url}`, { wire: true });
  await service.stop();
  const [delivery] = result.json()['deliveries'] as object[];
  expect(delivery).toMatchObject({ status: 400, ...(answer && { answer }) });
  const said = answer === undefined ? '' : ` (${answer})`;
  const message = `The receiver did not accept the delivery: the answer was 400${said}.`;
  expect(result.error()['message']).toBe(message);
  expect(result.stdout + result.stderr).not.toContain('\u001b');
});

it('a receiver that is not there ends it with 11', async () => {
  const gone = new NotAnswered('connect', false, 'no program listens at 127.0.0.1:3000');
  const { json, error } = await trigger(`payin.confirmed ${TO}`, gone);
  expect(json()).toMatchObject({ deliveries: [{ status: null, error: gone.message }] });
  const message = 'The receiver gave no answer: no program listens at 127.0.0.1:3000.';
  expect(error()).toMatchObject({ exit_code: 11, message });
});

it.each([
  ['payin.confirmed --to https://8.8.8.8/', 13],
  ['payin.confirmed --to https://10.0.0.1/ --allow-remote', 13],
  ['payin.confirmed', 2],
  ['payin.exploded --to http://127.0.0.1/', 2],
])('%s ends with %i, and nothing is sent', async (words, exitCode) => {
  const result = await trigger(words);
  expect([result.exitCode, result.sent]).toEqual([exitCode, []]);
});

it('goes to another machine where that is allowed', async () => {
  expect((await trigger('payin.confirmed --to https://8.8.8.8/ --allow-remote')).sent).toHaveLength(1);
});
