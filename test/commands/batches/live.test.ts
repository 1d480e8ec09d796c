/** Live batches: nobody sends one without its exact totals. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stopped } from '../../../src/runtime/ports.js';
import { csv, fileIn, people } from '../../support/payroll.js';
import { ADDRESS, liveKey, shakySandbox, type ShakySandbox } from '../../support/shaky-sandbox.js';
import { world, type Result, type RunOptions, type World } from '../../support/svc.js';

let home: World;
let shaky: ShakySandbox;
let file: string;
let key: string;
beforeEach(async () => {
  home = world();
  shaky = shakySandbox(home.clock);
  file = fileIn(home.home, 'pay.csv', csv(people(7)));
  key = await liveKey(shaky);
});
afterEach(() => {
  shaky.sandbox.close();
  home.remove();
});

const PERSON = { stdin: true, stderr: true } as const;
const svc = (line: string, options: RunOptions = {}): Promise<Result> =>
  home.svc(`${line} --live --insecure-loopback`, {
    transport: shaky.transport,
    ...options,
    env: { SVC_BASE_URL: ADDRESS, SVC_API_KEY: key, ...options.env },
  });
const run = (flags: string, options: RunOptions = {}): Promise<Result> =>
  svc(`payouts batch ${file} --batch june ${flags}`, options);

it('has a name that somebody chose', async () => {
  const result = await svc(`payouts batch ${file} --confirm-total VES:724.50`);
  expect(result.exitCode).toBe(2);
  expect(shaky.posts).toEqual([]);
});

describe('a script', () => {
  it.each([
    '',
    '--yes',
    '--confirm-total VES:724.49',
    '--confirm-total USD:724.50',
    '--yes --confirm-total VES:724.51',
  ])('that says %j sends nothing: 13', async (flags) => {
    const result = await run(`${flags} --json`);
    expect(result.exitCode, result.stderr).toBe(13);
    expect(shaky.posts).toEqual([]);
    expect(result.stderr).toContain('Nothing was sent');
  });

  it.each(['--confirm-total VES:724.50', '--yes --confirm-total ves:724.5'])(
    'that says %j sends',
    async (flags) => {
      const result = await run(`${flags} --json`);
      expect(result.exitCode, result.stderr).toBe(0);
      expect(result.json()).toMatchObject({ confirmed: 7 });
    },
  );

  it('sees what it sends before it does', async () => {
    const { stderr } = await run('--json');
    for (const text of [
      'LIVE',
      'batch        june',
      'environment  live',
      `host         ${ADDRESS}`,
      'profile      none',
      'sha256       ',
      'rows         7',
      'total        VES 724.50 (7 rows)',
      'largest      VES 106.50  emp-0006 (line 8)',
      'balance      VES 0.00, after it -724.50 (negative',
      '--confirm-total VES:724.50',
    ]) {
      expect(stderr).toContain(text);
    }
    expect(stderr.match(/largest/g)).toHaveLength(5);
  });

  it('confirms a batch once, and resumes what was not confirmed only with its total', async () => {
    await run('--json');
    expect((await svc('batches resume june --json')).exitCode).toBe(13);
    const resumed = await svc('batches resume june --confirm-total VES:724.50 --json');
    expect(resumed.json()).toMatchObject({ confirmed: 7 });
    expect((await svc('batches resume june --json')).exitCode).toBe(0);
    expect(shaky.posts).toHaveLength(7);
  });

  it('is not taken into the sandbox by its name', async () => {
    await run('--confirm-total VES:724.50 --json');
    const result = await home.svc(`payouts batch ${file} --batch june --json`, {
      transport: shaky.transport,
      env: shaky.env,
    });
    expect(result.error()).toMatchObject({ code: 'batch_differs', exit_code: 13 });
  });
});

describe('a person', () => {
  it.each(['724.50\n', 'VES 724.5\n'])('who types the total (%j) sends', async (stdin) => {
    const result = await run('', { tty: PERSON, stdin });
    expect(result.exitCode, result.stderr).toBe(0);
    expect(shaky.posts).toHaveLength(7);
  });

  it.each(['yes\n', '724\n', '\n', ''])('who types %j sends nothing', async (stdin) => {
    expect((await run('', { tty: PERSON, stdin })).exitCode).toBe(13);
    expect(shaky.posts).toEqual([]);
  });

  it('who stops at the question sends nothing and confirms nothing, whatever is typed after it', async () => {
    const stop = new AbortController();
    const onNote = (text: string): void => {
      if (text.includes('Type the total')) stop.abort(new Stopped('SIGINT', 130));
    };
    const result = await run('', { tty: PERSON, stdin: '724.50\n', signal: stop.signal, onNote });
    expect(result.exitCode).toBe(130);
    expect(result.stderr).toContain('Nothing was sent.');
    expect((await svc('batches resume june --json')).error()).toMatchObject({ code: 'not_confirmed' });
    expect(shaky.posts).toEqual([]);
  });

  it('who said --no-input is not asked', async () => {
    expect((await run('--no-input', { tty: PERSON, stdin: '724.50\n' })).exitCode).toBe(13);
  });
});

describe('a store that was lost', () => {
  const lose = (): void => rmSync(join(home.home, '.local/state/svc'), { recursive: true });
  const TOTAL = '--confirm-total VES:724.50 --json';

  it('sends again what the service still knows by its keys', async () => {
    await run(TOTAL);
    lose();
    home.clock.advance(22 * 3_600_000);
    expect((await run(TOTAL)).json()).toMatchObject({ confirmed: 7 });
    expect(new Set(shaky.posts.map(({ headers }) => headers['idempotency-key'])).size).toBe(7);
  });

  it('sends a row again while its key is safe, and not once the run has come to it too late', async () => {
    await run(TOTAL);
    lose();
    home.clock.advance(22.5 * 3_600_000);
    const onNote = (text: string): void => {
      if (text.includes('Type the total')) home.clock.advance(3_600_000);
    };
    const result = await run('--json', { tty: PERSON, stdin: '724.50\n', onNote });
    expect(result.json()).toMatchObject({ confirmed: 0, unknown: 7, states: { needs_review: 7 } });
    expect(shaky.posts).toHaveLength(7);
  });

  it('sends nothing that may have been paid longer ago, unless that is meant', async () => {
    await run(TOTAL);
    lose();
    home.clock.advance(24 * 3_600_000);
    const refused = await run(TOTAL);
    expect(refused.error()).toMatchObject({ code: 'rows_repeated', exit_code: 13, outcome: 'not_sent' });
    expect(refused.error()['message']).toMatch(
      /7 of the references[^]*line 2: emp-0000 is .*confirmed, 100.50 VES/,
    );
    expect((await svc('batches list --json')).json()).toEqual({ batches: [] });
    expect(shaky.posts).toHaveLength(7);
    expect((await run(`${TOTAL} --allow-repeat`)).json()).toMatchObject({ confirmed: 7 });
  });

  it('looks for every batch until it has known the address for 35 days, whatever was planned and not sent', async () => {
    let pages = 0;
    const transport: RunOptions['transport'] = (request, options) => {
      if (request.url.includes('/v2/events')) pages += 1;
      return shaky.transport(request, options);
    };
    const next = async (
      name: string,
      days: number,
      total = '--confirm-total VES:202.00',
    ): Promise<number> => {
      home.clock.advance(days * 24 * 3_600_000);
      const path = fileIn(home.home, `${name}.csv`, csv(people(2, (at) => ({ reference: `${name}-${at}` }))));
      pages = 0;
      const result = await svc(`payouts batch ${path} --batch ${name} ${total} --json`, { transport });
      expect(result.exitCode, result.stderr).toBe(total === '' ? 13 : 0);
      return pages;
    };
    expect(await next('unsent', 0, '')).toBeGreaterThan(0);
    expect(await next('first', 36)).toBeGreaterThan(0);
    expect(await next('second', 34)).toBeGreaterThan(0);
    expect(await next('third', 2)).toBe(0);
  });

  it.each([
    [403, 'scope_missing', 0, 'not known whether an earlier run'],
    [503, 'temporarily_unavailable', 10, 'rchive'],
  ])('whose events end with %i %s ends with %i', async (status, code, exitCode, note) => {
    const transport: RunOptions['transport'] = (request, options) => {
      if (!request.url.includes('/v2/events')) return shaky.transport(request, options);
      const body = Buffer.from(JSON.stringify({ error: { code, message: 'Archive.' } }));
      return Promise.resolve({ status, headers: [['content-type', 'application/json']], body });
    };
    const result = await run(TOTAL, { transport });
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.stderr).toContain(note);
    expect(shaky.posts).toHaveLength(exitCode === 0 ? 7 : 0);
  });
});
