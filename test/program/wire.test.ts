import { describe, expect, it } from 'vitest';
import { ID, operation, payout, PAYOUT_BODY } from '../support/requests.js';
import { cut, inTurn, json, refusal, startService, type Answer, type Service } from '../support/service.js';
import { world, type Result, type RunOptions } from '../support/svc.js';

async function call(
  type: string | readonly string[],
  answer: Answer,
  options: RunOptions = {},
): Promise<{ result: Result; service: Service; home: ReturnType<typeof world> }> {
  const service = await startService(answer);
  const home = world();
  const env = { ...service.env, ...options.env };
  return { result: await home.svc(type, { ...options, env, wire: true }), service, home };
}

const keyed = [...payout(), '--idempotency-key', 'invoice-2048'];
const send = (body: string | Buffer, headers: Record<string, string> = {}): Answer => {
  return (_received, response) => void response.writeHead(200, headers).end(body);
};
const ok = json(201, operation());

describe('a create on the wire', () => {
  it('is one POST with its key, its type and exactly its bytes, below /sandbox', async () => {
    const { result, service } = await call(keyed, inTurn(ok));
    expect(result.exitCode).toBe(0);
    expect(service.calls()).toHaveLength(1);
    const [post] = service.calls();
    expect(post).toMatchObject({ method: 'POST', target: '/sandbox/v2/payouts', body: PAYOUT_BODY });
    expect(post?.headers).toMatchObject({
      ...{ authorization: 'Bearer svc_test_wire', 'content-type': 'application/json' },
      ...{ 'idempotency-key': 'invoice-2048', 'accept-encoding': 'identity' },
    });
  });

  it('says its key even with --quiet, and nothing else', async () => {
    const { result } = await call([...keyed, '--quiet'], inTurn(ok));
    expect(result.stderr).toBe('Idempotency-Key: invoice-2048\n');
  });

  it('that is not answered is sent three times, the same bytes and the same key, and ends with 12', async () => {
    const { result, service } = await call(keyed, inTurn(cut));
    expect(result).toMatchObject({ exitCode: 12, stdout: '' });
    expect(service.calls()).toHaveLength(3);
    for (const { method, body, headers } of service.calls())
      expect([method, body, headers['idempotency-key']]).toEqual(['POST', PAYOUT_BODY, 'invoice-2048']);
    const next = 'svc requests repeat -- invoice-2048';
    expect(result.error()).toMatchObject({ outcome: 'unknown', next_command: next });
  });

  it('gives up at its time limit, and does not know', async () => {
    const silent: Answer = () => undefined;
    const { result, service } = await call([...keyed, '--timeout', '200ms'], inTurn(silent));
    expect(result.exitCode).toBe(12);
    expect(service.calls()).toHaveLength(3);
  });
});

describe('what is never repeated', () => {
  it.each([
    [`payins confirm ${ID} --code 123456`, 'payins', 'confirm'],
    [`payins resend ${ID}`, 'payins', 'resend-code'],
    [`payins cancel ${ID}`, 'payins', 'cancel'],
    [`payouts cancel ${ID}`, 'payouts', 'cancel'],
  ])('%s is looked up instead', async (type, topic, action) => {
    const pending = json(200, operation({ status: 'pending', pending_reason: 'awaiting_code' }));
    const { result, service } = await call(type, inTurn(cut, pending));
    expect(service.calls().map(({ method, target }) => `${method} ${target}`)).toEqual([
      `POST /sandbox/v2/${topic}/${ID}/${action}`,
      `GET /sandbox/v2/${topic}/${ID}`,
    ]);
    expect(result.exitCode).toBe(12);
    expect(result.error()).toMatchObject({ outcome: 'unknown', next_command: `svc ${topic} get ${ID}` });
  });

  it('a lost confirm that is processing is waited for where that was asked', async () => {
    const of = { type: 'payin', method: 'debit_otp' };
    const processing = json(200, operation({ ...of, status: 'pending', pending_reason: 'processing' }));
    const answers = inTurn(cut, processing, processing, json(200, operation(of)));
    const { result } = await call(`payins confirm ${ID} --code 123456 --wait`, answers);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.json()).toMatchObject({ status: 'confirmed' });
  });
});

