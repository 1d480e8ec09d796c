import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import { PENDING, people, person } from '../support/payroll.js';
import { ADDRESS } from '../support/shaky-sandbox.js';
import { batchHome } from '../support/batch-home.js';
import type { RunOptions } from '../support/svc.js';

const PERSON = { stdin: true, stderr: true } as const;
const here = batchHome(people(7), 'live');
const { svc, pay } = here;
const TOTAL = '--confirm-total VES:724.50';
const posts = (): readonly unknown[] => here.shaky.posts;
const run = (flags: string, options?: RunOptions) =>
  svc(`payouts batch ${here.file} --batch june ${flags}`, options);

it('has a name that somebody chose', async () => {
  expect((await svc(`payouts batch ${here.file} ${TOTAL} --first-here`)).exitCode).toBe(2);
  expect(posts()).toEqual([]);
});

describe('a script', () => {
  it.each([
    ...['', '--yes', '--confirm-total VES:724.49', '--confirm-total USD:724.50'],
    '--yes --confirm-total VES:724.51',
  ])('that says %j sends nothing: 13', async (flags) => {
    const result = await run(`${flags} --first-here --json`);
    expect(result.exitCode, result.stderr).toBe(13);
    expect(posts()).toEqual([]);
    expect(result.stderr).toContain('Nothing was sent');
  });

  it.each([TOTAL, '--yes --confirm-total ves:724.5'])('that says %j sends', async (flags) => {
    const result = await run(`${flags} --first-here --json`);
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.json()).toMatchObject({ confirmed: 7 });
  });

  it('sees what it sends before it does', async () => {
    const { stderr } = await run('--first-here --json');
    for (const text of [
      'LIVE',
      `Where it goes\n  Environment  live\n  Address      ${ADDRESS}\n  Company      not known (no operation yet)\n  Profile      none\n`,
      ...['What is sent\n  Batch        june\n', 'SHA-256      ', 'Rows         7'],
      ...['Total        VES 724.50 (7 rows)', 'Line 8       VES 106.50  emp-0006'],
      'Balance      VES 0.00, afterwards -724.50 (negative; payouts are sent anyway)',
      'Reserved     VES 0.00 (0 from this machine)',
      'First here   This machine has paid no batch for this company yet. You said that none of this',
      '--confirm-total VES:724.50',
    ])
      expect(stderr).toContain(text);
    expect(stderr.match(/^ +Line \d/gm)).toHaveLength(5);
    expect(stderr.indexOf('Environment')).toBeLessThan(stderr.indexOf('Batch  '));
    expect(stderr).not.toContain('New since');
  });

  it('sees from when on payments count, in the service’s time and in its own', async () => {
    const zone = { offsetMinutes: () => 330 };
    const { stderr } = await run('--first-here --json --new-since 2026-09-23', { zone });
    expect(stderr).toContain('New since    2026-09-22T18:30:00Z, here 2026-09-23 00:00:00+0530');
    expect((await run('--first-here --json')).stderr).toContain('New since    2026-09-22T18:30:00Z, here');
  });

  it('confirms a batch once, and resumes what was not confirmed only with its total', async () => {
    await run('--json');
    expect((await svc('batches resume june --json')).exitCode).toBe(13);
    expect((await run(`${TOTAL} --first-here --json`)).json()).toMatchObject({ confirmed: 7 });
    expect((await svc('batches resume june --json')).exitCode).toBe(0);
    expect(posts()).toHaveLength(7);
  });

  it('sees the company, and confirms what will be sent: skipped rows are not in the total', async () => {
    await pay(people(3), 'before', '--confirm-total VES:304.50 --first-here');
    expect((await run(`${TOTAL} --json`)).error()).toMatchObject({ code: 'references_paid' });
    expect((await run(`${TOTAL} --skip-paid --json`)).failure()).toBe('13 total_differs');
    const shown = await run('--skip-paid --json');
    expect(shown.stderr).toMatch(/Company {6}[A-Z]{3}\n/);
    expect(shown.stderr).toContain('Total        VES 420.00 (4 rows)');
    expect(shown.stderr).not.toContain('First here');
    expect(posts()).toHaveLength(3);
    const sent = await run('--confirm-total VES:420.00 --json');
    expect(sent.json(), sent.stderr).toMatchObject({ rows: 7, confirmed: 4, earlier: 3 });
  });

  it('is led on from what was paid with the total of what is left, or told that nothing is', async () => {
    await pay(people(3), 'before', '--confirm-total VES:304.50 --first-here');
    const refused = await run(`${TOTAL} --json`);
    const { next_command: next } = refused.error();
    expect(next).toMatch(/ --skip-paid --confirm-total VES:420\.00$/);
    expect(String(next)).not.toContain('VES:724.50');
    expect((await here.paste(next)).json()).toMatchObject({ rows: 7, confirmed: 4, earlier: 3 });
    const again = await pay(people(3), 'again', '--confirm-total VES:304.50');
    expect(again.failure()).toBe('13 references_paid');
    expect(again.error()['message']).toContain('Nothing else is left to pay.');
    const recorded = await here.paste(again.error()['next_command']);
    expect(recorded.json(), recorded.stderr).toMatchObject({ rows: 3, earlier: 3 });
    expect(recorded.exitCode).toBe(0);
    expect(posts()).toHaveLength(7);
  });

  it('leaves a person to type the total of what is left', async () => {
    await pay(people(3), 'before', '--confirm-total VES:304.50 --first-here');
    const refused = await run('--json', { tty: PERSON });
    const [, next = ''] = /^Next: (svc .*)$/m.exec(stripVTControlCharacters(refused.stderr)) ?? [];
    expect(next).toMatch(/ --skip-paid$/);
    const sent = await here.paste(next, { tty: PERSON, stdin: '420.00\n' });
    expect(sent.json(), sent.stderr).toMatchObject({ confirmed: 4, earlier: 3 });
  });

  it('is looked at without --live, and every line that is printed goes live', async () => {
    await run('--first-here --json');
    const looked = await here.home.svc('batches status june --json', { env: here.shaky.env });
    expect(looked.json()['resume_command']).toBe('svc batches resume --live --insecure-loopback june');
    const { transport, env } = here.shaky;
    const elsewhere = await here.home.svc('batches resume june --json', { transport, env });
    expect(elsewhere.failure()).toBe('13 batch_differs');
    expect(elsewhere.error()['message']).toContain('Add --live.');
    expect(elsewhere.error()['message']).toContain('If you mean it: svc batches resume june --json --live');
  });

  it('is found to be live before the key is, where a profile has the live key alone', async () => {
    await run('--first-here --json');
    await here.home.svc(`profiles add shop --base-url ${ADDRESS}`);
    const set = 'profiles set-key shop --key-stdin --insecure-storage';
    await here.home.svc(set, { stdin: 'svc_live_0123456789' });
    for (const verb of ['resume june', 'retry june --failed', 'resolve june --reference emp-0001 --not-paid'])
      expect((await here.home.svc(`batches ${verb} --json`)).failure(), verb).toBe('13 batch_differs');
  });

  it('shows its largest rows with the amounts beneath each other', async () => {
    const { stderr } = await pay([person(0, { amount: '5.00' }), person(1)], 'july', '--first-here --json');
    expect(stderr).toContain('Line 3       VES 101.50  emp-0001\n  Line 2       VES   5.00  emp-0000\n');
  });

  it('says --yes with --skip-feed-check', async () => {
    const line = `${TOTAL} --first-here --skip-feed-check --json`;
    expect((await run(line)).failure()).toBe('13 not_confirmed');
    expect(posts()).toEqual([]);
    expect((await run(`${line} --yes`)).json()).toMatchObject({ confirmed: 7 });
  });
});

