import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readSignature } from '../../src/batches/approval/signature.js';
import { bodyOf, type GivenRow, planOf } from './approval/plan/given.js';
import { fileIn } from '../support/payroll.js';
import { approving } from '../support/plans.js';
import { fresh as anew } from '../support/fresh.js';
import { HAS_KEYGEN, KEYGEN, keygenMachine, people } from '../support/signers.js';
import { world, type Result, type RunOptions } from '../support/svc.js';

const NEW: readonly GivenRow[] = [
  { reference: 'emp-1', amount: '1500.50', account: '04120000000' },
  { reference: 'emp-2', amount: '1900.00', account: '04149876543' },
  { reference: 'emp-9', amount: '1200.00', account: '04141112233' },
  { reference: 'emp-8', amount: '990.00', account: '04149876543', name: '\u041dombre Apellido' },
];

const home = anew(() => world('2026-11-24T10:00:00Z'));
const someone = anew(people, 'file');

const at = (name: string): string => join(home.home, name);
const put = (name: string, bytes: Uint8Array): string => fileIn(home.home, name, bytes);
const PLAN = (): string => at('payroll-11.plan');
const putPlan = (bytes: Uint8Array): string => put('payroll-11.plan', bytes);
const old = (): string => put('payroll-10.plan', planOf({ batch: 'payroll-10' }));
const fresh = (maker: string | null = null): Buffer => planOf({ maker }, NEW.map(bodyOf));

async function screen(words: string, columns = 80, options: RunOptions = {}): Promise<string[]> {
  const line = `batches review ${PLAN()} ${words} --no-color`;
  const result = await home.svc(line, { tty: { stdout: true }, columns, ...options });
  expect(result.exitCode, result.stderr).toBe(0);
  return result.stdout.trimEnd().split('\n');
}

const FINDINGS = [
  { code: 'account_changed', reference: 'emp-1', before: '4567', now: '0000', account_of: null },
  { code: 'unusual_amount', reference: 'emp-2', currency: 'VES', amount: '1900.00', most_before: '980.00' },
  { code: 'new_beneficiary', reference: 'emp-9', account_of: 'emp-3' },
  { code: 'new_beneficiary', reference: 'emp-8', account_of: 'emp-2' },
  { code: 'same_account', reference: 'emp-2', other: 'emp-8' },
  { code: 'mixed_letters', reference: 'emp-8', field: 'name' },
];