const send401 =
  (body: string): Answer =>
  (_received, response) =>
    void response.writeHead(401, { 'content-type': 'text/html' }).end(body);
const limited = (seconds: string): Answer =>
  json(429, { error: { code: 'rate_limited', message: '' } }, { 'retry-after': seconds });
const PENDING = json(200, operation({ status: 'pending', code: 'processing' }));

describe('reads', () => {
  it.each<[status: number, location: string, place: string]>([
    [301, '/sandbox/v2/other?token=hidden', ' to /sandbox/v2/other.'],
    [302, 'https://login.example:8443/realm?next=hidden#hidden', ' to https://login.example:8443/realm.'],
    [303, 'https://user:hidden@login.example', ' to https://login.example/.'],
    [307, '//login.example/a?hidden', ' to https://login.example/a.'],
    [308, 'http://[', '.'],
  ])('a redirect (%i) is followed nowhere, and says where it leads', async (status, location, place) => {
    const { result, service } = await call('balances', json(status, '', { location }));
    expect(result).toMatchObject({ exitCode: 1 });
    expect(service.received).toHaveLength(1);
    expect(result.error()['message']).toBe(
      `The address answered with a redirect (${status})${place} svc never follows one.`,
    );
    expect(result.stderr).not.toContain('hidden');
  });

  it.each<[string, Answer]>([
    ['a page', send401('<html>Sign in</html>')],
    ['nothing', send401('')],
    ['JSON of its own', send401('{"message":"No"}')],
  ])("a 401 with %s is said to be somebody else's", async (_name, answer) => {
    const { result } = await call('balances', answer);
    expect(result.error()).toMatchObject({ exit_code: 4, status: 401 });
    expect(result.error()['message']).toContain('A proxy or a gateway on the way answered 401');
    const doctor = await call('doctor', answer);
    expect(doctor.result.stdout + doctor.result.stderr).not.toMatch(/set-key|The key comes from/);
    expect(doctor.result.exitCode).toBe(4);
  });

  it.each([403, 407])("a page with %d is said to be somebody else's", async (status) => {
    const { result } = await call(
      'balances',
      json(status, '<html>Blocked</html>', { 'content-type': 'text/html' }),
    );
    expect(result.error()).toMatchObject({ exit_code: 1, status });
    expect(result.error()['message']).toContain(`A proxy or a gateway on the way answered ${status}`);
  });

  it.each<[line: string | readonly string[], answers: Answer[], seconds: string[]]>([
    ['balances', [limited('5'), json(200, '{"balances":[]}')], ['5']],
    ['events list --all', [limited('7'), json(200, '{"events":[],"next_cursor":null}')], ['7']],
    [['payouts', 'get', ID, '--wait'], [PENDING, limited('9'), json(200, operation())], ['9']],
    [keyed, [limited('61'), ok], ['61']],
  ])('%j says that it waits after a 429', async (line, answers, seconds) => {
    const { result } = await call(line, inTurn(...answers));
    expect(result.exitCode, result.stderr).toBe(0);
    const said = [...result.stderr.matchAll(/limits requests \(429\) and asks to wait (\d+) s\./g)];
    expect(said.map(([, wait]) => wait)).toEqual(seconds);
  });
});

describe('the bytes of an answer', () => {
  it('come back as they are from a get, unknown members and values included', async () => {
    const raw = `{"new":{"a":[1.0e2]},"status":"paused","id":"${ID}","amount":"1.10","status":"paused"}`;
    const { result } = await call(`payins get ${ID}`, send(raw));
    expect(result).toMatchObject({ exitCode: 0, stdout: `${raw}\n` });
  });

  it('come back with the refusal of svc api too', async () => {
    const { result } = await call('api GET /v2/x', refusal(404, 'route_not_found'));
    expect(result.exitCode).toBe(5);
    expect(result.json()).toMatchObject({ error: { code: 'route_not_found' } });
    expect(result.error()).toMatchObject({ code: 'route_not_found', status: 404 });
  });

  it('keep no redirected key: nothing but the host that was named is asked', async () => {
    const other = await startService(ok);
    const { result } = await call(keyed, inTurn(json(307, '', { location: `${other.url}/v2/payouts` })));
    expect(result.error()).toMatchObject({ exit_code: 12, outcome: 'unknown' });
    expect(other.received).toEqual([]);
  });
});
