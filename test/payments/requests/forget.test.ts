import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KEY, LOST, shop } from '../../support/open-request.js';
import { payout } from '../../support/requests.js';
import { cut, inTurn, startService, type Service } from '../../support/service.js';
import { eachWorld, type Result, type RunOptions } from '../../support/svc.js';

const PERSON = { stdin: true, stderr: true } as const;

let service: Service;
const home = eachWorld();
beforeAll(async () => (service = await startService(inTurn(cut))));
afterAll(() => service.stop());

const LIVE = ['--live', '--insecure-loopback'];
const live = (words: readonly string[], options: RunOptions = {}): Promise<Result> => {
  const env = { SVC_BASE_URL: service.url, SVC_API_KEY: 'svc_live_0123456789' };
  return home.svc([...words, ...LIVE], { ...options, env, wire: true });
};
const lose = async (key: string, amount: string): Promise<void> => {
  const lost = await live([...payout('12345678', amount), '--reference', key, '--idempotency-key', key]);
  expect(lost.exitCode, lost.stderr).toBe(12);
};
const forget = (words: readonly string[], options: RunOptions = {}): Promise<Result> =>
  home.svc(['requests', 'forget', ...words], options);
const open = async (): Promise<number> =>
  ((await home.svc('requests list')).json() as { requests: unknown[] }).requests.length;

describe('live', () => {
  beforeEach(async () => {
    await lose('rent-2026-11', '5.00');
    await lose('rent-2026-12', '7.50');
  });

  it('types the total of one, or of all', async () => {
    const one = await forget(['rent-2026-11'], { tty: PERSON, stdin: '5.0\n' });
    expect(one.exitCode, one.stderr).toBe(0);
    const said = stripVTControlCharacters(one.stderr);
    expect(said).toContain('LIVE');
    expect(said).toMatch(/^ {2}live payouts\.create 5\.00 VES rent-2026-11$/m);
    expect(await open()).toBe(1);
    await lose('rent-2027-01', '2.50');
    expect((await forget(['--all'], { tty: PERSON, stdin: 'VES:10.00\n' })).exitCode).toBe(0);
    expect(await open()).toBe(0);
  });

  it.each(['yes\n', '5.01\n', '\n', ''])('forgets nothing for %j', async (stdin) => {
    expect((await forget(['rent-2026-11'], { tty: PERSON, stdin })).exitCode).toBe(13);
    expect(await open()).toBe(2);
  });

  it.each([
    [['rent-2026-11'], 'svc requests repeat --live -- rent-2026-11'],
    [['--all'], 'svc requests repeat --all --live'],
  ])('leads whoever declines %j to the repetition, and not to what was declined', async (which, next) => {
    const { stderr } = await forget(which, { tty: PERSON, stdin: 'no\n' });
    const said = stripVTControlCharacters(stderr);
    expect(said).toContain(`Not confirmed. Nothing was forgotten. Repeat `);
    expect(said).toContain(`Next: ${next}\n`);
    expect(said).not.toMatch(/--yes|In a script/);
  });

  it('is 13 with --no-input at a terminal, and says in words which line does it', async () => {
    const refused = await forget(['rent-2026-11', '--no-input', '--json'], { tty: PERSON, stdin: '5.00\n' });
    expect([refused.exitCode, await open()]).toEqual([13, 2]);
    const said = stripVTControlCharacters(refused.stderr);
    expect(said).toContain('Next: svc requests forget --yes -- rent-2026-11\n');
  });

  it('is 13 without a terminal, and prints the line that does it', async () => {
    const refused = await forget(['rent-2026-11', '--json']);
    expect([refused.exitCode, await open()]).toEqual([13, 2]);
    const next_command = 'svc requests forget --yes -- rent-2026-11';
    expect(refused.error()).toMatchObject({ code: 'not_confirmed', outcome: 'unknown', next_command });
    const all = (await forget(['--all', '--json'])).error();
    expect(all).toMatchObject({ next_command: 'svc requests forget --all --yes' });
    expect(all['message']).toMatch(/^live payouts\.create 7\.50 VES rent-2026-12$/m);
    expect((await forget(['--yes', '--', 'rent-2026-11'])).exitCode).toBe(0);
    expect(await open()).toBe(1);
  });

  it('does not forget what has left while somebody was asked', async () => {
    const readLine = async (): Promise<string> => {
      await lose('rent-2027-01', '1.00');
      return '12.50';
    };
    const late = await forget(['--all'], { tty: PERSON, readLine });
    expect([late.exitCode, await open()], late.stderr).toEqual([13, 3]);
  });
});

