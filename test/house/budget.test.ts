import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shell } from '../support/program.js';
import { startService, type Service } from '../support/service.js';
import { ROOT } from './source.js';
import { testFolder } from '../support/test-folder.js';

const ID = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
const OPERATION = JSON.stringify({ id: ID, status: 'confirmed' });
const PAYOUT = JSON.stringify({
  ...{ amount: '10.00', country: 'VE', currency: 'VES', method: 'mobile_payment' },
  beneficiary: {
    ...{ bank_code: '0102', account_number: '04121234567', document: { type: 'V', number: '12345678' } },
  },
});
const SIGNED = {
  SVC_WEBHOOK_SECRET: 'whsec_x',
  SVC_WEBHOOK_SIGNATURE: `v1=${'0'.repeat(64)}`,
  SVC_WEBHOOK_TIMESTAMP: '1',
};

const HEAVY: Readonly<Record<string, RegExp>> = {
  oclif: /node_modules\/@oclif\//,
  undici: /node_modules\/undici\//,
  zod: /node_modules\/zod\//,
  ink: /node_modules\/(ink|react|yoga-layout)\//,
  csv: /node_modules\/csv-/,
  jq: /node_modules\/jq-web\//,
  conf: /node_modules\/(conf|ajv)\//,
  postgres: /node_modules\/pg[/-]|src\/storage\/\w+\/postgres\//,
  sandbox: /src\/sandbox\//,
  server: /src\/sandbox\/(server|wire)/,
  batches: /src\/batches\//,
  feed: /src\/(feed|storage\/mirror)\//,
  dialogue: /src\/payments\/dialogue\/(reduce|ink|lines)/,
};

interface Sources {
  readonly sources: readonly string[];
}

const { open } = createRequire(import.meta.url)('../../bin/files.js') as {
  open(name: string): { get(part: string): Buffer };
};
const maps = open('svc.maps');

let service: Service;
const home = testFolder();
beforeAll(async () => {
  const capabilities = (await shell('svc capabilities -o json', home)).stdout;
  service = await startService(({ target }, response) => {
    const body = target.endsWith('/capabilities') ? capabilities : OPERATION;
    response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  });
});
afterAll(() => service.stop());

async function loadedBy(argv: readonly string[], env: Readonly<Record<string, string>>, stdin = '') {
  const report = join(home, 'loaded.json');
  const child = spawn(
    process.execPath,
    ['--require', join(import.meta.dirname, 'budget-probe.cjs'), join(ROOT, 'bin/run.js'), ...argv],
    {
      env: { PATH: process.env['PATH'], HOME: home, BUDGET_FILE: report, ...env },
      stdio: ['pipe', 'ignore', 'ignore'],
    },
  );
  child.stdin.on('error', () => undefined).end(stdin);
  await new Promise((resolve) => child.once('close', resolve));
  const {
    files: chunks,
    rejected,
    builtins,
  } = JSON.parse(readFileSync(report, 'utf8')) as Record<'files' | 'rejected' | 'builtins', string[]>;
  expect(rejected).toEqual([]);
  const sources = chunks.flatMap((name) => {
    const map = JSON.parse(maps.get(name).toString()) as Sources & { sections?: { map: Sources }[] };
    return map.sections?.flatMap((section) => section.map.sources) ?? map.sources;
  });
  const heavy = Object.keys(HEAVY).filter((name) => sources.some((source) => HEAVY[name]!.test(source)));
  return { heavy: [...heavy, ...(builtins.includes('sqlite') ? ['sqlite'] : [])], chunks: chunks.length };
}

describe('what a command loads', () => {
  it.each([
    [['--version'], 0],
    [['--help'], 0],
    [['payins', 'create', '--help'], 0],
  ])('%j: nothing of the program', async (argv, chunks) => {
    expect(await loadedBy(argv, {})).toEqual({ heavy: [], chunks });
  });

  it.each<[string, string[], string, string[]]>([
    ['a get', ['payouts', 'get', ID], '', ['oclif', 'undici']],
    ['a first create', ['payouts', 'create', '--data', '-'], PAYOUT, ['oclif', 'undici', 'zod', 'sqlite']],
    ['the next one', ['payouts', 'create', '--data', '-'], PAYOUT, ['oclif', 'undici', 'sqlite']],
    ['webhooks verify', ['webhooks', 'verify'], '{}', ['oclif']],
  ])('%s: no more than it uses', async (_name, argv, stdin, expected) => {
    const { heavy } = await loadedBy(argv, { ...service.env, ...SIGNED }, stdin);
    expect([...heavy].sort()).toEqual([...expected].sort());
  });

  it('a get on the embedded sandbox: the sandbox, and no server and no network', async () => {
    const { heavy } = await loadedBy(['transactions', 'get', ID], {});
    expect(heavy).toEqual(['oclif', 'sandbox', 'sqlite']);
  });

  it('the client of a shared state where one is set, and nowhere else', async () => {
    const shared = { ...service.env, SVC_STATE: 'postgres://u@127.0.0.1:1/d', SVC_STATE_PATIENCE: '0s' };
    expect((await loadedBy(['batches', 'list'], shared)).heavy).toContain('postgres');
    expect((await loadedBy(['batches', 'list'], service.env)).heavy).not.toContain('postgres');
  });

  it('sees what is heavy where it is loaded', async () => {
    const { heavy } = await loadedBy(['banks', '--country', 'VE', '--jq', '.'], {});
    expect(heavy).toEqual(expect.arrayContaining(['sandbox', 'sqlite']));
  });
});
