import { describe, expect, it } from 'vitest';
import { KEY, shop } from '../support/open-request.js';
import { debitOtp, incomingTransfer, payout } from '../support/requests.js';
import { ADDRESS } from '../support/shaky-sandbox.js';

describe('a read that is refused', () => {
  it('leaves the create what it was: its operation is printed, and it is still to be waited for', async () => {
    const { home, svc, service, open } = shop();
    const { transport } = service;
    const line = 'sandbox key --scope payins:crear';
    const made = await home.svc(line, { transport, env: { SVC_BASE_URL: ADDRESS } });
    const env = { SVC_API_KEY: String(made.json()['api_key']) };
    const waited = await svc([...incomingTransfer(), '--idempotency-key', KEY, '--wait'], { env });
    expect(waited.exitCode).toBe(8);
    expect(waited.json()).toMatchObject({ status: 'pending' });
    expect(waited.stderr).toMatch(/could not read the operation again: .*operaciones:leer/);
    expect(waited.error()).toMatchObject({ outcome: 'sent', idempotency_key: KEY });
    expect(waited.error()['next_command']).toBe(`svc transactions get --wait ${String(waited.json()['id'])}`);
    expect(await open()).toEqual([]);
  });

  it('drives no terminal with what the service says about it', async () => {
    const { svc, service } = shop();
    const wild = JSON.stringify({ error: { code: 'unauthorized', message: 'No\u001b[2J\u009b' } });
    const transport: typeof service.transport = (request, options) =>
      request.url.includes('/v2/payins/')
        ? Promise.resolve({ status: 401, headers: [], body: Buffer.from(wild) })
        : service.transport(request, options);
    const { stderr } = await svc([...incomingTransfer(), '--wait'], { transport });
    expect(stderr).toContain('could not read the operation again: No\\u001b[2J\\u009b');
  });
});

it.each([payout(), debitOtp()])('a duration that is none is refused before %s leaves', async (...line) => {
  const { svc, service } = shop();
  const refused = await svc([...line, '--wait-timeout', 'soon']);
  expect(refused.error()).toMatchObject({ exit_code: 2, outcome: 'not_sent' });
  expect(service.posts).toEqual([]);
});
