import { describe, expect, it } from 'vitest';
import { NotAnswered, type Transport } from '../../src/runtime/transport.js';
import { fresh } from '../support/fresh.js';
import { operation, payout } from '../support/requests.js';
import { world } from '../support/svc.js';

const home = fresh(world);

const WILD = '\u001b]0;mine\u0007\r\u009b31m';
const TTY = { stdin: true, stdout: true, stderr: true };
const ENV = { SVC_BASE_URL: 'http://127.0.0.1:4010', SVC_API_KEY: 'svc_test_wild', NO_COLOR: '1' };
const CONTROL = /(?!\n)\p{Cc}/u;

function withId(id: string): Transport {
  const pending = { status: 'pending', pending_reason: 'processing', created_at: '2026-09-23T15:00:00Z' };
  const body = Buffer.from(JSON.stringify(operation({ ...pending, id })));
  const absent = Buffer.from('{"error":{"code":"route_not_found","message":""}}');
  return ({ method, url }) => {
    const made = { status: method === 'POST' ? 201 : 200, headers: [], body };
    return Promise.resolve(url.includes('/v2/payouts') ? made : { status: 404, headers: [], body: absent });
  };
}

describe.each([WILD, '-rf', '$(id)', 'op_1'])('an operation with the id %j', (id) => {
  it('is shown, and no command is made of it', async () => {
    const options = { transport: withId(id), env: ENV, tty: TTY };
    const { exitCode, stdout, stderr } = await home.svc(payout(), options);
    expect(exitCode).toBe(0);
    expect(stdout + stderr).not.toMatch(CONTROL);
    expect(stderr).not.toContain('Next:');
  });

  it('is what the create made, and cannot be waited for', async () => {
    const made = await home.svc([...payout(), '--wait'], { transport: withId(id), env: ENV });
    expect(made).toMatchObject({ exitCode: 8 });
    expect(made.json()).toMatchObject({ id, status: 'pending' });
    expect(made.stderr).toContain('svc cannot wait for this operation');
    expect(made.error()).toMatchObject({ outcome: 'sent' });
    expect((await home.svc('requests list', { env: ENV })).json()).toEqual({ requests: [] });
  });
});

describe('an error with such text', () => {
  it.each(['TypeError', 'RangeError'])('of a defect, a %s, is shown with its stack', async (name) => {
    const error = Object.assign(new Error(WILD), { stack: `${name}: ${WILD}\n    at x` });
    const transport = (): Promise<never> => Promise.reject(error);
    const { exitCode, stderr } = await home.svc('balances', { transport, env: ENV, tty: TTY });
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${name}: \\u001b]0;mine`);
    expect(stderr).not.toMatch(CONTROL);
  });

  it('of a connection is shown by --debug', async () => {
    const transport = (): Promise<never> => Promise.reject(new NotAnswered('connect', false, WILD));
    const { stderr } = await home.svc('balances --debug', { transport, env: ENV, tty: TTY });
    expect(stderr).toContain('< no answer in');
    expect(stderr).not.toMatch(CONTROL);
  });
});
