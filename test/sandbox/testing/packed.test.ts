import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../house/source.js';
import { environment, type Ended } from '../../support/program.js';
import { packedProject, type Project } from './project.js';

let project: Project;
let folder: string;
beforeAll(() => {
  project = packedProject();
  folder = project.folder;
  for (const name of ['@types', 'undici-types'])
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
});
afterAll(() => project.remove());

const node = (...args: string[]): Promise<Ended> => project.node(...args);

it.each([
  ['20.20.2', false],
  ['22.19.0', false],
  ['22.20.0', true],
  ['26.0.0', true],
])('Node %s: one sentence says which it needs, or it is loaded (%s)', async (version, isEnough) => {
  const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;
  const { code, stderr } = await node('-e', `${versions} require('@svc-cli/svc/testing')`);
  expect(code, stderr).toBe(isEnough ? 0 : 1);
  const sentence = `Error: @svc-cli/svc/testing needs Node 22.20 or newer, and this is Node ${version}.\n`;
  expect(stderr.includes(sentence), stderr).toBe(!isEnough);
});

const put = (name: string, text: string): void => project.put(name, text);

const STORY = `
  const sandbox = await startSandbox();
  const receiver = await sandbox.receiver();
  const post = (path, body) => fetch(sandbox.serviceUrl + path, {
    method: 'POST',
    headers: {
      authorization: 'Bearer ' + sandbox.apiKey,
      'content-type': 'application/json',
      'idempotency-key': 'invoice-2048',
    },
    body: JSON.stringify(body),
  });
  const answer = await post('/v2/payins', {
    method: 'incoming_transfer', country: 'VE', currency: 'VES', amount: '10.00',
    payer: { bank_code: '0102', document: { type: 'V', number: '12345678' } },
  });
  const { id } = await answer.json();
  await sandbox.pay(id);
  const event = await receiver.next('payin.confirmed');
  ok(event.data.id === id);
  ok((await sandbox.waitForDelivery('payin.confirmed')).attempts.length === 1);
`;

describe('works in', () => {
  it.each([
    ['shop.test.mjs', (name: string, from: string) => `import ${name} from '${from}';`],
    ['shop.test.cjs', (name: string, from: string) => `const ${name} = require('${from}');`],
  ])('node:test, as a module and by require: %s', async (file, load) => {
    const head = load('{ ok }', 'node:assert') + load('{ test }', 'node:test');
    const kit = load('{ startSandbox }', '@svc-cli/svc/testing');
    put(file, `${head}${kit} test('a shop', async () => { ${STORY} await sandbox.close(); });`);
    const { code, stdout, stderr } = await node('--test', file);
    expect([code, stderr], stdout).toEqual([0, '']);
    expect(stdout).toMatch(/pass 1\b/);
  });

  it('vitest, in files side by side, with timers that stand still', async () => {
    const story = `import { startSandbox } from '@svc-cli/svc/testing';
      const ok = (value) => expect(value).toBe(true);
      test('a shop', async () => {
        vi.useFakeTimers();
        ${STORY}
        ok((await sandbox.operations()).length === 1);
      });`;
    put('one.spec.mjs', story);
    put('two.spec.mjs', story);
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const { code, stdout, stderr } = await node(vitest, 'run', 'spec', '--globals', '--root', folder);
    expect(code, stdout + stderr).toBe(0);
    expect(stdout).toMatch(/2 passed/);
    expect(stdout + stderr).not.toMatch(/did not exit|hanging|SQLite/);
  });
});

it('holds no process up that forgets close()', async () => {
  put(
    'forgets.mjs',
    `import { startSandbox } from '@svc-cli/svc/testing';
     import { ok } from 'node:assert';
     ${STORY}
     await fetch('http://127.0.0.1:' + new URL(sandbox.baseUrl).port);
     await sandbox.advance('1h');
     await post('/v2/webhook-endpoints', { url: 'http://127.0.0.1:9/nobody' });
     console.log('done');`,
  );
  expect(await node('forgets.mjs')).toMatchObject({ code: 0, stdout: 'done\n', stderr: '' });
});

