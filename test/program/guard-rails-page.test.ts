import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parsePolicy } from '../../src/session/guard/policy.js';
import { policyDocument } from '../../src/session/guard/plain-policy.js';
import { ROOT } from '../house/source.js';
import { guardedMachine } from '../soak/guard/machines.js';
import { HAS_OWN_MOUNTS, inOwnMounts, type ScriptEnd } from '../support/own-mounts.js';
import { environment, SHELL_COMMAND } from '../support/program.js';
import { csv, people } from '../support/payroll.js';
import { pageOf, blockOf, namesIn, linesOf, machine } from '../support/readme.js';
import { startService, type Service } from '../support/service.js';
import { HAS_KEYGEN, KEYGEN } from '../support/signers.js';
import { testFolder } from '../support/test-folder.js';

const PAGE = pageOf('docs/guard-rails.md');
const AGENTS = pageOf('docs/agents.md');

const block = (name: string, page = PAGE): string => blockOf(page, name);

it('each block has a name, and is tried here', () => {
  expect(namesIn(PAGE)).toEqual([
    ...['json policy', 'sh check', 'sh lock', 'sh signers', 'sh install', 'sh payer', 'text sudoers'],
    ...['sh make', 'sh approve', 'sh apply', 'sh rehearsal-key', 'sh rehearsal', 'text holidays'],
  ]);
  expect(namesIn(AGENTS)).toEqual(['sh start', 'sh refused', 'text refusal', 'markdown agents']);
});

it('says in its first paragraph what it does not protect', () => {
  const [, first = ''] = PAGE.split('\n\n');
  expect(first).toContain('can pay without `svc`');
  expect(first).toContain('does not stop');
});

describe('the policy', () => {
  const policy = policyDocument(parsePolicy(Buffer.from(block('policy'))));

  it('can be put in place as it stands', async () => {
    const at = machine();
    at.put('policy.json', block('policy'));
    const [{ stdout, stderr }, codes] = await at.codes(linesOf(block('check')), { SVC_OUTPUT: 'table' });
    expect([codes, stderr]).toEqual([[0, 0], '']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('1 person approves each batch and each single one,');
  });

  it('has each of its members in the table, and the table has no other', () => {
    const rows = [...PAGE.matchAll(/^\| (`[^|]*`) +\| ([^|]*?) +\|/gm)].slice(0, 14);
    const named = rows.flatMap(([, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.split('.').at(-1)),
    );
    const isObject = (value: unknown): value is object =>
      typeof value === 'object' && value !== null && !Array.isArray(value);
    const membersOf = (value: object): string[] =>
      Object.entries(value).flatMap(([name, inner]: [string, unknown]) => [
        ...(/^[A-Z]{3}$/.test(name) ? [] : [name]),
        ...(isObject(inner) && name !== 'hours' ? membersOf(inner) : []),
      ]);
    expect(new Set([...named, 'approvals'])).toEqual(new Set(membersOf(policy)));
  });

  it.each([
    [
      'the list of signers',
      '`/etc/svc/allowed_signers`',
      { version: 1 },
      ['approvals', 'signers'],
      '/etc/svc/allowed_signers',
    ],
    ['the life of a plan', '`72h`', { version: 1 }, ['approvals', 'valid_for'], '72h'],
    ['webhooks', '`none`', { version: 1 }, ['webhooks'], 'none'],
    ['a direction', '`{"allow":"read"}`', { version: 1 }, ['payins', 'allow'], 'read'],
  ] as const)('leaves out %s as the table says', (_name, shown, given, path, value) => {
    expect(PAGE).toContain(shown);
    const document = policyDocument(parsePolicy(Buffer.from(JSON.stringify(given))));
    expect(path.reduce<unknown>((at, name) => (at as Record<string, unknown>)[name], document)).toBe(value);
  });
});

describe('the lock', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService((_received, response) => void response.writeHead(500).end());
  });
  afterAll(() => service.stop());
  const env = (): Record<string, string> => ({
    SVC_BASE_URL: service.url,
    SVC_API_KEY: 'svc_live_sandbox_of_the_page',
  });
  /** A live key is sent to this machine only with --insecure-loopback. */
  const rehearsed = (script: string): string => script.replaceAll('--live', '--live --insecure-loopback');

  it('refuses as the page says, and nothing leaves', async () => {
    const at = machine();
    const [{ stderr }, codes] = await at.codes(linesOf(rehearsed(block('lock'))), env());
    expect(codes).toEqual([13, 13]);
    expect([...stderr.matchAll(/"code":"locked"/g)]).toHaveLength(2);
    expect(service.received).toEqual([]);
  });

  it('shows what the page for agents shows', async () => {
    const at = machine();
    const [{ stderr }, codes] = await at.codes(linesOf(rehearsed(block('refused', AGENTS))), env());
    expect(codes).toEqual([13]);
    const { error } = JSON.parse(stderr) as { error: { message: string } };
    expect(error.message).toBe(block('refusal', AGENTS).trim());
    expect(service.received).toEqual([]);
  });

  it('holds for whatever is started', async () => {
    const at = machine();
    at.put('bin/your-agent', `#!/bin/sh\nunset SVC_LOCK\nsvc balances --live --insecure-loopback\n`, 0o755);
    const [{ stderr }, codes] = await at.codes(linesOf(block('start', AGENTS)), env());
    expect([codes, service.received]).toEqual([[13], []]);
    expect(stderr).toContain('"code":"locked"');
  });
});

