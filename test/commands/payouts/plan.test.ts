import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPlan } from '../../../src/batches/approval/open-plan.js';
import { findSignatures } from '../../../src/batches/approval/signature-files.js';
import { verifySignatures } from '../../../src/batches/approval/verify.js';
import { systemRandom } from '../../../src/runtime/clock.js';
import { commandLine } from '../../../src/runtime/shell.js';
import { batchHome } from '../../support/batch-home.js';
import { fresh } from '../../support/fresh.js';
import { bodyOf, csv, fileIn, people as payroll, person } from '../../support/payroll.js';
import { approving } from '../../support/plans.js';
import { payout } from '../../support/requests.js';
import { keyOf } from '../../support/shaky-sandbox.js';
import { wordsInShell } from '../../support/shell.js';
import { HAS_KEYGEN, KEYGEN, keygenMachine, people } from '../../support/signers.js';
import type { Result, RunOptions } from '../../support/svc.js';
import { HOSTILE_WORDS } from '../../support/typed.js';

const here = batchHome(payroll(4), 'live');
const someone = fresh(people, 'file');

const planPath = (): string => join(here.home.home, 'june.plan');
const BATCH = (): string => `payouts batch ${here.file} --batch june`;
const planned = (flags = '', options: RunOptions = {}): Promise<Result> =>
  here.svc(`${BATCH()} --plan ${planPath()} ${flags} --json`, { machine: keygenMachine(), ...options });
const bytesSent = (): string[] => here.shaky.posts.map(({ body }) => String(body));
const USAGE = (text: string) => ({ code: 'usage', message: expect.stringContaining(text) as string });
const linesOf = (path = planPath()): string[] => readFileSync(path, 'utf8').trimEnd().split('\n');
const headOf = (): Record<string, unknown> => JSON.parse(linesOf()[0]!) as Record<string, unknown>;

const READ = { allow: 'read' };
const LIFE = { left_out: 0, made_at: '2026-09-23T15:00:00Z', valid_until: '2026-09-26T15:00:00Z' };

it('writes the very bytes that would leave, and nothing leaves', async () => {
  const result = await planned();
  expect(result.exitCode, result.stderr).toBe(0);
  expect(here.shaky.posts).toEqual([]);
  expect(statSync(planPath()).mode & 0o777).toBe(0o600);
  expect(headOf()).toEqual({
    ...{ svc_plan: 1, environment: 'live', address: 'http://localhost:4010', company: null },
    ...{ direction: 'payout', batch: 'june', since: null, rows: 4 },
    totals: [{ currency: 'VES', rows: 4, total: '408.00' }],
    ...{ ...LIFE, maker: null },
  });
  const { digest, ...answer } = result.json();
  expect(digest).toBe(execFileSync('sha256sum', [planPath()]).toString().slice(0, 64));
  expect(answer).toEqual({
    ...{ plan: planPath(), batch: 'june', environment: 'live', type: 'payout', rows: 4 },
    totals: [{ currency: 'VES', rows: 4, total: '408.00' }],
    ...{ ...LIFE, maker: null, signature: null },
  });
  const [, next] = /To look at it: (svc .*)$/m.exec(result.stderr) ?? [];
  const looked = await here.paste(next, { machine: keygenMachine() });
  expect(looked.json(), looked.stderr).toMatchObject({ digest, batch: 'june', rows: 4 });
  // No batch stands there, and the file can be sent as ever.
  expect((await here.svc('batches list --json')).json()).toEqual({ batches: [] });
  const sent = await here.svc(`${BATCH()} --confirm-total VES:408.00 --first-here --concurrency 1 --json`);
  expect(sent.exitCode, sent.stderr).toBe(0);
  expect(bytesSent()).toEqual(linesOf().slice(1));
});

it('needs a key that may read, and asks for no total and for nothing that was sent elsewhere', async () => {
  const key = await keyOf(here.shaky, 'default', 'live', ['operaciones:leer']);
  const result = await planned('', { env: { SVC_API_KEY: key } });
  expect(result.exitCode, result.stderr).toBe(0);
  expect(result.stderr).not.toContain('first-here');
});

it('leaves out what was paid, and names an operation of the company', async () => {
  await here.pay(payroll(2), 'may', '--confirm-total VES:202.00 --first-here');
  expect((await planned()).failure()).toBe('13 references_paid');
  expect(readdirSync(here.home.home)).not.toContain('june.plan');
  expect((await planned('--skip-paid')).json()).toMatchObject({ rows: 2, left_out: 2 });
  expect(headOf()).toMatchObject({
    company: {
      letters: expect.stringMatching(/^[A-Z]{3}$/) as string,
      operation: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    },
    totals: [{ currency: 'VES', rows: 2, total: '206.00' }],
  });
  for (const [at, line] of linesOf().slice(1).entries()) expect(line).toContain(`"emp-000${at + 2}"`);

  await here.pay(payroll(4), 'rest', '--skip-paid --confirm-total VES:206.00');
  expect((await planned('--skip-paid')).error()).toMatchObject(USAGE('left to pay'));
});

