import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { payout } from '../support/requests.js';
import { json, startService } from '../support/service.js';
import { world, type Result, type RunOptions, type World } from '../support/svc.js';

const service = await startService(json(200, '{"balances":[]}'));
let home: World;
beforeEach(() => {
  home = world();
  service.received.length = 0;
});

const svc = (type: string | readonly string[], options: RunOptions = {}): Promise<Result> =>
  home.svc(type, { ...options, wire: true });
const TEST = 'svc_test_0123456789abcdef';
const LIVE = 'svc_live_0123456789abcdef';
const KEYED = { SVC_API_KEY: TEST };

describe('with nothing configured', () => {
  it('every command works on the embedded sandbox, and one line on standard error says so', async () => {
    const first = await svc(payout());
    const [line, key, ...more] = first.stderr.trimEnd().split('\n');
    expect([line, key, more.length]).toEqual([
      expect.stringMatching(/^Embedded sandbox: /),
      expect.stringMatching(/^Idempotency-Key: /),
      0,
    ]);
    const { events } = (await svc('events list')).json() as { events: { data: { id: string } }[] };
    expect(events.map(({ data }) => data.id)).toEqual([first.json()['id']]);
  });

  it('--quiet says nothing', async () => {
    expect(await svc('balances --quiet')).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

describe('white space around a variable', () => {
  it.each<[name: string, pad: (value: string) => string]>([
    ['a newline behind', (value) => `${value}\n`],
    ['a carriage return', (value) => `${value}\r\n`],
    ['blanks and a tab', (value) => `  ${value}\t`],
    ['a no-break space and a byte order mark', (value) => `\ufeff${value}\u00a0`],
  ])('does not count: %s', async (_name, pad) => {
    await svc(['profiles', 'add', 'shop', '--base-url', service.url, '--key-stdin'], { stdin: TEST });
    await svc(['profiles', 'add', 'other', '--base-url', 'https://other.example']);
    const live = { SVC_BASE_URL: service.url, SVC_API_KEY: LIVE, SVC_ENV: pad('live') };
    const lines: [Record<string, string>, string][] = [
      [{ SVC_BASE_URL: pad(service.url), SVC_API_KEY: pad(TEST) }, '/sandbox/v2/balances'],
      [{ SVC_PROFILE: pad('shop'), SVC_ENV: pad('sandbox') }, '/sandbox/v2/balances'],
      [{ ...live, SVC_INSECURE_LOOPBACK: pad('1'), SVC_OUTPUT: pad('json') }, '/v2/balances'],
    ];
    for (const [env, target] of lines) {
      expect(await svc('balances', { env })).toMatchObject({ exitCode: 0 });
      expect(service.received.at(-1)).toMatchObject({ target });
    }
  });

  it.each(
    ['PROFILE', 'ENV', 'BASE_URL', 'API_KEY', 'API_KEY_FILE', 'INSECURE_LOOPBACK'].flatMap((name) =>
      ['', ' ', '\n'].map((value): [string, string] => [`SVC_${name}`, value]),
    ),
  )('alone is no value: %s=%j is refused by its name, with --profile none too', async (name, value) => {
    for (const line of ['balances', 'balances --profile none', payout()]) {
      const isFlag = name === 'SVC_PROFILE' && String(line).includes('none');
      const result = await svc(line, { env: { [name]: value, CI: 'true' } });
      expect(result.exitCode, name).toBeOneOf(isFlag ? [0] : [2, 4, 13]);
      if (!isFlag) expect(result.error()['message']).toContain(name);
    }
  });

  it.each<[env: Record<string, string>, said: string]>([
    [{ SVC_ENV: '"live"' }, String.raw`SVC_ENV must be live or sandbox, not "\"live\"".`],
    [{ SVC_ENV: 'live\u200b' }, String.raw`SVC_ENV must be live or sandbox, not "live\u200b".`],
    [{ SVC_ENV: "'sandbox'" }, `SVC_ENV must be live or sandbox, not "'sandbox'".`],
    [{ SVC_PROFILE: 'sh\u202eop' }, String.raw`SVC_PROFILE: no profile has that name: "sh\u202eop".`],
    [{ SVC_PROFILE: '"shop"' }, String.raw`SVC_PROFILE: no profile has that name: "\"shop\"".`],
    [{ SVC_INSECURE_LOOPBACK: '"1"' }, String.raw`SVC_INSECURE_LOOPBACK must be 1 or 0, not "\"1\"".`],
    [
      { ...KEYED, SVC_BASE_URL: '"https://a.example"' },
      String.raw`BASE_URL is not a URL: "\"https://a.example\"".`,
    ],
    [
      { ...KEYED, SVC_BASE_URL: 'https://a\u200b.ex' },
      String.raw`BASE_URL is not a URL: "https://a\u200b.ex".`,
    ],
    [{ ...KEYED, SVC_BASE_URL: '"https://u:pw@api.example.com"' }, 'SVC_BASE_URL is not a URL. '],
    [{ SVC_ENV: 'pw' }, 'SVC_ENV must be live or sandbox. '],
  ])('and what else nobody sees is shown: %j', async (env, said) => {
    const result = await svc('balances', { env });
    expect(result.exitCode).toBe(2);
    expect(result.error()['message']).toContain(said);
    expect(result.stderr).not.toContain('pw');
  });
});

const API = 'https://api.example.com';
it.each<[exit: number, says: RegExp, env: Record<string, string>, line?: string]>([
  [13, /sandbox/, { SVC_ENV: 'live', SVC_API_KEY: LIVE, SVC_BASE_URL: API }, 'balances --sandbox'],
  [4, /does not exist/, { SVC_API_KEY_FILE: '/nonexistent', SVC_BASE_URL: API }],
  [4, /no key/, {}, 'balances --live'],
  [2, /not both/, {}, 'balances --live --sandbox'],
])(
  'half configured ends with %i (%s), and nothing is made or sent: %j',
  async (exit, says, env, type = 'balances') => {
    const transport = (): never => {
      throw new Error('something was sent');
    };
    for (const line of [type, type.replace('balances', payout().join(' '))]) {
      const result = await svc(line, { env, transport });
      expect(result.exitCode, result.stderr).toBe(exit);
      expect(result.stderr).toMatch(says);
      expect(result.error()).toMatchObject({ outcome: 'not_sent' });
      expect(result.stderr).not.toMatch(/0123456789abcdef/);
      expect(existsSync(join(home.ports.paths.data, 'sandbox.db'))).toBe(false);
    }
  },
);

it('SVC_API_KEY_FILE is used as it is, and whoever else may read it is said', async () => {
  const path = join(home.home, 'key');
  writeFileSync(path, `${TEST}\n`);
  for (const [mode, said] of [
    [0o600, /^$/],
    [0o644, /^Other users .* SVC_API_KEY_FILE[^\n]*\n$/],
  ] as const) {
    chmodSync(path, mode);
    const result = await svc('balances', { env: { SVC_BASE_URL: service.url, SVC_API_KEY_FILE: path } });
    expect(result).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(said) as string });
    expect(service.received.at(-1)?.headers.authorization).toBe(`Bearer ${TEST}`);
  }
});

it.each([
  ...['--ca-file=/nonexistent', '--ca-file=/dev/null'],
  ...['--timeout=0s', '--timeout=5', '--timeout=soon', '--timeout=-1s', '--timeout=400d'],
])('%s ends with 2, says which flag, and nothing is sent', async (flag) => {
  const result = await svc(['balances', flag], { env: { SVC_BASE_URL: service.url, SVC_API_KEY: TEST } });
  expect([result.exitCode, service.received]).toEqual([2, []]);
  expect(result.error()['message']).toContain(flag.split('=')[0]);
});
