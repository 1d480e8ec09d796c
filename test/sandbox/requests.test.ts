import { describe, expect, it } from 'vitest';
import { systemClock, type Clock } from '../../src/runtime/clock.js';
import { Stopped } from '../../src/runtime/ports.js';
import { debitOtp, payout } from '../support/requests.js';
import { sandboxesOf } from '../support/sandbox-here.js';
import { eachWorld, type Result } from '../support/svc.js';
import { IS_REST } from '../support/rest.js';

const PAUSE_MS = 250;

const home = eachWorld();
const start = sandboxesOf(home);

const listedIn = (result: Result) => result.json()['requests'] as readonly { readonly id: number }[];
const idsOf = (result: Result): number[] => listedIn(result).map(({ id }) => id);

describe('at a terminal', () => {
  const PERSON = { tty: { stdout: true, stderr: true }, env: { NO_COLOR: '1' } };

  it('one says in plain words how long it took, and when that was by this machine', async () => {
    await home.svc(payout());
    const { stdout } = await home.svc('sandbox requests 1', PERSON);
    expect(stdout).toMatch(/^Took \(ms\) +[0-9.]+$/m);
    expect(stdout).toMatch(/^This machine's time +2/m);
  });

  it('one that is not there is no operation', async () => {
    const { exitCode, stderr } = await home.svc('sandbox requests 99', PERSON);
    const text = 'Error: The sandbox keeps no request 99. See "svc sandbox requests".\n';
    expect([exitCode, stderr]).toEqual([5, text]);
  });
});

describe('without a server', () => {
  it('are those that changed something, newest first, or oldest first behind one', async () => {
    await home.svc(payout());
    await home.svc('balances');
    await home.svc(debitOtp());
    expect(listedIn(await home.svc('sandbox requests'))).toMatchObject([
      { id: 2, method: 'POST', path: '/sandbox/v2/payins', status: 201 },
      { id: 1, method: 'POST', path: '/sandbox/v2/payouts', status: 201 },
    ]);
    expect(idsOf(await home.svc('sandbox requests --after 1'))).toEqual([2]);
    expect(idsOf(await home.svc('sandbox requests --before 2'))).toEqual([1]);
    expect(idsOf(await home.svc('sandbox requests --limit 1'))).toEqual([2]);
    expect(idsOf(await home.svc('sandbox requests --status 2xx'))).toEqual([2, 1]);
    expect(idsOf(await home.svc('sandbox requests --status 4xx'))).toEqual([]);
    const table = (await home.svc('sandbox requests -o table')).stdout;
    expect(table).toMatch(/✓ 201 +POST +\/sandbox\/v2\/payins/);
  });

  it('one is shown with both sides, its key masked', async () => {
    await home.svc(payout());
    const { request, answer } = (await home.svc('sandbox requests 1')).json();
    const authorization = expect.stringMatching(/^Bearer svc_test_\.\.\.[0-9a-f]{4}$/) as string;
    expect(request).toMatchObject({ headers: { authorization } });
    expect(JSON.parse((answer as { body: string }).body)).toMatchObject({ type: 'payout' });
    expect(await home.svc('sandbox requests 2')).toMatchObject({ exitCode: 5, stdout: '' });
  });
});

it.runIf(IS_REST)('of a server are all, refusals with their reason among them', async () => {
  const { at, ready } = await start();
  await home.svc('balances', at);
  const headers = { authorization: `Bearer ${ready['api_key']!}` };
  await fetch(`${ready['base_url']!}/sandbox/v2/payouts`, { method: 'POST', headers });
  const listed = listedIn(await home.svc('sandbox requests --status 4xx', { wire: true }));
  const refused = expect.stringMatching(/Idempotency-Key/) as string;
  expect(listed).toMatchObject([{ status: 400, refused }]);
});

it.runIf(IS_REST)('--follow tells of each that arrives from now on, until it is stopped', async () => {
  const { at } = await start();
  await home.svc('balances', at);
  const controller = new AbortController();
  const [lines, sleeps]: [string[], number[]] = [[], []];
  const sleep: Clock['sleep'] = (ms, signal) => {
    sleeps.push(ms);
    return systemClock.sleep(ms, signal);
  };
  const ended = home.svc('sandbox requests --follow --status 2xx', {
    ...{ ...at, signal: controller.signal, clock: { ...systemClock, sleep } },
    onData: (text) => lines.push(...text.trimEnd().split('\n')),
  });
  while (lines.length < 3) {
    await home.svc('api GET /v2/nothing', at);
    await home.svc('methods', at);
  }
  controller.abort(new Stopped('SIGINT', 130));
  const { exitCode, stderr } = await ended;
  expect(exitCode).toBe(130);
  expect(stderr).toContain('The sandbox is still running');
  const seen = lines.map((line) => JSON.parse(line) as object);
  const ok = { method: 'GET', endpoint: 'methods', status: 200 };
  expect(seen).toMatchObject(seen.map(() => ok));
  expect(sleeps).not.toContain(PAUSE_MS);
});

it.runIf(IS_REST)('--follow ends with the server that it asked', async () => {
  const { at, stop } = await start();
  await home.svc(payout(), at);
  const first = Promise.withResolvers<string>();
  const ended = home.svc('sandbox requests --follow --after 0', { ...at, onData: first.resolve });
  await first.promise;
  await stop();
  expect(await ended).toMatchObject({ exitCode: 11 });
});

it('--follow looks again by the clock where no server says what has changed', async () => {
  await home.svc(payout());
  const controller = new AbortController();
  const sleeps: number[] = [];
  const sleep: Clock['sleep'] = async (ms, signal) => {
    if (sleeps.push(ms) === 2) await home.svc(debitOtp());
    if (sleeps.length === 4) controller.abort(new Stopped('SIGINT', 130));
    await home.clock.sleep(ms, signal);
  };
  const options = { signal: controller.signal, clock: { ...home.clock, sleep } };
  const ended = await home.svc('sandbox requests --follow --jq .id', options);
  expect(ended).toMatchObject({ exitCode: 130, stdout: '2\n' });
  expect(sleeps).toEqual([PAUSE_MS, PAUSE_MS, PAUSE_MS, PAUSE_MS]);
});

it.runIf(IS_REST)('--follow is a readable line each at a terminal', async () => {
  const controller = new AbortController();
  const first = Promise.withResolvers<string>();
  const { at } = await start();
  await home.svc(payout(), at);
  const ended = home.svc('sandbox requests --follow --after 0 --no-color', {
    ...{ ...at, tty: { stdout: true }, signal: controller.signal, onData: first.resolve },
  });
  expect(await first.promise).toMatch(/\d\d:\d\d:\d\d POST \/v2\/payouts 201 \d+ ms {2}\d+\n/);
  controller.abort(new Stopped('SIGINT', 130));
  await ended;
});

it.each(['x', '0', '1 --follow', '--after 1 --before 2', '--follow -o table', '--status 9', '--status foo'])(
  '%s is refused, and nothing is asked',
  async (words) => {
    expect(await home.svc(`sandbox requests ${words}`)).toMatchObject({ exitCode: 2, stdout: '' });
  },
);

it.each(['--limit 0', '--limit 201', '--after x'])('%s is refused by the sandbox', async (words) => {
  expect(await home.svc(`sandbox requests ${words}`)).toMatchObject({ exitCode: 6, stdout: '' });
});
