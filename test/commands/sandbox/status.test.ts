/** `svc sandbox status` and `reset`, and what every control command does where no sandbox is. */
import { describe, expect, it } from 'vitest';
import { payout } from '../../support/requests.js';
import { cut, refusal, startService, type Answer } from '../../support/service.js';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();

it('says what is in it; reset empties it and keeps its key', async () => {
  await home.svc(payout());
  const before = (await home.svc('sandbox status')).json();
  expect(before).toMatchObject({ operations: 1, events: 1, code: '123456' });
  expect((await home.svc('sandbox reset')).json()).toEqual({ reset: true });
  const after = (await home.svc('sandbox status')).json();
  expect(after).toMatchObject({ operations: 0, events: 0, companies: 1 });
  // Nothing here tells one store from another, nor anything that only its owner knows.
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

  it.each<[string, string, Answer, number]>([
    ['a page', 'status', (_r, response) => void response.end('<html>'), 1],
    ['another service', 'status', refusal(404, 'route_not_found'), 1],
    ['a lost answer to a question', 'clock', cut, 11],
    ['a lost answer to a change', 'clock advance 1h', cut, 12],
    ['a sandbox without its store', 'reset', refusal(503, 'temporarily_unavailable'), 10],
  ])('%s', async (_, line, answer, exit) => {
    const service = await startService(answer);
    const result = await home.svc(`sandbox ${line}`, { env: { SVC_BASE_URL: service.url }, wire: true });
    await service.stop();
    expect(result.exitCode, result.stderr).toBe(exit);
    expect(result.stdout).toBe('');
  });

  it('is asked at --base-url, not at a profile', async () => {
    await home.svc('profiles add shop --base-url https://api.example.com');
    expect(await home.svc('sandbox status')).toMatchObject({ exitCode: 0 });
  });
});