describe('a store from which nothing was ever paid', () => {
  it('asks a script to say that none of it was sent from elsewhere', async () => {
    const refused = await run(`${TOTAL} --json`);
    expect(refused.error()).toMatchObject({ code: 'first_here', exit_code: 13, outcome: 'not_sent' });
    expect(posts()).toEqual([]);
    expect((await run(`${TOTAL} --first-here --json`)).json()).toMatchObject({ confirmed: 7 });
    const next = await pay([person(8)], 'july', '--confirm-total VES:108.50');
    expect(next.json(), next.stderr).toMatchObject({ confirmed: 1 });
  });

  it('takes the word of a resume too: the line that is printed for one works', async () => {
    await run('--json');
    const refused = await svc(`batches resume june ${TOTAL} --json`);
    expect(refused.failure()).toBe('13 first_here');
    const [line = ''] = /svc batches resume .*--first-here.*/.exec(String(refused.error()['message'])) ?? [];
    expect((await here.paste(line)).json()).toMatchObject({ confirmed: 7 });
  });

  it('asks each company and each machine for itself', async () => {
    await run(`${TOTAL} --first-here --json`);
    const line = '--confirm-total VES:108.50';
    const other = await pay([person(8)], 'july', line, { env: await here.otherKey('somebody-else') });
    expect(other.error()).toMatchObject({ code: 'first_here' });
    const elsewhere = await pay([person(8)], 'july', line, { env: here.machine('b') });
    expect(elsewhere.error()).toMatchObject({ code: 'first_here' });
  });

  it('shows a person what is reserved and what of it this machine knows', async () => {
    const env = here.machine('b');
    await pay([person(8, PENDING)], 'there', '--confirm-total VES:108.50 --first-here', { env });
    const result = await run('--no-color', { tty: PERSON, stdin: '724.50\n' });
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.stderr).toContain('Reserved     VES 108.50 (0 from this machine)');
  });
});

