import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { blocksOf, linesOf, machine, type Machine } from '../support/readme.js';
import { freePort, serving } from '../support/serving.js';
import { openServer } from '../sandbox/wire/wire.js';
import { ROOT } from './source.js';

const HOSTILE = `-x 20'48 "$(touch pwned)" ; \`touch pwned\` --live`;
const HOSTILE_KEY = `--live 20'48 "a" \`b\` $(touch pwned)`;

const PAGES = [
  'README',
  ...['install', 'profiles', 'sandbox', 'scripts', 'terminal', 'unknown-outcomes'].map(
    (page) => `docs/${page}`,
  ),
].map((page) => readFileSync(join(ROOT, `${page}.md`), 'utf8'));
const BLOCKS = PAGES.flatMap((text) => blocksOf('sh', text));
const [BODY = ''] = PAGES.flatMap((text) => blocksOf('json', text));
const STARTS = [
  ...['npm ci && npm run demo', 'npm ci && npm test', 'mkdir -p ~/.local/bin', 'sh packaging/install.sh'],
  ...['sudo dpkg', 'npm pack', 'id=$(svc payins create', 'svc profiles add shop', 'employee='],
  ...['svc requests list', 'svc sandbox start', 'curl ', 'svc sandbox payment', 'svc webhooks register'],
  ...['svc events tail', '# Every line', 'svc operations find', '# Pay once'],
] as const;

function block(start: (typeof STARTS)[number]): string {
  return BLOCKS.find((text) => text.startsWith(start)) ?? '';
}

it('each block is known here, and has one test', () => {
  const known = STARTS.map((start) => BLOCKS.filter((text) => text.startsWith(start)));
  expect(known.flat()).toHaveLength(STARTS.length);
  expect([...known.flat()].sort()).toEqual([...BLOCKS].sort());
});

const PAYIN =
  'svc payins create --country VE --currency VES --amount 150.00 --payer document.type=V ' +
  '--payer document.number=12345678 --payer bank_code=0102 --jq .id';
const PAYOUT =
  'svc payouts create --method mobile_payment --country VE --currency VES --amount 20.00 --beneficiary document.type=V ' +
  '--beneficiary bank_code=0105 --beneficiary account_number=04149876543';

async function said(
  at: Machine,
  command: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { code, stdout, stderr } = await at.paste(command, env);
  expect(code, stderr).toBe(0);
  return stdout.trim();
}

const LOSE = 'svc sandbox fault --route payouts.create --kind drop-after --count 3';

it('the README is read in five minutes', () => {
  expect(PAGES[0]!.split(/\s+/).length).toBeLessThanOrEqual(1200);
});

it('the first two lines are scripts of the package', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  expect(block('npm ci && npm run demo')).toBe('npm ci && npm run demo\n');
  expect(block('npm ci && npm test')).toBe('npm ci && npm test\n');
  expect(scripts).toMatchObject({ demo: 'node scripts/demo.js', test: expect.any(String) as string });
});

