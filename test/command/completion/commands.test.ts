import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isThere, openZsh, type Zsh } from '../../support/shells.js';
import { ROOT } from '../../house/source.js';
import { csv, fileIn, people } from '../../support/payroll.js';
import { debitOtp } from '../../support/requests.js';
import { world, type World } from '../../support/svc.js';

let here: World;
let folder: string;
const END = '=== the end ===';
const CLEAR = '\u0015';

const CASES: readonly (readonly [line: string, offered: readonly string[], notOffered: readonly string[]])[] =
  [
    ['svc pay', ['payins', 'payouts'], ['events']],
    ['svc payins c', ['cancel', 'confirm', 'create'], ['get']],
    ['svc payin c', ['cancel', 'confirm', 'create'], ['get']],
    ['svc payins create --inter', ['--interactive'], ['--payer']],
    ['svc payins create --method d', ['debit_otp', 'direct_debit'], ['incoming_transfer']],
    ['svc banks --country ', ['VE', 'CL'], ['VES']],
    ['svc --live payins create --currency V', ['VES'], ['CLP']],
    ['svc profiles use s', ['shop', 'store'], ['list']],
    ['svc -p st', ['store'], ['shop']],
    ['svc balances -o ', ['table', 'json', 'ndjson', 'csv'], []],
    ['svc webhooks trigger ', ['payin.confirmed', 'payout.failed'], []],
    ['svc sandbox clock ', ['advance'], []],
    ['svc api ', ['GET', 'POST'], ['/v2/balances']],
    ['svc help ', ['payins', 'balances', 'flags', 'all'], ['help']],
    ['svc help payins c', ['cancel', 'confirm', 'create'], ['get']],
    ['svc hel', ['help'], []],
    ['svc sandbox fault --route m', ['methods'], ['methods.list']],
    ['svc payins create --payer bank', ['bank_code='], ['phone=']],
    ['svc payouts create --method ', ['mobile_payment', 'bank_transfer'], ['debit_otp', 'direct_debit']],
    ['svc payouts batch --method ', ['mobile_payment', 'bank_transfer'], ['debit_otp', 'direct_debit']],
    ['svc banks --method ', ['debit_otp', 'bank_transfer'], []],
    ['svc sandbox start --l', [], ['--live']],
    ['svc profiles add shop --ba', ['--base-url'], ['--live']],
    ['svc events list --sta', [], ['--state-url']],
    ['svc --li', ['--live'], []],
  ];

const LINES = CASES.map(([line]) => line);

function programOf({ home }: World): string {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const program = `#!/bin/sh\nexport HOME='${home}'\nexec '${process.execPath}' '${join(ROOT, 'bin/run.js')}' "$@"\n`;
  writeFileSync(join(bin, 'svc'), program, { mode: 0o755 });
  return bin;
}

let ownBin: string;
beforeAll(async () => {
  here = world();
  ownBin = programOf(here);
  folder = mkdtempSync(join(tmpdir(), 'svc-completion-'));
  await here.svc('payins create --method debit_otp --country VE --dry-run');
  await here.svc('banks --country VE');
  for (const name of ['shop', 'store'])
    await here.svc(`profiles add ${name} --base-url https://api.example.com`);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { stdout, exitCode } = await here.svc(`completion ${shell}`);
    expect(exitCode).toBe(0);
    writeFileSync(join(folder, shell), stdout);
  }
});
afterAll(() => {
  here.remove();
  rmSync(folder, { recursive: true, force: true });
});

function run(shell: string, script: string, bin = ownBin): string {
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
  const words = shell === 'bash' ? ['--norc', '-c', script] : ['-c', script];
  const options = { encoding: 'utf8' as const, env: { PATH, HOME: folder, TERM: 'dumb' } };
  const { stdout, stderr, status } = spawnSync(shell, words, options);
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout;
}

function offersIn(shell: 'bash' | 'fish', lines: readonly string[], bin?: string): string[][] {
  const script = lines.map((line) => {
    if (shell === 'fish') return `complete -C '${line}'; echo ${END}`;
    // bash also breaks a line around each "=".
    const broken = line.replaceAll('=', ' = ').split(/ +/);
    const words = (line.endsWith('=') ? broken.slice(0, -1) : broken).map((word) => `'${word}'`);
    return (
      `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${String(words.length - 1)}; COMPREPLY=(); ` +
      `_svc 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"; echo ${END}`
    );
  });
  const shown = run(shell, [`source '${join(folder, shell)}'`, ...script].join('\n'), bin);
  const offers = shown.split(`${END}\n`).slice(0, -1);
  const firsts = (rows: string): string[] => rows.split('\n').map((row) => row.split('\t')[0] ?? '');
  return offers.map((rows) => firsts(rows.trimEnd()));
}

