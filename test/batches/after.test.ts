import { describe, expect, it } from 'vitest';
import { batchHome } from '../support/batch-home.js';
import { FAILING, PENDING, csv, fileIn, people, person } from '../support/payroll.js';
import { refusal } from '../support/shaky-sandbox.js';
import { wordsOf } from '../support/typed.js';

const here = batchHome([person(0), person(1, FAILING), person(2)]);
const { svc, begin } = here;
const PERSON = { tty: { stdin: true, stdout: true, stderr: true }, env: { NO_COLOR: '1' } };
const lineBehind = (text: string, lead: string): string =>
  new RegExp(`^${lead}: (svc .*)$`, 'm').exec(text)?.[1] ?? '';

describe('batches status', () => {
  it.each(['pya', 'pa', 'pay2'])('%s asks whether the known batch was meant', async (name) => {
    await begin('answered', 'answered', 'answered');
    const { stderr, exitCode } = await svc(['batches', 'status', name], { ...PERSON, columns: 120 });
    expect(exitCode).toBe(5);
    const said = `There is no batch ${name} on this machine. Did you mean pay? See "svc batches list".`;
    expect(stderr).toContain(`Error: ${said}\n`);
    expect((await svc('batches status november', PERSON)).stderr).not.toContain('mean');
  });

  it('shows each failed and rejected row with its reference, amount, reason and what to do', async () => {
    await begin('answered', 'answered', refusal(400, 'method_unavailable'));
    const { stdout } = await svc('batches status pay', { ...PERSON, columns: 120 });
    expect(stdout).toMatch(/^Environment +sandbox\nAddress .*\n(.*\n)?Batch +pay\n/m);
    expect(stdout).toContain(
      [
        'Failed and rejected rows',
        'Line  Reference      Amount  Reason                               What to do',
        '   3  emp-0001   101.50 VES  the account or phone does not exist  correct the account',
      ].join('\n'),
    );
    expect(stdout).toMatch(/^ +4 +emp-0002 +102\.50 VES +\S.* use another method, or retry it later$/m);
  });

  it.each([60, 80])('in %i columns too, and nothing is cut off', async (columns) => {
    await begin();
    const { stdout } = await svc('batches status pay', { ...PERSON, columns });
    const words = stdout.replace(/\s+/g, ' ');
    for (const text of ['emp-0001', '101.50 VES', 'correct the']) expect(words).toContain(text);
    for (const line of stdout.split('\n'))
      if (!/[0-9a-f]{64}|svc /.test(line)) expect(line.length).toBeLessThanOrEqual(columns);
  });

  it('shows the first twenty, and the line that shows the rest works', async () => {
    fileIn(here.home.home, 'pay.csv', csv(people(23, () => FAILING)));
    await begin();
    const { stdout } = await svc('batches status pay', PERSON);
    expect(stdout.match(/^ +\d+ +emp-\d{4} /gm)).toHaveLength(20);
    const line = lineBehind(stdout, '3 more');
    expect((await here.home.svc(wordsOf(line))).stdout.trimEnd().split('\n')).toHaveLength(24);
    const retried = await here.paste(lineBehind(stdout, 'Retry them as they are'));
    expect(retried.stderr).toContain('Retrying 23 rows of batch pay.');
  });

  it('says nothing of rows where all were paid', async () => {
    fileIn(here.home.home, 'pay.csv', csv(people(2)));
    await begin();
    const { stdout } = await svc('batches status pay', PERSON);
    expect(stdout).not.toMatch(/Failed and rejected|Retry/);
  });

  it('counts as unknown what the export has in other states, which says so', async () => {
    const lost = ['lost-after', 'lost-after', 'lost-after'] as const;
    await begin(...lost, refusal(401, 'unauthorized'));
    const { states } = (await svc('batches status pay --json')).json() as { states: Record<string, number> };
    expect(states).toMatchObject({ unknown: 1 });
    const none = await svc('batches export pay --state intent,needs_review', PERSON);
    expect(none.stdout).toContain('No rows');
    expect(none.stderr).toContain('Other rows have an unknown outcome: add --state unknown');
    expect((await svc('batches export pay --state confirmed', PERSON)).stderr).not.toContain('unknown');
  });

  it('the words of its table are those that "batches export" takes and shows', async () => {
    fileIn(here.home.home, 'pay.csv', csv(people(2, (at) => (at === 0 ? PENDING : {}))));
    await begin();
    expect((await svc('batches status pay', PERSON)).stdout).toMatch(/^○ pending +1 /m);
    const pending = await svc('batches export pay --state pending', PERSON);
    expect(pending.stdout).toMatch(
      /^Line +State +Reference +Amount[^]*^ +2 +○ pending +emp-0000 +100\.50 VES/m,
    );
    expect(pending.stdout).not.toContain('emp-0001');
    const none = await svc('batches export pay --state not_sent,pending --json');
    expect(none.json()).toMatchObject({ rows: [{ state: 'accepted' }] });
  });

  it('gives a script the object that it always was', async () => {
    await begin();
    const status = (await svc('batches status pay --json')).json();
    expect(Object.keys(status)).toEqual([
      ...['batch', 'rows', 'confirmed', 'earlier', 'pending', 'failed', 'rejected', 'unknown', 'not_sent'],
      ...['totals', 'resume_command', 'states', 'type', 'environment', 'address', 'created_at', 'file'],
      ...['file_sha256', 'profile'],
    ]);
  });
});

it('a run, a resume and a retry end with the same summary, and say how many were not paid', async () => {
  const run = await svc(`payouts batch ${here.file}`, PERSON);
  const retry = await svc('batches retry pay --failed', PERSON);
  const status = await svc('batches status pay', PERSON);
  const tableOf = (text: string): string => text.slice(text.indexOf('State '));
  expect(run.stdout).toMatch(/^✓ confirmed +2 +203\.00\n✗ failed +1 +101\.50\ntotal +3 +304\.50$/m);
  expect(tableOf(retry.stdout)).toBe(tableOf(run.stdout));
  expect(tableOf(status.stdout)).toBe(tableOf(run.stdout));
  for (const { stderr } of [run, retry]) expect(stderr).toContain('1 row failed and was not paid.');
  expect(retry.stderr).toContain('Retrying 1 row of batch pay.');
});

describe('batches export', () => {
  const references = (text: string) => [...text.matchAll(/^\d+,([^,]*)/gm)].map(([, one]) => one);

  const WORDS = ['--state failed,rejected', '--state failed --state rejected', '--state=rejected,failed'];
  it.each(WORDS)('%s prints those rows alone', async (words) => {
    await begin('answered', 'answered', refusal(400, 'method_unavailable'));
    expect(references((await svc(`batches export pay ${words}`)).stdout)).toEqual(['emp-0001', 'emp-0002']);
    expect(references((await svc('batches export pay --state confirmed')).stdout)).toEqual(['emp-0000']);
  });

  it('refuses a state that there is none of, alone or in a list', async () => {
    await begin();
    for (const words of ['nonsense', 'failed,nonsense', ','])
      expect((await svc(['batches', 'export', 'pay', '--state', words])).exitCode).toBe(2);
  });
});

it('a drop shows what it removed, and no table of states', async () => {
  await begin();
  const { stdout } = await svc('batches drop pay', PERSON);
  expect(stdout).toContain('Rows dropped');
  expect(stdout).not.toContain('State');
});