it('is made where nothing may be sent: whoever applies it is asked', async () => {
  const policy = { version: 1, payouts: READ };
  expect((await planned('', { machine: keygenMachine(policy) })).exitCode).toBe(0);
  const dry = await here.svc(`${BATCH()} --dry-run --json`, { machine: keygenMachine(policy) });
  expect(dry.error()).toMatchObject({ code: 'policy_refused' });
});

it('says since when payments count', async () => {
  await planned('--new-since 2026-09-01T00:00:00.250Z');
  expect(headOf()).toMatchObject({ since: '2026-09-01T00:00:00.250Z' });
});

it('writes a row of NDJSON in the one spelling, and refuses one that would be another then', async () => {
  const rows = payroll(3).map(bodyOf);
  const spaced = [JSON.stringify(rows[0], null, 1).replaceAll('\n', ' '), JSON.stringify(rows[1])];
  const file = (lines: string[]): string => fileIn(here.home.home, 'pay.ndjson', `${lines.join('\n')}\n`);
  const plan = (path: string) => here.svc(`payouts batch ${path} --batch june --plan ${planPath()} --json`);
  expect((await plan(file(spaced))).exitCode).toBe(0);
  expect(linesOf().slice(1)).toEqual(rows.slice(0, 2).map((row) => JSON.stringify(row)));
  const long = JSON.stringify({ ...rows[2], metadata: { n: 7 } }).replace('7}', '12345678901234567890}');
  const refused = await plan(file([...spaced, long]));
  expect(refused.failure()).toBe('14 bad_file');
  expect(refused.error()['message']).toContain('line 3: has a number with more digits than are kept');
  expect(readdirSync(here.home.home).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

describe('how long it may be sent', () => {
  const policy = (valid_for: string) => ({ version: 1, payouts: READ, approvals: { valid_for } });

  it.each([
    ['', undefined, '2026-09-26T15:00:00Z'],
    ['--valid-for 90m', undefined, '2026-09-23T16:30:00Z'],
    ['--valid-for 240h', undefined, '2026-10-03T15:00:00Z'],
    ['', policy('24h'), '2026-09-24T15:00:00Z'],
    ['--valid-for 24h', policy('24h'), '2026-09-24T15:00:00Z'],
    ['', policy('240h'), '2026-09-26T15:00:00Z'],
  ])('with %j and a policy of %j', async (flags, given, until) => {
    const result = await planned(flags, { machine: keygenMachine(given) });
    expect(result.json(), result.stderr).toMatchObject({ valid_until: until });
  });

  it('is no longer than the policy says', async () => {
    const result = await planned('--valid-for 25h', { machine: keygenMachine(policy('24h')) });
    expect(result.error()).toMatchObject({ code: 'plan_valid_too_long', exit_code: 13, next_command: null });
  });

  it.each(['--valid-for 59s', '--valid-for soon'])('takes no %s', async (flags) => {
    expect((await planned(flags)).exitCode).toBe(2);
  });

  it('is by the time of the service: without one there is no plan', async () => {
    const transport: RunOptions['transport'] = async (request, options) => {
      const answer = await here.shaky.transport(request, options);
      return { ...answer, headers: answer.headers.filter(([name]) => name.toLowerCase() !== 'date') };
    };
    const result = await planned('', { transport });
    expect(result.failure()).toBe('13 time_unknown');
    expect(readdirSync(here.home.home)).not.toContain('june.plan');
  });
});

describe('what is in the way', () => {
  it('is another file, and not a plan', async () => {
    writeFileSync(planPath(), 'mine');
    expect((await planned()).failure()).toBe('13 file_in_the_way');
    expect(readFileSync(planPath(), 'utf8')).toBe('mine');
    writeFileSync(planPath(), '');
    expect((await planned()).exitCode).toBe(0);
    fileIn(here.home.home, 'pay.csv', csv([person(7)]));
    expect((await planned()).json()).toMatchObject({ rows: 1 });
    expect(linesOf()).toHaveLength(2);
  });

  it('is a plan that somebody has signed, who is not its maker', async () => {
    expect((await planned()).exitCode).toBe(0);
    writeFileSync(`${planPath()}.maker.sig`, 'the signature of the maker');
    fileIn(here.home.home, 'pay.csv', csv([person(7)]));
    expect((await planned()).json()).toMatchObject({ rows: 1 });
    writeFileSync(`${planPath()}.pEVJin0x.sig`, 'a signature');
    fileIn(here.home.home, 'pay.csv', csv(payroll(4)));
    const refused = await planned();
    expect(refused.failure()).toBe('13 file_in_the_way');
    expect(refused.error()['message']).toBe(
      `${planPath()} is a plan that somebody has signed (${planPath()}.pEVJin0x.sig). Nothing was written. Name another file.`,
    );
    expect(linesOf()).toHaveLength(2);
    rmSync(planPath());
    expect((await planned()).exitCode).toBe(0);
  });

  it.each([
    ['--ssh-key k', '--ssh-key belongs to --plan'],
    ['--valid-for 1h', '--valid-for belongs to --plan'],
    ['--plan x.plan --dry-run', 'leave --dry-run out'],
  ])('is %j', async (flags, text) => {
    expect((await here.svc(`${BATCH()} ${flags} --json`)).error()).toMatchObject(USAGE(text));
  });

  it('is a pay-in: nobody approves those', async () => {
    expect((await here.svc(`payins batch ${here.file} --plan x.plan --json`)).exitCode).toBe(2);
  });
});

describe.skipIf(!HAS_KEYGEN)('the maker', () => {
  it('signs it with a key of their own', async () => {
    const result = await planned(`--ssh-key ${someone.key('maker')}`);
    expect(result.exitCode, result.stderr).toBe(0);
    const maker = someone.fingerprint('maker');
    expect(result.json()).toMatchObject({ maker, signature: `${planPath()}.maker.sig` });
    expect(statSync(`${planPath()}.maker.sig`).mode & 0o777).toBe(0o600);
    await using plan = await openPlan(planPath(), { random: systemRandom });
    expect(plan).toMatchObject({ digest: result.json()['digest'], head: { maker } });
    const { signatures } = findSignatures(planPath());
    const world = { keygen: KEYGEN, signers: someone.list, serviceMs: here.home.clock.now() };
    const { verified, refused } = await verifySignatures(plan, signatures, world);
    expect(refused).toEqual([]);
    expect(verified).toMatchObject([{ role: 'maker', name: 'maker@example.com', fingerprint: maker }]);
  });
  it.each(['nobody', 'pay.csv'])('has no key in %s: no plan', async (name) => {
    expect((await planned(`--ssh-key ${join(here.home.home, name)}`)).failure()).toBe('14 key_unreadable');
    expect(readdirSync(here.home.home).filter((one) => !one.startsWith('.'))).toEqual(['pay.csv']);
  });

  it('cannot sign: no plan, and nothing half-written', async () => {
    const key = join(here.home.home, 'locked');
    execFileSync(KEYGEN, ['-q', '-t', 'ed25519', '-N', 'a passphrase', '-C', '', '-f', key]);
    const env = { SSH_ASKPASS: '/bin/false', SSH_ASKPASS_REQUIRE: 'force' };
    expect((await planned(`--ssh-key ${key}`, { env })).failure()).toBe('14 not_signed');
    expect(readdirSync(here.home.home).filter((one) => /\.tmp$|\.plan/.test(one))).toEqual([]);
  });

  it('finds no ssh-keygen on the machine', async () => {
    const machine = keygenMachine(undefined, []);
    const result = await planned(`--ssh-key ${someone.key('maker')}`, { machine });
    expect(result.failure()).toBe('16 keygen_missing');
  });
});

describe('a single payout that needs approvals', () => {
  const ASKS = keygenMachine({ version: 1, payouts: { allow: 'all', approvals: 1 } });
  const create = (words: readonly string[], machine = ASKS): Promise<Result> =>
    here.svc([...payout('12345678', '7200'), '--json', ...words], { machine });
  const lineOf = (refused: Result): string | undefined => {
    expect(refused.failure()).toBe('13 approvals_missing');
    return /^To make a plan of this payout.*: (printf .*)$/m.exec(String(refused.error()['message']))?.[1];
  };
  /** Types that line in a shell, which makes the file; svc gets its words, and finds the files where they are. */
  const follow = (refused: Result, more: readonly string[] = []): Promise<Result> => {
    const inHome = (word: string): string => (/^payout-.*[.]/.test(word) ? join(here.home.home, word) : word);
    const words = wordsInShell(`cd '${here.home.home}' && ${lineOf(refused) ?? 'none was printed'}`);
    return here.paste(commandLine(['svc', ...words.map(inHome), ...more, '--json']), { machine: ASKS });
  };
  const rowOf = (made: Result): string => {
    expect(made.exitCode, made.stderr).toBe(0);
    const [, row = '', ...more] = linesOf(String(made.json()['plan']));
    expect(more).toEqual([]);
    return row;
  };

  it.skipIf(!HAS_KEYGEN)(
    'is planned as printed, approved by another, and leaves once under its key',
    async () => {
      const line = ['--reference', 'bonus-7'];
      const { headers } = (await create([...line, '--dry-run'], keygenMachine())).json();
      const made = await follow(await create(line), ['--ssh-key', someone.key('maker')]);
      const row = rowOf(made);
      const plan = String(made.json()['plan']);
      const machine = approving(1, someone.list);
      const apply = (): Promise<Result> => here.svc(`batches apply ${plan} --first-here --json`, { machine });
      expect((await apply()).failure()).toBe('13 approvals_missing');
      const approve = `batches approve ${plan} --ssh-key ${someone.key('bob')} --confirm-total VES:7200.00 --json`;
      const approved = await here.home.svc(approve, { machine });
      expect(approved.exitCode, approved.stderr).toBe(0);
      expect(here.shaky.posts).toEqual([]);
      const sent = await apply();
      expect(sent.exitCode, sent.stderr).toBe(0);
      expect(bytesSent()).toEqual([row]);
      const { 'idempotency-key': key } = headers as Record<string, string>;
      expect(here.shaky.posts[0]?.headers).toMatchObject({ 'idempotency-key': key });
      expect((await create(line, keygenMachine())).failure()).toBe('13 reference_paid');
      expect(here.shaky.posts).toHaveLength(1);
    },
  );

  const ONE_LINE = HOSTILE_WORDS.filter((text) => !text.includes('\n'));
  it.each([...ONE_LINE, "'; touch x; '", '%s\\n \\', 'ñ 👩\u200d👦', '!! "$x"'])(
    'keeps %j as it was typed',
    async (text) => {
      const words = ['--reference', `a ${text.replace('\u200d', '')} b`, '--metadata', `note=${text}`];
      const row = rowOf(await follow(await create(words)));
      expect(JSON.parse(row)).toMatchObject({ reference: words[1], metadata: { note: text } });
      expect(readdirSync(here.home.home)).not.toContain('x');
    },
  );

  it('is no plan where it has left already, or was paid', async () => {
    here.shaky.next('lost-after', 'lost-after', 'lost-after');
    expect((await create(['--reference', 'bonus-7'], keygenMachine())).exitCode).toBe(12);
    await here.pay([person(1, { reference: 'bonus-8' })], 'may', '--confirm-total VES:101.50 --first-here');
    for (const reference of ['bonus-7', 'bonus-8'])
      expect((await follow(await create(['--reference', reference]))).failure()).toBe('13 references_paid');
  });

  it('is another payment than one from before where that is said', async () => {
    await here.pay([person(1, { reference: 'bonus-7' })], 'may', '--confirm-total VES:101.50 --first-here');
    here.home.clock.advance(60_000);
    const since = '2026-09-23T15:00:30Z';
    const made = await follow(await create(['--reference', 'bonus-7', '--new-since', since]));
    expect(JSON.parse(rowOf(made))).toMatchObject({ reference: 'bonus-7', amount: '7200.00' });
    expect(JSON.parse(linesOf(String(made.json()['plan']))[0]!)).toMatchObject({ since });
  });

  it.each([
    ['no reference', [], 'add --reference'],
    ['a key of its own', ['--reference', 'x', '--idempotency-key', 'own-key-1'], 'leave --idempotency-key'],
    ['a payment that it follows', ['--reference', 'x', '--new-payment', 'invoice-2048'], '--new-since TIME'],
  ])('with %s is no row, and says what to change', async (_what, words, text) => {
    const refused = await create(words);
    expect(lineOf(refused)).toBeUndefined();
    expect(refused.error()['message']).toContain(text);
  });

  it.each([
    ['a number that no plan can hold', '12345678901234567890', 'change the body, which has a number'],
    ['a key that would be printed', '"svc_live_0123"', 'take the secret out of the body'],
    ['a token', '"Bearer svc-0123"', 'take the secret out of the body'],
    ['a secret by its name', '{"api_key":"svc-0123"}', 'take the secret out of the body'],
  ])('by hand, with %s, says so', async (_what, note, text) => {
    const stdin = `{"amount":"7200.00","currency":"VES","reference":"x","metadata":{"note":${note}}}`;
    const refused = await here.svc('api POST /v2/payouts --data -', { stdin, machine: ASKS });
    expect(lineOf(refused)).toBeUndefined();
    expect(refused.error()['message']).toContain(text);
    expect(refused.stderr).not.toMatch(/svc(_live_|-)0123/);
  });
});