function expectOffers(
  found: readonly string[],
  offered: readonly string[],
  notOffered: readonly string[],
): void {
  expect(found).toEqual(expect.arrayContaining([...offered]));
  for (const other of notOffered) expect(found).not.toContain(other);
}

/** Without fish these tests are skipped: apt-get install fish. */
const SHELLS = isThere('fish') ? (['bash', 'fish'] as const) : (['bash'] as const);
const bashOffers = (line: string, bin?: string): string[] => offersIn('bash', [line], bin)[0]!;
const fishOffers = (line: string, bin?: string): string[] => offersIn('fish', [line], bin)[0]!;

describe('what this machine knows', () => {
  const known: Record<string, string> = {};
  let bin: string;
  const machine = world();
  afterAll(() => machine.remove());
  beforeAll(async () => {
    known['pending'] = (await machine.svc(debitOtp())).json()['id'] as string;
    known['ended'] = (await machine.svc(debitOtp())).json()['id'] as string;
    await machine.svc(`payins confirm ${known['ended']} --code 000000`);
    const file = fileIn(folder, 'pay.csv', csv(people(1)));
    const sent = await machine.svc(`payouts batch ${file} --batch payroll-9`);
    expect(sent.exitCode, sent.stderr).toBe(0);
    const rows = await machine.svc('batches export payroll-9 --jq .operation_id -o ndjson');
    known['paid'] = rows.stdout.trim();
    bin = programOf(machine);
  });
  const ASKED = [
    ['svc payins get ', ['pending', 'ended'], ['paid']],
    ['svc payins confirm ', ['pending'], ['ended', 'paid']],
    ['svc payins cancel ', ['pending'], ['ended', 'paid']],
    ['svc payouts get ', ['paid'], ['pending', 'ended']],
    ['svc transactions trace ', ['pending', 'ended', 'paid'], []],
    ['svc transactions get ', ['pending', 'ended', 'paid'], []],
  ] as const;
  const named = (names: readonly string[]): string[] => names.map((name) => known[name] ?? name);

  describe.each(SHELLS)('%s', (shell) => {
    it.each(ASKED)('%s', (line, offered, notOffered) => {
      expectOffers(offersIn(shell, [line], bin)[0]!, named(offered), named(notOffered));
    });
  });

  it.each(['status', 'resume', 'retry', 'export', 'drop', 'forget', 'resolve'])(
    'the batch after batches %s',
    (verb) => {
      expect(bashOffers(`svc batches ${verb} pay`, bin)).toEqual(['payroll-9']);
      if (isThere('fish')) expect(fishOffers(`svc batches ${verb} pay`, bin)).toContain('payroll-9');
    },
  );

  it.skipIf(!isThere('zsh'))('zsh', async () => {
    const env = { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: folder };
    const zsh = await openZsh(env, { behind: `source '${join(folder, 'zsh')}'` });
    try {
      expect(await zsh.types('svc batches status pay\t\t', /payroll-9/)).toContain('payroll-9');
    } finally {
      zsh.end();
    }
  });

  it('makes nothing and says nothing where nothing is known, or what is there is damaged', async () => {
    const empty = world();
    onTestFinished(() => empty.remove());
    const { state } = empty.ports.paths;
    for (const command of ['batches status', 'transactions get', 'payins get', 'payouts get']) {
      const result = await empty.svc([...`complete bash -- ${command}`.split(' '), '']);
      expect(result).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    }
    expect(existsSync(state)).toBe(false);
    mkdirSync(state, { recursive: true });
    for (const name of ['batches.db', 'requests.db', 'feed.db'])
      writeFileSync(join(state, name), 'no database');
    const before = readdirSync(state);
    const result = await empty.svc([...'complete fish -- transactions get'.split(' '), '']);
    expect(result).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    expect(readdirSync(state)).toEqual(before);
  });
});

describe.each(SHELLS)('%s', (shell) => {
  let all: string[][];
  beforeAll(() => (all = offersIn(shell, LINES)));

  it.each(CASES)('%s', (line, offered, notOffered) => {
    expectOffers(all[LINES.indexOf(line)]!, offered, notOffered);
  });
});

it.each([
  ['svc payins create --payer bank_code=01', ['0102', '0105']],
  ['svc payins create --payer bank_code=', ['0102', '0105']],
  ['svc banks --country=V', ['VE']],
])('bash completes what stands behind a =: %s', (line, offered) => {
  expectOffers(bashOffers(line), offered, []);
});