it('holds no process up whose receiver never answers', async () => {
  put(
    'waits-for-nobody.mjs',
    `import { createServer } from 'node:http';
     import { once } from 'node:events';
     import { startSandbox } from '@svc-cli/svc/testing';
     import { ok } from 'node:assert';
     ${STORY}
     const silent = createServer().listen(0, '127.0.0.1');
     await once(silent, 'listening');
     silent.unref();
     const arrived = once(silent, 'request');
     let isUnderWay = false;
     silent.on('connection', (socket) => {
       isUnderWay = true;
       socket.unref().once('close', () => { isUnderWay = false; });
     });
     process.once('exit', () => console.log(isUnderWay));
     await post('/v2/webhook-endpoints', { url: 'http://127.0.0.1:' + silent.address().port + '/' });
     await sandbox.fetch('/_control/ping', { method: 'POST', body: '{}' });
     const alive = setInterval(() => undefined, 1000);
     await arrived;
     clearInterval(alive);`,
  );
  expect(await node('waits-for-nobody.mjs')).toMatchObject({ code: 0, stdout: 'true\n' });
});

it('waits where a test waits, though nothing else is left', async () => {
  put(
    'waits.mjs',
    `import { startSandbox } from '@svc-cli/svc/testing';
     const receiver = await (await startSandbox()).receiver();
     await receiver.next('payin.confirmed', { timeoutMs: 200 }).catch(({ message }) => console.log(message));`,
  );
  const { code, stdout } = await node('waits.mjs');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^No payin\.confirmed arrived: none within 200 ms/);
});

it('gives the package, its version, and nothing of what is inside', async () => {
  put(
    'reach.mjs',
    `const names = ['', '/package.json', '/testing', '/dist/testing.cjs', '/bin/run.js', '/dist/svc.pack', '/testing/types'];
     for (const name of names) {
       const options = name.endsWith('.json') ? { with: { type: 'json' } } : {};
       const found = await import('@svc-cli/svc' + name, options).then((module) => Object.keys(module).join(), ({ code }) => code);
       console.log(name + ': ' + found);
     }`,
  );
  const { stdout } = await node('reach.mjs');
  const [own, ...rest] = stdout.replaceAll('ERR_PACKAGE_PATH_NOT_EXPORTED', '-').trim().split('\n');
  expect([own, ...rest.slice(0, 2)]).toEqual([': -', '/package.json: default', '/testing: startSandbox']);
  const inside = ['/dist/testing.cjs', '/bin/run.js', '/dist/svc.pack', '/testing/types'];
  expect(rest.slice(2)).toEqual(inside.map((name) => `${name}: -`));
});

it('is svc all the same', () => {
  const svc = join(folder, 'node_modules/.bin/svc');
  const { status, stdout } = spawnSync(svc, ['--version'], { encoding: 'utf8', env: environment(folder) });
  expect(status).toBe(0);
  expect(stdout).toMatch(/^svc \d/);
});

