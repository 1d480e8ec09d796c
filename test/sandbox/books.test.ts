import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMAND, environment, shell, type Ended } from '../support/program.js';
import { payout } from '../support/requests.js';
import { testFolder } from '../support/test-folder.js';

let home: string;
let scratch: string;
beforeEach(() => {
  home = testFolder();
  scratch = join(home, 'scratch');
  mkdirSync(scratch);
});

const beside = (script: string, flags = ''): Promise<Ended> =>
  shell(`svc sandbox exec ${flags} -- bash -c '${script}'`, home, { env: { TMPDIR: scratch } });
const kept = (): string[] =>
  ['.config', '.local', '.cache', 'scratch']
    .filter((folder) => existsSync(join(home, folder)))
    .flatMap((folder) => readdirSync(join(home, folder), { recursive: true, encoding: 'utf8' }))
    .filter((path) => !/^svc(\/compiled|$)/.test(path));

const PAID = `svc ${payout().join(' ')} --reference order-1 --idempotency-key order-key-1 --jq .status`;

const ROWS = `method,country,currency,amount,reference,beneficiary.bank_code,beneficiary.document.type,beneficiary.document.number,beneficiary.account_number
bank_transfer,VE,VES,10.00,order-1,0102,V,12345678,01020123456789012345
`;

describe('beside each sandbox', () => {
  it.each(['', '--live'])('the same key is a new one: %s', async (flags) => {
    const script = `${PAID} --yes; svc requests list --jq ".requests | length"`;
    for (const run of [1, 2]) {
      const { code, stdout } = await beside(script, flags);
      expect([run, code, stdout]).toEqual([run, 0, 'confirmed\n0\n']);
    }
    expect(kept()).toEqual([]);
  });

  it('a batch of that name is a new one, and is there until the command ends', async () => {
    writeFileSync(join(home, 'rows.csv'), ROWS);
    const script = `cd "$HOME" && svc payouts batch rows.csv --batch june --yes --json > sent.json && svc events sync > /dev/null; svc batches list --jq ".batches[].batch"`;
    for (const run of [1, 2]) {
      const { code, stdout } = await beside(script);
      expect([run, code, stdout]).toEqual([run, 0, 'june\n']);
      const sent = JSON.parse(readFileSync(join(home, 'sent.json'), 'utf8')) as { confirmed: unknown };
      expect(sent.confirmed).toBe(1);
    }
    expect(kept()).toEqual([]);
  });

  it('one create answers for the one before it', async () => {
    const line = PAID.replace('.status', '.id');
    const { code, stdout } = await beside(`${line}; ${line}`);
    const [first, second] = stdout.trim().split('\n');
    expect([code, first]).toEqual([0, second]);
  });

  it('what the person keeps is neither seen nor changed', async () => {
    const profile = 'svc profiles add acme --base-url https://api.example.com --country VE';
    expect(await shell(`svc sandbox status --jq .companies && ${profile}`, home)).toMatchObject({ code: 0 });
    const before = kept();
    const { code, stdout, stderr } = await beside(
      `svc profiles list --jq ".profiles | length"; ${PAID}; svc profiles add other --base-url https://other.example.com > /dev/null; svc sandbox reset --yes > /dev/null`,
    );
    expect([code, stdout, stderr.includes('acme')]).toEqual([0, '0\nconfirmed\n', false]);
    expect(kept()).toEqual(before);
    expect((await shell('svc profiles list --jq .profiles[].name', home)).stdout).toBe('acme\n');
  });

  it('another one inside has its own', async () => {
    const inner = `bash -c "echo \\$SVC_HOME; ${PAID}"`;
    const script = `echo $SVC_HOME; ${PAID}; svc sandbox exec -- ${inner}; ls -d $SVC_HOME/state`;
    const { code, stdout } = await beside(`${script}; ls "$TMPDIR"`);
    const [outer = '', first, own = '', second, ...rest] = stdout.trim().split('\n');
    expect([code, first, second]).toEqual([0, 'confirmed', 'confirmed']);
    expect(own).not.toBe(outer);
    expect([outer, own].map((path) => path.startsWith(join(scratch, 'svc-beside-')))).toEqual([true, true]);
    expect(rest).toEqual([`${outer}/state`, outer.slice(scratch.length + 1)]);
    expect(kept()).toEqual([]);
  });
});

describe('nothing stays', () => {
  const WAITS =
    'mkdir "$SVC_HOME/state"; echo x > "$SVC_HOME/state/x"; trap "echo told" INT; echo ready; while :; do sleep 0.05; done';

  it.each<[string, readonly NodeJS.Signals[], number | null]>([
    ['after a signal', ['SIGTERM'], 143],
    ['after a second one', ['SIGINT', 'SIGINT'], 130],
    ['after a kill', ['SIGKILL'], null],
  ])('%s', async (_what, signals, code) => {
    const [program, ...before] = COMMAND;
    const words = [...before, 'sandbox', 'exec', '--', 'sh', '-c', WAITS];
    const env = environment(home, { TMPDIR: scratch });
    const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    for (const name of signals) {
      await new Promise((resolve) => child.stdout.once('data', resolve));
      expect(kept()).toHaveLength(3);
      child.kill(name);
    }
    expect(await ended).toBe(code);
    await expect.poll(kept, { timeout: 10_000 }).toEqual([]);
  });

  it('where there is no such command, nor where svc runs on behind it', async () => {
    const env = { TMPDIR: scratch };
    expect(await shell('svc sandbox exec -- no-such-command', home, { env })).toMatchObject({ code: 127 });
    expect(kept()).toEqual([]);
    const { code, stderr } = await shell(`export SVC_HOME="$HOME/gone"; ${PAID}`, home);
    expect(code).toBe(16);
    expect(stderr).toMatch(/SVC_HOME names a folder that does not exist: .*gone\. Nothing was sent/);
    expect(existsSync(join(home, 'gone'))).toBe(false);
  });

  it('and nothing is run where no folder can be made', async () => {
    const env = { TMPDIR: join(home, 'none') };
    const { code, stdout, stderr } = await shell('svc sandbox exec -- echo ran', home, { env });
    expect([code, stdout]).toEqual([16, '']);
    expect(stderr).toContain('svc-beside-');
  });
});