describe('a review', () => {
  it('says what the plan is and what is other than before, without a key and without a network', async () => {
    putPlan(fresh());
    const result = await home.svc(`batches review ${PLAN()} --against ${old()}`, {
      transport: () => Promise.reject(new Error('asked the service')),
    });
    expect(result.json(), result.stderr).toEqual({
      plan: PLAN(),
      digest: hash('sha256', fresh(), 'hex'),
      ...{ batch: 'payroll-11', environment: 'live', address: 'https://api.example.com' },
      ...{ type: 'payout', since: null },
      company: { letters: 'TCP', operation: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f' },
      rows: 4,
      totals: [{ currency: 'VES', rows: 4, total: '5590.50' }],
      ...{ left_out: 1, made_at: '2026-11-24T09:00:00Z', valid_until: '2026-11-27T09:00:00Z', maker: null },
      ...{ signatures: 0, approvals: null, compared: 1 },
      largest: [
        { reference: 'emp-2', currency: 'VES', amount: '1900.00' },
        { reference: 'emp-1', currency: 'VES', amount: '1500.50' },
        { reference: 'emp-9', currency: 'VES', amount: '1200.00' },
        { reference: 'emp-8', currency: 'VES', amount: '990.00' },
      ],
      counts: {
        ...{ account_changed: 1, unusual_amount: 1, new_beneficiary: 2, same_account: 1, mixed_letters: 1 },
      },
      findings: FINDINGS,
    });
  });

  it('is a screen', async () => {
    putPlan(fresh());
    const lines = await screen(`--against ${old()}`);
    const { digest } = (await home.svc(`batches review ${PLAN()}`)).json();
    expect(lines).toEqual([
      'payroll-11   live   https://api.example.com   company TCP   payouts',
      `plan ${String(digest).slice(0, 12)}   made 24 Nov 09:00 UTC, valid until 27 Nov 09:00 UTC`,
      'made by       nobody has signed as its maker      approvals: not checked',
      'total         VES 5,590.50 in 4 rows; 1 row left out (already paid)',
      'largest       VES 1,900.00 emp-2, VES 1,500.50 emp-1, VES 1,200.00 emp-9',
      'Check these before you approve:',
      '  account changed   emp-1   ****4567 before, ****0000 now',
      '  unusual amount    emp-2   VES 1,900.00; at most 980.00 before',
      "  new beneficiary   emp-9   the account was emp-3's before",
      "  new beneficiary   emp-8   the account was emp-2's before",
      '  same account      emp-2 and emp-8',
      '  mixed letters     emp-8   Latin beside Cyrillic or Greek letters in the name',
    ]);
  });

  it.each([60, 80, 120])('fits into %i columns', async (columns) => {
    putPlan(fresh());
    const lines = await screen(`--against ${old()}`, columns);
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    for (const { reference } of FINDINGS) expect(lines.join('\n')).toContain(reference);
  });

  it('says that nothing is other, and with what it was compared', async () => {
    putPlan(planOf({ batch: 'payroll-11' }));
    expect((await screen(`--against ${old()}`)).at(-1)).toBe('Nothing is other than in 1 earlier plan.');
    expect((await screen('')).at(-1)).toBe('Compared with no earlier plan: add --against.');
  });

  it('shows twenty findings of a kind, and says how many more there are', async () => {
    const many = Array.from({ length: 30 }, (_, number) =>
      bodyOf({ reference: `n-${number}`, amount: '1.00', account: `0412${number}`, document: `9${number}` }),
    );
    putPlan(planOf({}, many));
    const lines = await screen(`--against ${old()}`);
    expect(lines.filter((line) => line.includes('new beneficiary'))).toHaveLength(21);
    expect(lines.at(-1)).toBe('  new beneficiary   and 10 more');
  });

  it('knows a person by the document, and each account of theirs', async () => {
    const twice = [
      bodyOf({ reference: 'a', amount: '10.00', account: '0412111', document: '7' }),
      bodyOf({ reference: 'b', amount: '30.00', account: '0412222', document: '7' }),
      bodyOf({ reference: 'c', amount: '5.00', account: '0412333', document: '7', currency: 'USD' }),
    ];
    const before = put('old.plan', planOf({}, twice));
    const now = (amount: string, account: string, currency = 'VES') =>
      bodyOf({ reference: 'z', amount, account, document: '7', currency });
    const codes = async (row: string): Promise<unknown[]> => {
      putPlan(planOf({}, [row]));
      const result = await home.svc(`batches review ${PLAN()} --against ${before}`);
      return (result.json()['findings'] as { code: string }[]).map(({ code }) => code);
    };
    for (const account of ['0412111', '0412222', '0412333'])
      expect(await codes(now('45.00', account))).toEqual([]);
    expect(await codes(now('45.01', '0412111'))).toEqual(['unusual_amount']);
    expect(await codes(now('7.51', '0412111', 'USD'))).toEqual(['unusual_amount']);
    expect(await codes(now('7.50', '0412111', 'USD'))).toEqual([]);
    expect(await codes(now('900.00', '0412111', 'EUR'))).toEqual([]);
    expect(await codes(now('1.00', '0412999'))).toEqual(['account_changed']);
  });

  it('refuses what is no plan, of either kind: 14', async () => {
    putPlan(Buffer.from(fresh().toString().replace('1900.00', '1800.00')));
    const { message, ...error } = (await home.svc(`batches review ${PLAN()} --json`)).error();
    expect(error).toMatchObject({ code: 'plan_damaged', exit_code: 14, outcome: 'not_sent' });
    expect(message).toContain('says other totals than its rows add up to. Nothing was sent.');
    putPlan(fresh());
    const newer = put('newer.plan', Buffer.from(fresh().toString().replace('"svc_plan":1', '"svc_plan":2')));
    const refused = await home.svc(`batches review ${PLAN()} --against ${newer} --json`);
    expect(refused.failure()).toBe('14 plan_newer');
    execFileSync('mkfifo', [at('pipe.plan')]);
    expect((await home.svc(`batches review ${at('pipe.plan')} --json`)).exitCode).toBe(14);
  });
});

describe.skipIf(!HAS_KEYGEN)('who has signed', () => {
  const maker = (): string => someone.fingerprint('maker');

  function signed(): string {
    const plan = fresh(maker());
    putPlan(plan);
    put('payroll-11.plan.maker.sig', someone.sign(plan, 'maker', 'svc-payroll-plan'));
    put('payroll-11.plan.bob.sig', someone.sign(plan, 'bob'));
    put('payroll-11.plan.evil.sig', someone.sign(plan, 'evil'));
    return PLAN();
  }

  it('is counted by a list that somebody names', async () => {
    signed();
    put('signers', someone.list);
    const lines = await screen(`--signers ${at('signers')}`, 80, { machine: keygenMachine() });
    expect(lines[2]).toBe(`made by       maker@example.com (${maker().slice(0, 19)}...)      approvals: 1`);
    expect(lines).toContain('approved by   bob@example.com');
    expect(lines.join(' ')).toContain('not counted   payroll-11.plan.evil.sig is of a key that');
    rmSync(at('payroll-11.plan.maker.sig'));
    const unsigned = await screen(`--signers ${at('signers')}`, 120, { machine: keygenMachine() });
    expect(unsigned[2]).toContain('(not signed)');
  });

  it('is counted by the list of the machine, where its policy asks for approvals', async () => {
    signed();
    const machine = approving(2, someone.list);
    const result = await home.svc(`batches review ${PLAN()}`, { machine });
    expect(result.json()['approvals']).toMatchObject({
      ...{ counted: 1, needed: 2, maker_signed: true, maker_name: 'maker@example.com' },
      approvers: [{ name: 'bob@example.com', fingerprint: someone.fingerprint('bob') }],
      refused: [{ file: 'payroll-11.plan.evil.sig', code: 'signer_unknown' }],
    });
    const bare = await home.svc(`batches review ${PLAN()}`, { machine: approving(2, null) });
    expect(bare.failure()).toBe('13 signers_missing');
  });
});

describe.skipIf(!HAS_KEYGEN)('an approval', () => {
  const PERSON = { stdin: true, stderr: true } as const;
  const TOTAL = '--confirm-total VES:5590.50';
  const approve = (words = '', options: RunOptions = {}): Promise<Result> => {
    const line = `batches approve ${PLAN()} --ssh-key ${someone.key('bob')} --json ${words}`;
    return home.svc(line, { machine: keygenMachine(), ...options });
  };
  const nameOf = (print: string): string =>
    `payroll-11.plan.${print.slice(7, 15).replaceAll('+', '-').replaceAll('/', '_')}.sig`;
  const signatures = (): string[] => readdirSync(home.home).filter((name) => name.endsWith('.sig'));
  beforeEach(() => void putPlan(fresh(someone.fingerprint('maker'))));

  it('is a signature of the very bytes, under a name of the key, once the total was typed', async () => {
    const result = await approve(`--against ${old()}`, { tty: PERSON, stdin: '5,590.50\n' });
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.stderr).toContain('account changed   emp-1   ****4567 before, ****0000 now');
    expect(result.stderr).toContain('Type the total in VES to approve it:');
    expect(result.stderr).toContain('Approved, and nothing was sent.');
    const fingerprint = someone.fingerprint('bob');
    const name = nameOf(fingerprint);
    const said = { plan: PLAN(), batch: 'payroll-11', signature: at(name) };
    expect(result.json()).toMatchObject({ ...said, fingerprint });
    expect(signatures()).toEqual([name]);
    expect(statSync(at(name)).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(at(name));
    const namespace = 'svc-payroll-approval';
    expect(readSignature(bytes)).toMatchObject({ namespace, fingerprint, certifiedNames: null });
    put('signers', someone.list);
    const words = `-Y verify -f ${at('signers')} -I bob@example.com -n ${namespace} -s ${at(name)}`;
    execFileSync(KEYGEN, words.split(' '), { input: readFileSync(PLAN()) });
  });

  it.each(['5590.5', 'VES 5590.50', 'VES:5,590.50'])('takes %j for the total', async (typed) => {
    expect((await approve('', { tty: PERSON, stdin: `${typed}\n` })).exitCode).toBe(0);
  });

  it.each(['', '5590.51', '55,90.50', 'yes', '5590'])('takes %j for no: nothing is signed', async (typed) => {
    const result = await approve('', { tty: PERSON, stdin: `${typed}\n` });
    expect(result.exitCode).toBe(13);
    expect(result.stderr).toContain('Nothing was signed.');
    expect(signatures()).toEqual([]);
  });

  it('is confirmed by a script with the exact totals', async () => {
    const refused = await approve();
    expect(refused.failure()).toBe('13 not_confirmed');
    const [, line = ''] = /right: svc (.*)$/m.exec(String(refused.error()['message'])) ?? [];
    expect(line).toContain(TOTAL);
    for (const total of ['VES:5590.49', 'USD:5590.50'])
      expect((await approve(`--confirm-total ${total}`)).failure()).toBe('13 total_differs');
    expect(signatures()).toEqual([]);
    expect((await home.svc(line, { machine: keygenMachine() })).exitCode).toBe(0);
    expect(signatures()).toHaveLength(1);
  });

  it('is none of the maker, and none under a lock', async () => {
    const line = `batches approve ${PLAN()} --ssh-key ${someone.key('maker')} ${TOTAL} --json`;
    const own = await home.svc(line, { machine: keygenMachine() });
    expect(own.error()).toMatchObject({ code: 'made_the_plan', exit_code: 13, next_command: null });
    for (const lock of ['sandbox', 'read-only', '', 'off'])
      expect((await approve(TOTAL, { env: { SVC_LOCK: lock } })).failure()).toBe('13 locked');
    const above = { ...keygenMachine(), parentLocks: () => ['read-only'] };
    expect((await approve(TOTAL, { machine: above })).failure()).toBe('13 locked');
    expect(signatures()).toEqual([]);
  });

  it('stands in no place of another file', async () => {
    const name = nameOf(someone.fingerprint('bob'));
    put(name, Buffer.from('mine'));
    expect((await approve(TOTAL)).error()).toMatchObject({ code: 'file_in_the_way' });
    expect(readFileSync(at(name), 'utf8')).toBe('mine');
    writeFileSync(at(name), '');
    expect((await approve(TOTAL)).exitCode).toBe(0);
    expect((await approve(TOTAL)).exitCode).toBe(0);
  });

  it('needs an ssh key, and a machine with ssh-keygen', async () => {
    expect((await home.svc(`batches approve ${PLAN()} --json`)).exitCode).toBe(2);
    const bare = await approve('--confirm-total VES:5590.50', { machine: keygenMachine(undefined, []) });
    expect(bare.failure()).toBe('16 keygen_missing');
  });
});