it('tells an agent what there is', async () => {
  const lines = block('agents', AGENTS);
  const at = machine();
  const [, codes] = await at.codes(['svc certify client --help', 'svc certify receiver --help']);
  expect(codes).toEqual([0, 0]);
  const page = pageOf('docs/reference/README.md');
  const manual = readFileSync(join(ROOT, 'scripts/release/variables.js'), 'utf8');
  for (const [, name = ''] of lines.matchAll(/`(SVC_[A-Z_]+)`/g)) expect(manual + page, name).toContain(name);
});

const ANY_HOUR: Readonly<Record<string, string>> = {
  from: '"from": "00:00"',
  to: '"to": "24:00"',
  days: '"days": ["mon","tue","wed","thu","fri","sat","sun"]',
};

const SUDO = `#!/bin/sh
user=root
while :; do case $1 in -H) shift ;; -u) user=$2; shift 2 ;; *) break ;; esac; done
home=$(getent passwd "$user" | cut -d: -f6)
exec env -i PATH="$PATH" HOME="$home" USER="$user" SUDO_USER="$(id -un)" SUDO_COMMAND="$(command -v "$1") $*" setpriv --reuid="$user" --regid="$user" --init-groups "$@"
`;

describe.skipIf(!HAS_OWN_MOUNTS || !HAS_KEYGEN)('the treasury (needs root on Linux)', () => {
  const folder = testFolder();
  beforeAll(() => {
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/sudo'), SUDO, { mode: 0o755 });
    writeFileSync(join(folder, 'bin/svc'), `#!/bin/sh\nexec ${SHELL_COMMAND} "$@"\n`, { mode: 0o755 });
  });

  function type(script: string): Promise<ScriptEnd> {
    const fresh = ['/home', '/srv', '/var/log', '/var/mail'].map(
      (path) => `mount -t tmpfs -o mode=755 tmpfs ${path}`,
    );
    const keys = ['treasurer', 'controller', 'accountant'].map(
      (who) => `${KEYGEN} -q -t ed25519 -N '' -C '' -f ${who}`,
    );
    const given = `cat > policy.json << 'POLICY'\n${block('policy')}POLICY\necho svc_live_sandbox_0123456789abcdef > live-key.txt`;
    const env = {
      ...environment('/home/administrator'),
      PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`,
    };
    return inOwnMounts(
      [...fresh, 'mkdir /home/administrator; cd /home/administrator', ...keys, given, script].join('\n'),
      env,
    );
  }

  it('is set up by the blocks as they stand', async () => {
    const { stdout, stderr, exitCode } = await type(
      `${block('signers')}${block('install')}${block('payer')}
echo; stat -c '%A %U %G %n' /etc/svc /etc/svc/policy.json /etc/svc/allowed_signers /srv/payrolls
test ! -e live-key.txt
setpriv --reuid=65534 --clear-groups ls /home/payer/.config/svc 2>&1 | tail -1`,
    );
    expect([exitCode, stderr]).toEqual([
      0,
      'The live key is in a file that only you can read (mode 0600): there is no key store, or it is locked.\n',
    ]);
    const lines = stdout.trim().split('\n');
    expect(lines.slice(-5)).toEqual([
      ...['drwxr-xr-x root root /etc/svc', '-rw-r--r-- root root /etc/svc/policy.json'],
      ...['-rw-r--r-- root root /etc/svc/allowed_signers', 'drwxrws--- root treasury /srv/payrolls'],
      "ls: cannot access '/home/payer/.config/svc': Permission denied",
    ]);
    const shown = JSON.parse(lines.at(-6) === '' ? lines.at(-7)! : lines.at(-6)!) as Record<string, unknown>;
    expect(shown).toMatchObject({ state: 'in_force', binds: true, lock: null });
  });

  const by = (who: string, script: string, more = ''): string =>
    `sudo -H -u ${who} sh -e << 'LINES' ${more}\n${script}LINES`;

  it('sends a payroll that two people have seen, and none that one has made alone', async () => {
    const service = await guardedMachine();
    try {
      const rehearsed = (script: string): string =>
        script
          .replaceAll('https://api.example.com', service.address)
          .replaceAll(/ --live(?=[ \n])/g, ' --live --insecure-loopback')
          .replace(' --key-stdin', ' --key-stdin --insecure-loopback')
          .replaceAll(
            /"(from|to|days)": ("[0-9:]+"|\[[^\]]*\])/g,
            (_whole, name: string) => ANY_HOUR[name] ?? '',
          );
      const three = ['accountant', 'controller'].map(
        (who) => `useradd --create-home --groups treasury ${who}
install -d -o ${who} /home/${who}/.ssh; install -o ${who} -m 600 ${who} /home/${who}/.ssh/payroll
install -o ${who} -m 600 ${who}.pub /home/${who}/.ssh/payroll.pub
echo ${service.key} | sudo -H -u ${who} svc profiles add company --base-url ${service.address} --insecure-loopback --key-stdin --insecure-storage`,
      );
      const rows = csv(people(3, (at) => ({ amount: `${String(100 + at)}.50` })));
      const tried = '|| echo "exit $?"';
      const make = rehearsed(block('make'));
      const [there = '', applied = '', status = ''] = linesOf(rehearsed(block('apply')));
      const apply = `${there}\n${applied}`;
      const approve = block('approve').replace(
        /(svc batches approve .*)/,
        '$1 --confirm-total VES:304.50 > /mnt/shown',
      );
      const unread = approve.replace(/^find .*\n/m, '');
      const inSandbox = (script: string): string =>
        script.replaceAll('payroll-11', 'rehearsal').replaceAll(' --live --insecure-loopback', '');
      const { stdout, stderr, exitCode } = await type(
        [
          `echo ${service.key} > live-key.txt`,
          `cat > policy.json << 'POLICY'\n${rehearsed(block('policy'))}POLICY`,
          block('signers') + block('install') + rehearsed(block('payer')),
          ...three,
          'touch /mnt/shown; chmod 666 /mnt/shown',
          `cat > /srv/payrolls/payroll.csv << 'ROWS'\n${rows}ROWS`,
          by('accountant', make.replaceAll('payroll-11', 'payroll-10')),
          'echo begin; ' + by('accountant', make),
          `echo alone; ${apply} ${tried}`,
          'echo himself; ' + by('accountant', approve, tried),
          by(
            'accountant',
            `cd /srv/payrolls\n${KEYGEN} -q -Y sign -f ~/.ssh/payroll -n svc-payroll-approval < payroll-11.plan > payroll-11.plan.own.sig; chmod g+r *.sig\n`,
          ),
          `${apply} ${tried}`,
          'echo seen; ' + by('controller', unread),
          `${apply} 2> /mnt/said ${tried}; cat /mnt/said >&2`,
          by(
            'controller',
            `cd /srv/payrolls; $(grep -o '"chmod g+r [^ ]*"' /mnt/said | head -1 | tr -d '"')\n`,
          ),
          `echo sent; ${apply} ${tried}; ${status}`,
          `svc sandbox key --base-url ${service.address} --jq .api_key > sandbox-key.txt`,
          block('rehearsal-key'),
          ...['accountant', 'controller'].map((who) => block('rehearsal-key').replace('payer', who)),
          by('accountant', inSandbox(make)),
          by('controller', inSandbox(approve)),
          `echo rehearsed; ${block('rehearsal')}`,
        ].join('\n'),
      );
      expect(exitCode, stderr).toBe(0);
      const codes = [...stderr.matchAll(/^\{"error":\{"code":"(\w+)"/gm)].map(([, code]) => code);
      expect(codes).toEqual([
        ...['approvals_missing', 'made_the_plan', 'approvals_missing', 'approvals_missing'],
      ]);
      const said = stdout
        .slice(stdout.indexOf('begin\n'))
        .split('\n')
        .filter((line) => !line.startsWith('{') && !/^\d|^line,/.test(line));
      expect(said.slice(0, -1)).toEqual([
        ...['begin', 'alone', 'exit 13', 'himself', 'exit 13', 'exit 13', 'seen', 'exit 13'],
        ...['sent', 'rehearsed'],
      ]);
      expect(stdout.match(/^\d,emp-.*,confirmed,/gm)).toHaveLength(3);
      const live = service.sendings().filter(({ target }) => target === '/v2/payouts');
      expect(live).toHaveLength(3);
      const rehearsals = service.sendings().filter(({ target }) => target === '/sandbox/v2/payouts');
      expect(rehearsals).toHaveLength(3);
    } finally {
      await service.stop();
    }
  });

  it('tells a line of the list that would be passed over before it is in place', async () => {
    const { stderr, exitCode } = await type(
      `${block('signers')}sed -i 's/svc-payroll-approval"/svc-payroll-approval" valid-before="20270101Z"/' allowed_signers
${linesOf(block('install'))[0]!}`,
    );
    expect(exitCode).toBe(14);
    expect(stderr).toContain('"code":"signers_passed_over"');
  });

  it('has holidays as ssh-keygen reads them', async () => {
    const script = `cat > days << 'DAYS'
${block('holidays')}DAYS
sed -i "1s|ssh-ed25519 KEY|$(cut -d' ' -f1,2 controller.pub)|; 2s|ssh-ed25519 KEY|$(cut -d' ' -f1,2 accountant.pub)|" days
svc policy check policy.json --signers days > /dev/null
for who in controller accountant; do
  echo x | ${KEYGEN} -q -Y sign -f $who -n svc-payroll-approval > $who.sig
  for day in 20261219 20261221 20270108; do ${KEYGEN} -Y find-principals -f days -s $who.sig -Overify-time=$day"120000Z" 2> /dev/null || echo nobody; done
done`;
    const { stdout } = await type(script);
    expect(stdout.trim().split('\n')).toEqual([
      'controller@example.com',
      ...['nobody', 'nobody', 'nobody'],
      'deputy@example.com',
      'nobody',
    ]);
  });
});