describe('the types', () => {
  /** The compiler runs once for all files, because its start takes longer than the files. */
  let said: Ended;
  beforeAll(async () => {
    const files = ['use.mts', 'use.cts', 'wrong.mts'];
    const options = { strict: true, noEmit: true, types: ['node'], target: 'es2022' };
    const compilerOptions = { ...options, module: 'nodenext', lib: ['es2023', 'esnext.disposable'] };
    put('tsconfig.json', JSON.stringify({ compilerOptions, files }));
    const imported = `import { startSandbox, type TestReceiver, type FaultToArm, type ReceivedEvent, type SandboxFailureCode, type DeliveryRow } from '@svc-cli/svc/testing';\n${USE}`;
    put('use.mts', imported);
    put('use.cts', imported);
    put('wrong.mts', `import { startSandbox } from '@svc-cli/svc/testing';\n${WRONG.join('\n')}`);
    said = await node(join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', '.');
  });
  const WRONG = [
    'const sandbox = await startSandbox({ ports: 1 });',
    "sandbox.apiKey = 'x';",
    'await sandbox.fault();',
    "await sandbox.fault({ route: 'x', status: 503 });",
    "await sandbox.fault({ route: 'payins.create', kind: 'nothing' });",
    "await sandbox.fault({ route: 'payins.create' });",
    "await sandbox.fault({ route: 'payins.create', kind: 'delay', status: 503 });",
    "await sandbox.fault({ route: 'payins.create', status: 503, delay_ms: 5 });",
    "await sandbox.fault({ route: 'payins.create', kind: 'outcome' });",
    "await sandbox.fault({ route: '*', kind: 'outcome', failure: { code: 'expired', reason: 'daily_limit' } });",
    "await sandbox.fault({ delivery: 'twice' });",
    "await sandbox.fault({ delivery: 'hold', for: 30 });",
    "await sandbox.fault({ delivery: 'hold', route: 'payins.create' });",
    "await sandbox.fault({ delivery: 'hold', skip: 1 });",
    "await sandbox.fault({ route: 'payins.create', status: 503, for: '1d' });",
    "await sandbox.settle('x', { code: 'no_money' });",
    "await sandbox.settle('x', { code: 'limit_exceeded', reason: 'expired' });",
    'await sandbox.requests({ statuss: 404 });',
    "await sandbox.advance('1h', { delivery: false });",
    "await sandbox.key({ scopes: ['payins:create'] });",
    "const receiver = await sandbox.receiver({ answer: 'late' });",
    "await receiver.next('payin.paid');",
    "(await receiver.next('payin.confirmed')).data.failure.code;",
    "(await receiver.next('payout.failed')).data.type === 'payin';",
    "(await receiver.next('payout.failed')).data.failure.code === 'no_money';",
    "await sandbox.waitForDelivery('payin.confirmed', { status: 'done' });",
    '(await sandbox.operations())[0]!.operation.failure.code;',
    "(await sandbox.pay('x')).id;",
    "await sandbox.fault({ route: '*', kind: 'outcome', pending: true, failure: { code: 'rejected' } });",
    "await sandbox.fault({ route: '*', kind: 'silent', after: true });",
  ];
  const USE = `
    export async function use(): Promise<string> {
      await using sandbox = await startSandbox({ port: null, live: true, code: '424242', settleAfterSeconds: 1 });
      const paid = await sandbox.pay('x', { amount: '1.00' });
      const [first] = await sandbox.requests({ status: 503 });
      const receiver: TestReceiver = await sandbox.receiver();
      const { type } = await receiver.next('payin.confirmed', { timeoutMs: 1 });
      const response: Response = await sandbox.fetch('/v2/balances', { method: 'GET' });
      const delivery = await sandbox.waitForDelivery(type, { status: 'exhausted' });
      const faults: FaultToArm[] = [
        { route: 'payins.create', status: 429, retry_after: 2 },
        { route: '*', kind: 'status', status: 503, count: 2 },
        { route: 'payins.resendCode', kind: 'delay', delay_ms: 5 },
        { route: 'balances', kind: 'drop-after', skip: 1, match: 'order-1' },
        { route: 'payouts.create', status: 502, after: true },
        { route: '*', kind: 'silent' },
        { route: 'payins.confirm', kind: 'outcome', pending: true },
        { delivery: 'hold', count: 2, for: '1d' },
        { delivery: 'before-answer' },
        { route: 'payouts.create', kind: 'outcome', failure: { code: 'limit_exceeded', reason: 'daily_limit' } },
      ];
      for (const fault of faults) await sandbox.fault(fault);
      await sandbox.advance('1h', { deliveries: false });
      const settled = await sandbox.settle('x', { code: 'rejected' });
      if (settled.operation.status === 'failed') settled.operation.failure.message.trim();
      const event: ReceivedEvent = await receiver.next();
      if (event.type === 'payout.failed') event.data.failure.code satisfies SandboxFailureCode;
      await sandbox.receiver({ answer: async ({ event, attempt }) => (event.data.id === 'x' && attempt === 1 ? 'cut' : 200) });
      await sandbox.receiver({ answer: () => {} });
      await sandbox.receiver({ answer: async () => {} });
      await sandbox.key({ company: 'acme', scopes: ['saldos:leer'], environment: 'live' });
      const rows: DeliveryRow[] = [await sandbox.resend('x'), await sandbox.ping()];
      rows[0]?.attempts[0]?.answer?.body.trim();
      return [paid?.operation.status, first?.refused, response.status, delivery.attempts.at(-1)?.error].join();
    }`;

  it('are right for import and for require, and stand alone', () => {
    expect(said).toMatchObject({ code: 2, stderr: '' });
    const others = said.stdout.split('\n').filter((line) => line !== '' && !/^(wrong\.mts| )/.test(line));
    expect(others).toEqual([]);
  });

  it('see what is wrong', () => {
    const lines = [...said.stdout.matchAll(/^wrong\.mts\((\d+),/gm)].map(([, line]) => line);
    expect([...new Set(lines)]).toEqual(WRONG.map((_, at) => String(at + 2)));
  });
});