it.skipIf(!isThere('fish'))('fish completes the bank behind bank_code=, and a value behind --flag=', () => {
  expect(fishOffers('svc payins create --payer bank_code=01')).toContain('bank_code=0102');
});

describe.skipIf(!isThere('zsh'))('zsh (skipped where there is none: apt-get install zsh)', () => {
  let zsh: Zsh;
  beforeAll(async () => {
    const env = { PATH: `${ownBin}:${process.env['PATH'] ?? ''}`, HOME: folder };
    zsh = await openZsh(env, { behind: `source '${join(folder, 'zsh')}'` });
  });
  afterAll(() => zsh.end());
  /** zsh completes only at a terminal, so this types two tabs and reads the screen. */
  const zshShows = (line: string, pattern: RegExp): Promise<string> =>
    zsh.types(`${CLEAR}${line}\t\t`, pattern);

  it.each(CASES.filter((_, at) => at % 2 === 0))('%s', async (line, offered) => {
    const typed = line.slice(0, line.lastIndexOf(' ') + 1);
    const wanted = new RegExp(`${offered.length === 1 ? typed : ''}${offered.at(-1)!}`);
    expect(await zshShows(line, wanted)).toMatch(wanted);
  });

  it('completes the bank behind bank_code=', async () => {
    expect(await zshShows('svc payins create --payer bank_code=017', /0172/)).toContain('Bancamiga');
  });
});

async function offeredWith(banks: readonly object[]): Promise<[string, string][]> {
  const other = world();
  onTestFinished(() => other.remove());
  await other.svc('banks --country VE');
  const cache = join(other.home, '.cache/svc/banks-VE-.json');
  expect(existsSync(cache)).toBe(true);
  writeFileSync(cache, JSON.stringify({ banks }));
  const asked = 'payins create --payer bank_code='.split(' ');
  const offered = async (shell: string): Promise<[string, string]> => [
    shell,
    (await other.svc(['complete', shell, '--', ...asked])).stdout,
  ];
  return Promise.all(['bash', 'zsh', 'fish'].map(offered));
}

it('offers nothing that a cache holds and a shell would have to quote', async () => {
  for (const [, text] of await offeredWith([{ code: '$(touch /tmp/x)', name: "'; touch x" }]))
    expect(text).toBe('');
});

it('lets no name from the service drive a terminal or add a candidate', async () => {
  const LABEL = '\u001b]0;owned\u0007\nevil\r\u009b31m\u2028\u202e' + 'x'.repeat(500);
  const offered = await offeredWith([
    { code: '0102', name: LABEL },
    { code: '--live', name: 'a flag' },
    { code: '0105\nevil', name: 'two lines' },
    { code: 7, name: 'no text' },
    { code: '0107', name: { no: 'text' } },
  ]);
  for (const [shell, text] of offered) {
    expect(text).not.toMatch(/[^\n\t\P{Cc}]|[\u2028\u202e]/u);
    expect(text).not.toContain('x'.repeat(100));
    const codes = text.trimEnd().split('\n');
    expect(codes.map((line) => /[0-9]+/.exec(line)?.[0])).toEqual(['0102', '0107']);
    if (shell === 'zsh') expect(codes[0]).toMatch(/^bank_code=0102:.*evil/);
  }
});

describe('bash offers nothing that it would read anew', () => {
  const offersIn = (words: readonly string[]): string[] => {
    const typed = words.map((word) => `'${word}'`).join(' ');
    const script =
      `cd '${join(folder, 'files')}'; source '${join(folder, 'bash')}'; COMP_WORDS=(${typed}); ` +
      `COMP_CWORD=${String(words.length - 1)}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run('bash', script).trimEnd().split('\n');
  };

  it('a star, or the names of files in its place', () => {
    mkdirSync(join(folder, 'files'), { recursive: true });
    const names = ['$(touch owned)', 'a b.csv', '`touch owned`;x'];
    for (const name of names) writeFileSync(join(folder, 'files', name), '');
    const routes = offersIn(['svc', 'sandbox', 'fault', '--route', '']);
    expect(routes).toEqual(expect.arrayContaining(['\\*', 'payouts.create']));
    for (const word of routes) expect(word).not.toMatch(/touch|a b/);
    for (const line of ['svc payouts batch ', 'svc --ca-file ']) {
      const quoted = offersIn(line.split(' '));
      const read = run('bash', `printf '%s\\n' ${quoted.join(' ')}`).trimEnd();
      expect(read.split('\n').sort()).toEqual([...names].sort());
    }
    expect(readdirSync(join(folder, 'files'))).toHaveLength(3);
  });
});