describe('in the sandbox', () => {
  it.each(['yes\n', 'y\n', ' Y \n'])(
    'asks for a yes, takes %j, and is 13 without a terminal',
    async (stdin) => {
      const { svc, pay, open } = shop();
      await pay(KEY, LOST);
      expect((await svc(`requests forget ${KEY}`)).exitCode).toBe(13);
      expect((await svc(`requests forget ${KEY}`, { tty: PERSON, stdin: 'no\n' })).exitCode).toBe(13);
      expect(await open()).toHaveLength(1);
      const done = await svc(`requests forget ${KEY}`, { tty: PERSON, stdin });
      expect([done.exitCode, done.stderr.includes('LIVE'), await open()]).toEqual([0, false, []]);
    },
  );

  it('is asked nothing where nothing is open', async () => {
    const { svc } = shop();
    expect((await svc('requests forget --all')).json()).toEqual({ forgotten: 0 });
    expect((await svc(`requests forget ${KEY}`)).exitCode).toBe(5);
  });
});

describe('what is said afterwards', () => {
  it.each(['repeat', 'show', 'forget'])('by %s: it was removed, and may have paid', async (verb) => {
    const { svc, pay } = shop();
    await pay(KEY, LOST);
    await svc(`requests forget ${KEY} --yes`);
    const said = (await svc(`requests ${verb} ${KEY} --json`)).error();
    expect(said).toMatchObject({ code: 'forgotten', exit_code: 5, outcome: 'unknown', idempotency_key: KEY });
    expect(said['message']).toMatch(/was never known, and somebody removed it: it may have paid\./);
  });

  it.each(['repeat', 'show', 'forget'])('by %s of what is settled: what it became', async (verb) => {
    const { svc, pay } = shop();
    await pay(KEY, LOST);
    const { id } = (await svc(`requests repeat ${KEY}`)).json() as { id: string };
    const said = (await svc(`requests ${verb} ${KEY} --json`)).error();
    const line = `transactions get --sandbox ${id}`;
    expect(said).toMatchObject({ exit_code: 5, outcome: 'not_sent', next_command: `svc ${line}` });
    expect(said['message']).toContain(`it made operation ${id}, which was confirmed`);
    expect((await svc(line)).json()).toMatchObject({ id });
  });
});

it('of what was forgotten live the lines are those of live, wherever it is asked for', async () => {
  await lose('rent-2026-11', '5.00');
  await forget(['--yes', '--', 'rent-2026-11']);
  const said = (await home.svc('requests show rent-2026-11 --json')).error();
  expect(said['message']).toContain('"svc events list --all --live"');
  expect(said['message']).toContain('svc requests resolve --operation ID --live -- rent-2026-11');
});

it('of what is open live nothing is repeated in the sandbox, and the line for it is printed', async () => {
  await lose('rent-2026-11', '5.00');
  for (const which of [['--all'], ['--', 'rent-2026-11']]) {
    const here = await home.svc(['requests', 'repeat', '--json', ...which]);
    expect(here.exitCode, here.stderr).toBe(13);
    expect(here.stderr).toContain('svc requests repeat --live -- rent-2026-11');
    expect(here.error()['next_command']).toBe(
      `svc requests repeat ${which[0] === '--all' ? '--all --live' : '--live -- rent-2026-11'}`,
    );
  }
});