describe('a person', () => {
  it.each([
    ['', '724.50\n'],
    ['', 'VES 724.5\n'],
    ['--first-here', '724.50\n'],
  ])('who says %j and types the total (%j) is asked nothing else, and sends', async (flags, stdin) => {
    const result = await run(`${flags} --no-color`, { tty: PERSON, stdin });
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.stderr).not.toContain('?');
    expect(result.stderr.match(/^Type /gm)).toHaveLength(1);
    expect(posts()).toHaveLength(7);
  });

  it.each(['yes\n', '724\n', '\n', ''])('who types %j sends nothing', async (stdin) => {
    expect((await run('', { tty: PERSON, stdin })).exitCode).toBe(13);
    expect(posts()).toEqual([]);
  });

  it('who stops at the question sends nothing and confirms nothing, whatever is typed after it', async () => {
    const stop = new AbortController();
    const onNote = (text: string): void => {
      if (text.includes('Type the total')) stop.abort(new Stopped('SIGINT', 130));
    };
    const result = await run('', { tty: PERSON, stdin: '724.50\n', signal: stop.signal, onNote });
    expect(result.exitCode).toBe(130);
    expect(result.stderr).toContain('Nothing was sent.');
    expect((await run('--first-here --json')).error()).toMatchObject({ code: 'not_confirmed' });
    expect(posts()).toEqual([]);
  });

  it('who said --no-input is not asked', async () => {
    expect((await run('--no-input', { tty: PERSON, stdin: '724.50\n' })).exitCode).toBe(13);
  });
});

it('a store that was lost asks again before it sends where a person has thought for long: a payment of meanwhile is found', async () => {
  const env = here.machine('b');
  let paid = Promise.resolve<unknown>(null);
  const onNote = (text: string): void => {
    if (!text.includes('Type the total')) return;
    here.home.clock.advance(120_000);
    paid = pay([person(0)], 'there', '--confirm-total VES:100.50 --first-here', { env });
  };
  const readLine = async (): Promise<string> => {
    await paid;
    return '724.50';
  };
  const result = await run('--json', { tty: PERSON, stdin: '724.50\n', onNote, readLine });
  expect(result, result.stderr).toMatchObject({ exitCode: 13 });
  expect(result.stderr).toContain('was paid already, or may have been');
  expect(posts()).toHaveLength(1);
});

it('tells a person who typed another total what was typed, and what the total is', async () => {
  const { stderr, exitCode } = await run('--first-here', { tty: PERSON, stdin: '724,50\n' });
  expect(exitCode).toBe(13);
  expect(stripVTControlCharacters(stderr)).toContain('"724,50" is not the total VES 724.50.');
  expect(stderr).not.toContain('In a script');
  expect(posts()).toEqual([]);
});

it('prints a line that works after another total was typed, also the first time here', async () => {
  const typed = async (words: string): Promise<string> => {
    const { stderr } = await run(words, { tty: PERSON, stdin: '1\n' });
    return stripVTControlCharacters(stderr).replaceAll(/\s+/g, ' ');
  };
  expect(await typed('')).toMatch(/If these totals are right: svc payouts batch (?!.*--confirm-total)/);
  expect(await typed('--first-here')).toMatch(/If these totals are right: .* --confirm-total VES:724\.50/);
});
