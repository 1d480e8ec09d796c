import { describe, expect, it } from 'vitest';
import { NotAnswered, type HttpAnswer } from '../../src/runtime/transport.js';
import { ok, refused } from '../support/feed-line.js';
import { incomingTransfer, payout } from '../support/requests.js';
import { eachWorld } from '../support/svc.js';

const home = eachWorld();

it('says what is in it; reset empties it and keeps its key', async () => {
  await home.svc(payout());
  const before = (await home.svc('sandbox status')).json();
  expect(before).toMatchObject({ operations: 1, events: 1, code: '123456' });
  expect((await home.svc('sandbox reset')).json()).toEqual({ reset: true });
  const after = (await home.svc('sandbox status')).json();
  expect(after).toMatchObject({ operations: 0, events: 0, companies: 1 });
  expect(Object.keys(after).sort()).toEqual(
    ['armed_faults', 'code', 'companies', 'events', 'now', 'operations', 'pending_deliveries'], // prettier-ignore
  );
});

describe('where no sandbox is', () => {
  const LINES = ['status', 'reset', 'clock', 'clock advance 1h', 'payment --for 123456', 'key'];
  it.each(LINES)('sandbox %s ends with 11: nobody listens there', async (line) => {
    const result = await home.svc(`sandbox ${line} --base-url http://127.0.0.1:9`, { wire: true });
    expect(result).toMatchObject({ exitCode: 11, stdout: '' });
    expect(result.error()).toMatchObject({ outcome: 'not_sent' });
  });

  it('is never another machine', async () => {
    const result = await home.svc('sandbox reset --base-url https://api.example.com');
    expect(result).toMatchObject({ exitCode: 13, stdout: '' });
  });

  const cut = new NotAnswered('reset', true, 'cut');
  it.each<[string, string, HttpAnswer | NotAnswered, number]>([
    ['a page', 'status', ok('<html>'), 1],
    ['another service', 'status', refused(404, 'route_not_found'), 1],
    ['a lost answer to a question', 'clock', cut, 11],
    ['a lost answer to a change', 'clock advance 1h', cut, 12],
    ['a sandbox without its store', 'reset', refused(503, 'temporarily_unavailable'), 10],
  ])('%s', async (_, line, answer, exit) => {
    const transport = () =>
      answer instanceof NotAnswered ? Promise.reject(answer) : Promise.resolve(answer);
    const env = { SVC_BASE_URL: 'http://localhost:4010' };
    const result = await home.svc(`sandbox ${line}`, { env, transport });
    expect(result.exitCode, result.stderr).toBe(exit);
    expect(result.stdout).toBe('');
  });

  it('is asked at --base-url, not at a profile', async () => {
    await home.svc('profiles add shop --base-url https://api.example.com');
    expect(await home.svc('sandbox status')).toMatchObject({ exitCode: 0 });
  });
});

describe('the clock', () => {
  const now = async (): Promise<unknown> => (await home.svc('sandbox clock')).json()['now'];

  it('shows the time and moves it, and it goes on from there', async () => {
    expect(await now()).toBe('2026-09-23T15:00:00Z');
    const moved = await home.svc('sandbox clock advance 48h');
    expect(moved.json()).toEqual({ now: '2026-09-25T15:00:00Z' });
    home.clock.advance(60_000);
    expect(await now()).toBe('2026-09-25T15:01:00Z');
  });

  it('says what a move did; without a server nobody tries the deliveries that are due', async () => {
    await home.svc('api POST /v2/webhook-endpoints -f url=https://shop.example/hooks');
    await home.svc(incomingTransfer());
    const moved = await home.svc('sandbox clock advance 72h');
    expect(moved.stderr).toContain('1 pay-in expired, 1 delivery due.');
    expect(moved.json()).toMatchObject({ expired_payins: 1, due_deliveries: 1 });
  });

  it.each(['advance', 'advance soon', 'advance 1.5h', 'advance -5m', 'back 5m', 'advance 5m more'])(
    'refuses %s',
    async (words) => {
      expect(await home.svc(`sandbox clock ${words}`)).toMatchObject({ exitCode: 2, stdout: '' });
      expect(await now()).toBe('2026-09-23T15:00:00Z');
    },
  );
});

describe('a ping', () => {
  const REGISTER = 'api POST /v2/webhook-endpoints -f url=https://shop.example/hooks';

  it('answers the id of the delivery, and leaves no event', async () => {
    await home.svc(REGISTER);
    const ping = await home.svc('sandbox ping');
    expect(ping).toMatchObject({ exitCode: 0 });
    expect((await home.svc('sandbox deliveries')).json()).toMatchObject({
      deliveries: [{ id: ping.json()['delivery_id'], type: 'test.ping', status: 'pending' }],
    });
    expect((await home.svc('events list')).json()).toMatchObject({ events: [] });
  });

  it('--company pings another one, which needs a url of its own', async () => {
    await home.svc(REGISTER);
    await home.svc('sandbox key --company acme');
    const refused = await home.svc('sandbox ping --company acme');
    expect(refused.error()).toMatchObject({ exit_code: 6, details: [{ field: 'company', code: 'invalid' }] });
    expect(refused.error()['message']).toContain('The company "acme" has no registered URL (sandbox).');
    expect(await home.svc('sandbox ping --company default')).toMatchObject({ exitCode: 0 });
  });

  it('--environment tells companies of one name apart', async () => {
    await home.svc(REGISTER);
    await home.svc('sandbox key --environment live');
    expect(await home.svc('sandbox ping --environment live')).toMatchObject({ exitCode: 6 });
    expect(await home.svc('sandbox ping --environment sandbox')).toMatchObject({ exitCode: 0 });
  });

  it('is refused in words where nobody registered', async () => {
    expect(await home.svc('sandbox ping')).toMatchObject({ exitCode: 6, stdout: '' });
    const { stderr } = await home.svc('sandbox ping', { tty: { stdout: true, stderr: true } });
    expect(stderr).toContain('The company "default" has no registered URL (sandbox).\n');
    expect(stderr).not.toContain('company: invalid');
  });
});