it('the link is svc, wherever the clone is', async () => {
  const at = machine();
  const clone = join(at.home, `a clone's "folder"`);
  mkdirSync(clone);
  for (const name of ['bin', 'dist', 'oclif.manifest.json', 'package.json'])
    cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  const script = `cd '${clone.replaceAll("'", `'\\''`)}'\n${block('mkdir -p ~/.local/bin')}~/.local/bin/svc --version`;
  expect(await said(at, script)).toMatch(/^svc \d/);
  expect(await said(at, script)).toMatch(/^svc \d/);
});

it('the package that the clone makes is installed and runs', async () => {
  const at = machine();
  const clone = join(at.home, 'clone');
  mkdirSync(clone);
  const files = [
    ...['bin', 'dist', 'oclif.manifest.json', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
  ];
  for (const name of files) cpSync(join(ROOT, name), join(clone, name), { recursive: true });
  const env = {
    ...{ npm_config_ignore_scripts: 'true', npm_config_offline: 'true', npm_config_omit: 'optional' },
    ...{ npm_config_prefix: join(at.home, 'global'), npm_config_audit: 'false', npm_config_fund: 'false' },
  };
  const script = `cd clone\n${block('npm pack')}rm -rf "$HOME/clone"\n"$HOME/global/bin/svc" --version`;
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect((await said(at, script, env)).split('\n').at(-1)).toBe(`svc ${version}`);
});

const IS_RELEASED = process.env['RELEASE'] === '1' && existsSync(join(ROOT, 'release/SHA256SUMS'));
const PLATFORM = process.platform === 'linux' && process.arch === 'x64';
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};

it.skipIf(!IS_RELEASED || !PLATFORM)(
  'the one file is installed and runs (with RELEASE=1, after `npm run release`)',
  async () => {
    const at = machine();
    const script = `cd '${ROOT}'\n${block('sh packaging/install.sh')}env -i HOME="$HOME" ~/.local/bin/svc --version`;
    expect((await said(at, script)).split('\n').at(-1)).toBe(`svc ${VERSION}`);
  },
);

it.skipIf(!IS_RELEASED || !PLATFORM || process.getuid?.() !== 0)(
  'the .deb is installed and runs (skipped without RELEASE=1, `npm run release` and root)',
  async () => {
    const at = machine();
    for (const folder of ['info', 'updates', 'triggers'])
      mkdirSync(join(at.home, 'root/var/lib/dpkg', folder), { recursive: true });
    at.put('root/var/lib/dpkg/status', '');
    const into =
      'sudo() { "$@"; }; dpkg() { command dpkg --root="$HOME/root" --ignore-depends=libc6,libstdc++6 "$@"; }';
    const script = `cd '${ROOT}'\n${into}\n${block('sudo dpkg')}"$HOME/root/usr/bin/svc" --version`;
    expect((await said(at, script)).split('\n').at(-1)).toBe(`svc ${VERSION}`);
  },
);

it('what is installed has the names that a release gives', () => {
  expect(block('sh packaging/install.sh')).toContain(` release/svc-${VERSION}-linux-x64.tar.xz\n`);
  expect(block('sudo dpkg')).toContain(` release/svc_${VERSION}_amd64.deb\n`);
});

it('nobody is told to install it from a registry where it is not', () => {
  const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { name: string };
  for (const path of [
    ...['README.md', 'CONTRIBUTING.md', 'docs/install.md', 'docs/payroll.md'],
    ...['docs/operators.md', 'docs/receive-events.md'],
  ])
    expect(readFileSync(join(ROOT, path), 'utf8'), path).not.toMatch(
      new RegExp(`(npm (install|i|exec)|npx)[^\\n]*${name}`),
    );
});

it('five minutes run as they are printed', async () => {
  const at = machine();
  const script = block('id=$(svc payins create');
  const { code, stdout, stderr } = await at.paste(`set -e\n${script}`);
  expect(code, stderr).toBe(0);
  expect(stdout.match(/"type":"(payin|payout)\.confirmed"/g)).toHaveLength(2);
  expect(stdout.trimEnd().split('\n').at(-1)).toContain('"balances"');
});

async function shop(): Promise<Machine> {
  const at = machine();
  const { server, sandbox } = await openServer();
  const url = `http://127.0.0.1:${server.port}`;
  const answer = await fetch(`${url}/_control/keys`, {
    method: 'POST',
    body: JSON.stringify({ company: 'default', environment: 'live' }),
  });
  at.put('sandbox-key.txt', sandbox.apiKey);
  at.put('live-key.txt', ((await answer.json()) as { api_key: string }).api_key);
  const script = block('svc profiles add shop')
    .replace('https://api.example.com', `${url} --insecure-loopback`)
    .replace('< live-key.txt', '--insecure-storage < live-key.txt');
  const { code, stderr } = await at.paste(`set -e\n${script}`);
  expect(code, stderr).toBe(0);
  at.put('payout.json', BODY);
  return at;
}

it('the profile has both keys, and real money takes --live', async () => {
  const at = await shop();
  expect(JSON.parse(await said(at, 'svc profiles show --json'))).toMatchObject({
    keys: { sandbox: { key: expect.any(String) as string }, live: { key: expect.any(String) as string } },
  });
});

it.each([
  ['emp-0017', ''],
  [HOSTILE, ''],
  [HOSTILE, 'lost'],
  ['emp-0017', 'failed'],
  ['emp-0017', 'later'],
])('the script for %s does the right thing where it is %s', async (employee, fate) => {
  const at = machine();
  at.put('payout.json', fate === 'failed' ? BODY.replace('12345678', '00000001') : BODY);
  if (fate === 'lost') await said(at, LOSE);
  if (fate === 'later') await said(at, LOSE.replace('--kind drop-after', '--status 503'));
  const script = block('employee=').replace('emp-0017', `'${employee.replaceAll("'", `'\\''`)}'`);
  const first = await at.paste(script);
  expect(first.code, first.stderr).toBe(fate === 'later' ? 75 : 0);
  if (fate === '') expect(first.stdout).toMatch(/^sent: [0-9a-f-]{36}\n$/);
  if (fate === 'failed') expect(first.stdout).toMatch(/^the bank refused it\n.*failed/s);
  if (fate === 'lost') expect(JSON.parse(first.stdout)).toMatchObject({ status: 'confirmed' });
  if (fate === 'failed') return;
  await at.paste(script);
  const paid = await said(at, `svc events list --all --jq 'select(.type == "payout.confirmed") | .id'`);
  expect(paid.split('\n')).toHaveLength(1);
  expect((await at.paste('ls pwned')).code).not.toBe(0);
});

it('open requests are listed, shown, repeated and forgotten, whatever their keys hold', async () => {
  const at = machine();
  const create = `${PAYOUT} --beneficiary document.number=12345678`;
  for (const [key, amount] of [
    [HOSTILE_KEY, '20.00'],
    ['invoice-2', '21.00'],
  ] as const)
    await at.paste(`${LOSE}\n${create.replace('20.00', amount)} --idempotency-key="$KEY"`, { KEY: key });
  const lines = linesOf(block('svc requests list'));
  const [{ stderr }, codes] = await at.codes(lines, { KEY: HOSTILE_KEY });
  expect(codes, stderr).toEqual([0, 0, 0, 0, 5]);
  expect(await said(at, `svc events list --all --jq .data.amount`)).toBe('20.00\n21.00');
  await at.paste(`${LOSE}\n${create.replace('20.00', '22.00')} --idempotency-key="$KEY"`, {
    KEY: HOSTILE_KEY,
  });
  const refused = await at.paste(lines.at(-1)!, { KEY: HOSTILE_KEY });
  expect(refused.code).toBe(13);
  const yes = lines.at(-1)!.replace(' -- ', ' --yes -- ');
  expect((await at.paste(yes, { KEY: HOSTILE_KEY })).code).toBe(0);
});

it('the sandbox is served, asked by curl and driven by every line', async () => {
  const at = machine();
  const port = String(await freePort());
  const start = `${linesOf(block('svc sandbox start'))[0]!.replace(/#.*/, '')} --port ${port}`;
  const curl = block('curl ').replaceAll('4010', port);
  const id = await said(at, `${PAYIN} --method incoming_transfer`);
  const control = linesOf(block('svc sandbox payment'));
  const webhooks = linesOf(block('svc webhooks register'));
  let isOver = false;
  const ended = at.until(start, async (text) => {
    if (!text.includes('"ready"')) return false;
    if (isOver) return true;
    expect(JSON.parse(await said(at, curl))).toHaveProperty('balances');
    const [{ stderr }, codes] = await at.codes([webhooks[0]!]);
    expect(codes, stderr).toEqual([0]);
    await said(at, `${PAYOUT} --beneficiary document.number=12345678`);
    at.put('event.json', await said(at, 'svc events list --limit 1 --jq ".events[0] | tojson"'));
    const signed = JSON.parse(await said(at, webhooks[2]!)) as Record<string, string>;
    const headers = Object.entries(signed).map(([name, value]) => `${name}: ${value}\r\n`);
    const event = readFileSync(join(at.home, 'event.json'), 'utf8');
    at.put('delivery.http', `POST /hooks HTTP/1.1\r\n${headers.join('')}\r\n${event}`);
    expect(JSON.parse(await said(at, webhooks[1]!))).toHaveProperty('type', 'payout.confirmed');
    const [driven, ends] = await at.codes(control, { ID: id });
    expect(ends, driven.stderr).toEqual(control.map(() => 0));
    expect(driven.stdout).toContain(`"attributed_to":"${id}"`);
    isOver = true;
    return true;
  });
  expect(await ended).toBe(130);
});

it('events are followed, forwarded, received, triggered and traced', async () => {
  const at = machine();
  const received: string[] = [];
  const { port, stop } = await serving((request, response) => {
    received.push(String(request.headers['x-evento']));
    response.end();
  });
  onTestFinished(stop);
  const id = await said(at, `${PAYOUT} --beneficiary document.number=12345678 --jq .id`);
  at.put('handle-event', '#!/bin/sh\ncat >> handled.ndjson\n', 0o755);
  const [tail = '', into = '', forward = '', listen = '', trigger = '', trace = ''] = linesOf(
    block('svc events tail'),
  ).map((line) => line.replace('localhost:3000', `127.0.0.1:${String(port)}`));
  const handled = (): boolean => {
    const path = join(at.home, 'handled.ndjson');
    return existsSync(path) && readFileSync(path, 'utf8').includes(id);
  };
  expect(await at.until(tail, handled)).toBe(130);
  const [filled, ended] = await at.codes([into]);
  expect(ended, filled.stderr).toEqual([0]);
  expect(existsSync(join(at.home, 'events.db'))).toBe(true);
  expect(await at.until(forward, () => received.includes('payout.confirmed'))).toBe(130);
  expect(await at.until(listen.replace(/ *#.*/, ' --port 0'), (text) => text.includes('127.0.0.1'))).toBe(
    130,
  );
  const [{ stderr }, codes] = await at.codes([trigger, trace], { ID: id });
  expect(codes, stderr).toEqual([0, 0]);
  expect(received).toContain('payout.failed');
});

it('a payroll is validated, paid and looked at', async () => {
  const at = machine();
  at.put('payroll.csv', blocksOf('csv', readFileSync(join(ROOT, 'docs/payroll.md'), 'utf8'))[0]!);
  const [{ stderr, stdout }, codes] = await at.codes(linesOf(block('# Every line')));
  expect(codes, stderr).toEqual([0, 3, 0]);
  expect(stdout).toContain('"confirmed":2');
});

it('a payment is found, and a statement reconciled', async () => {
  const at = await shop();
  await at.paste(`${PAYOUT} --live --beneficiary document.number=00000002 --reference invoice-2048`);
  at.put('bank.csv', 'Referencia;Importe\ninvoice-2048;20,00\nother;1,00\n');
  const [{ stderr, stdout }, codes] = await at.codes(linesOf(block('svc operations find')));
  expect(codes, stderr).toEqual([0, 18]);
  expect(stdout).toContain('"class":"only_here"');
  expect(existsSync(join(at.home, 'report.html'))).toBe(true);
});

it('the recipes for runbooks do what they say', async () => {
  const at = await shop();
  const id = await said(at, `${PAYOUT} --live --beneficiary document.number=00000002 --jq .id`);
  const failed = await at.paste(`${PAYOUT} --live --beneficiary document.number=00000001 --jq .id`);
  const lines = linesOf(block('# Pay once'));
  const env = { ID: id, INVOICE: HOSTILE };
  const [{ stderr, stdout }, codes] = await at.codes([...lines, lines[0]!, lines[1]!], env);
  expect(codes, stderr).toEqual([0, 0, 0, 7, 0, 0, 0, 0, 13]);
  expect(stdout).toContain(`${failed.stdout.trim()}\t20.00`);
  expect((await said(at, `svc events list --live --all --jq .data.amount`)).split('\n')).toEqual(
    Array(4).fill('20.00'),
  );
  expect((await at.paste('ls pwned')).code).not.toBe(0);
});
