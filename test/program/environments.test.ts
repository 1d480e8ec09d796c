/** Where a request goes (contract, section 2): flag, variable, profile, embedded sandbox; and everything that is refused before it leaves. */
import { existsSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { payout } from '../support/requests.js';
import { json, startService, type Service } from '../support/service.js';
import { world, type Result, type RunOptions, type World } from '../support/svc.js';

let service: Service;
let home: World;
beforeAll(async () => {
  service = await startService(json(200, '{"balances":[]}'));
});
afterAll(() => service.stop());
beforeEach(() => {
  home = world();
  service.received.length = 0;
});
afterEach(() => home.remove());

const svc = (type: string | readonly string[], options: RunOptions = {}): Promise<Result> =>
  home.svc(type, { ...options, wire: true });
const TEST = 'svc_test_0123456789abcdef';
const LIVE = 'svc_live_0123456789abcdef';

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

  it('--sandbox and SVC_ENV=sandbox mean the same', async () => {
    expect(await svc('balances --sandbox --quiet')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await svc('balances', { env: { SVC_ENV: 'sandbox' } })).toMatchObject({ exitCode: 0 });
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
    const lines: [Record<string, string>, string][] = [
      [{ SVC_BASE_URL: pad(service.url), SVC_API_KEY: pad(TEST) }, '/sandbox/v2/balances'],
      [{ SVC_PROFILE: pad('shop'), SVC_ENV: pad('sandbox') }, '/sandbox/v2/balances'],
      [
        {
          ...{ SVC_BASE_URL: service.url, SVC_API_KEY: LIVE, SVC_ENV: pad('live') },
          ...{ SVC_INSECURE_LOOPBACK: pad('1'), SVC_OUTPUT: pad('json') },
        },
        '/v2/balances',
      ],
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
      { SVC_BASE_URL: '"https://api.example.com"', SVC_API_KEY: TEST },
      String.raw`SVC_BASE_URL is not a URL: "\"https://api.example.com\"".`,
    ],
    [
      { SVC_BASE_URL: 'https://api.exam\u200bple.com', SVC_API_KEY: TEST },
      String.raw`SVC_BASE_URL is not a URL: "https://api.exam\u200bple.com".`,
    ],
    // What may hold a secret is not repeated.
    [{ SVC_BASE_URL: '"https://u:pw@api.example.com"', SVC_API_KEY: TEST }, 'SVC_BASE_URL is not a URL. '],
    [{ SVC_ENV: 'pw' }, 'SVC_ENV must be live or sandbox. '],
  ])('and what else nobody sees is shown: %j', async (env, said) => {
    const result = await svc('balances', { env });
    expect(result.exitCode).toBe(2);
    expect(result.error()['message']).toContain(said);
    expect(result.stderr).not.toContain('pw');
  });
});

interface Refused {
  readonly type?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly exit: number;
  readonly says: RegExp;
}

describe('half configured', () => {
  const API = 'https://api.example.com';
  it.each<Refused>([
    { env: { SVC_API_KEY: TEST }, exit: 13, says: /no address/ },
    { env: { SVC_API_KEY: LIVE }, exit: 13, says: /--live/ },
    { env: { SVC_API_KEY: '' }, exit: 4, says: /contains no key/ },
    { env: { SVC_API_KEY: '', SVC_BASE_URL: API }, exit: 4, says: /contains no key/ },
    { env: { SVC_API_KEY_FILE: '/nonexistent', SVC_BASE_URL: API }, exit: 4, says: /does not exist/ },
    { env: { SVC_BASE_URL: API }, exit: 4, says: /no key/ },
    { type: `balances --base-url ${API}`, env: {}, exit: 4, says: /no key/ },
    { type: 'balances --live', env: {}, exit: 4, says: /no key/ },
    { env: { SVC_ENV: 'live' }, exit: 4, says: /no key/ },
    { env: { SVC_ENV: 'production' }, exit: 2, says: /SVC_ENV/ },
    { type: 'balances --live --sandbox', env: {}, exit: 2, says: /not both/ },
    { env: { SVC_API_KEY: LIVE, SVC_BASE_URL: API }, exit: 13, says: /--live/ },
    {
      type: 'balances --sandbox',
      env: { SVC_ENV: 'live', SVC_API_KEY: LIVE, SVC_BASE_URL: API },
      exit: 13,
      says: /sandbox/,
    },
    { type: 'balances --live', env: { SVC_API_KEY: TEST, SVC_BASE_URL: API }, exit: 13, says: /--live/ },
    { env: { SVC_API_KEY: 'sk_live_1', SVC_BASE_URL: API }, exit: 13, says: /contains no key/ },
    { env: { SVC_API_KEY: TEST, SVC_BASE_URL: 'http://api.example.com' }, exit: 13, says: /https/ },
    {
      env: { SVC_API_KEY: TEST, SVC_BASE_URL: 'https://me:pw@api.example.com' },
      exit: 13,
      says: /user name/,
    },
    { env: { SVC_API_KEY: TEST, SVC_BASE_URL: 'https://api.example.com?a=1' }, exit: 13, says: /query/ },
    { env: { SVC_API_KEY: TEST, SVC_BASE_URL: 'https://api.example.com#a' }, exit: 13, says: /fragment/ },
    {
      env: { SVC_API_KEY: TEST, SVC_BASE_URL: 'ftp://api.example.com' },
      exit: 13,
      says: /must begin with https/,
    },
    {
      env: { SVC_API_KEY: TEST, SVC_BASE_URL: 'file:///etc/passwd' },
      exit: 13,
      says: /must begin with https/,
    },
    { env: { SVC_API_KEY: TEST, SVC_BASE_URL: 'api.example.com' }, exit: 2, says: /not a URL/ },
    { env: { SVC_API_KEY: TEST, SVC_BASE_URL: '' }, exit: 2, says: /empty/ },
    { env: { SVC_API_KEY: TEST, SVC_BASE_URL: `${API}/sandbox` }, exit: 2, says: /appends \/sandbox itself/ },
    { env: { SVC_PROFILE: 'nobody' }, exit: 2, says: /no profile/ },
    {
      type: 'balances --live',
      env: { SVC_API_KEY: LIVE, SVC_BASE_URL: 'https://10.0.0.1' },
      exit: 13,
      says: /only to a name/,
    },
  ])(
    '$type $env ends with $exit and nothing is made or sent',
    async ({ type = 'balances', env, exit, says }) => {
      const transport = (): never => {
        throw new Error('something was sent');
      };
      for (const line of [type, type.replace('balances', payout().join(' '))]) {
        const result = await svc(line, { env, transport });
        expect(result.exitCode, result.stderr).toBe(exit);
        expect(result.stderr).toMatch(says);
        expect(result.error()).toMatchObject({ outcome: 'not_sent' });
        expect(result.stderr).not.toContain('0123456789abcdef');
        expect(result.stderr).not.toContain('me:pw');
        expect(existsSync(join(home.ports.paths.data, 'sandbox.db'))).toBe(false);
      }
    },
  );
});

describe('a live key on this machine', () => {
  it('goes there only with --insecure-loopback', async () => {
    const env = { SVC_BASE_URL: service.url, SVC_API_KEY: LIVE };
    expect(await svc('balances --live', { env })).toMatchObject({ exitCode: 13 });
    expect(service.received).toEqual([]);
    const { exitCode } = await svc('balances --live --insecure-loopback', { env });
    expect(exitCode).toBe(0);
    expect(service.received).toMatchObject([
      { target: '/v2/balances', headers: { authorization: `Bearer ${LIVE}` } },
    ]);
    expect(await svc('--insecure-loopback balances', { env: { ...env, SVC_ENV: 'live' } })).toMatchObject({
      exitCode: 0,
    });
  });
});

describe('what goes before what', () => {
  it('--base-url goes before SVC_BASE_URL, and that before a profile', async () => {
    await svc(`profiles add shop --base-url http://127.0.0.1:9 --key-stdin`, { stdin: TEST });
    expect(await svc('balances')).toMatchObject({ exitCode: 11 });
    const env = { SVC_API_KEY: TEST, SVC_BASE_URL: service.url };
    expect(await svc('balances', { env })).toMatchObject({ exitCode: 0 });
    const flag = ['balances', '--base-url', service.url];
    expect(await svc(flag, { env: { ...env, SVC_BASE_URL: 'http://127.0.0.1:9' } })).toMatchObject({
      exitCode: 0,
    });
    expect(service.received).toHaveLength(2);
  });

  it('a key of a profile goes to no other host', async () => {
    await svc(`profiles add shop --base-url http://127.0.0.1:9 --key-stdin`, { stdin: TEST });
    expect(await svc(['balances', '--base-url', service.url])).toMatchObject({ exitCode: 13 });
    expect(service.received).toEqual([]);
  });

  it('--profile goes before SVC_PROFILE, and that before the active one', async () => {
    for (const [name, port] of [
      ['a', 'http://127.0.0.1:9'],
      ['b', 'http://127.0.0.1:9'],
      ['c', service.url],
    ]) {
      await svc(`profiles add ${name ?? ''} --base-url ${port ?? ''} --key-stdin`, { stdin: TEST });
    }
    expect(await svc('balances')).toMatchObject({ exitCode: 11 });
    expect(await svc('balances', { env: { SVC_PROFILE: 'c' } })).toMatchObject({ exitCode: 0 });
    expect(await svc('-p c balances', { env: { SVC_PROFILE: 'b' } })).toMatchObject({ exitCode: 0 });
    expect(await svc('balances --profile=c', { env: { SVC_PROFILE: 'b' } })).toMatchObject({ exitCode: 0 });
  });

  it('once there are profiles and none is active, nothing is guessed', async () => {
    await svc('profiles add shop --base-url http://127.0.0.1:9 --key-stdin', { stdin: TEST });
    await svc('profiles add other --base-url http://127.0.0.1:9');
    await svc('profiles remove shop');
    expect(await svc('balances')).toMatchObject({ exitCode: 4 });
  });
});

describe('SVC_API_KEY_FILE', () => {
  const use = (path: string): Promise<Result> =>
    svc('balances', { env: { SVC_BASE_URL: service.url, SVC_API_KEY_FILE: path } });
  const keyFile = (mode: number): string => {
    const path = join(home.home, 'key');
    writeFileSync(path, `${TEST}\n`);
    chmodSync(path, mode);
    return path;
  };

  it('is used as it is, whatever its mode', async () => {
    expect(await use(keyFile(0o600))).toMatchObject({ exitCode: 0, stderr: '' });
    for (const mode of [0o444, 0o644]) {
      const result = await use(keyFile(mode));
      expect(result).toMatchObject({ exitCode: 0 });
      expect(result.stderr).toMatch(/^Other users .* SVC_API_KEY_FILE[^\n]*\n$/);
    }
    expect(service.received.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 3 }, () => `Bearer ${TEST}`),
    );
  });

  it('may be a link', async () => {
    const link = join(home.home, 'link');
    symlinkSync(keyFile(0o600), link);
    expect(await use(link)).toMatchObject({ exitCode: 0 });
  });

  it('that cannot be read is local state', async () => {
    expect(await use(home.home)).toMatchObject({ exitCode: 16 });
  });
});

describe('certificates', () => {
  it.each(['/nonexistent', '/dev/null'])('--ca-file that names none ends with 2: %s', async (path) => {
    const result = await svc(`balances --ca-file ${path}`, {
      env: { SVC_BASE_URL: service.url, SVC_API_KEY: TEST },
    });
    expect(result).toMatchObject({ exitCode: 2 });
    expect(result.error()['message']).toContain('--ca-file');
  });
});

describe('--timeout', () => {
  it.each(['0s', '5', 'soon', '-1s', '400d'])('%s is no limit for a request', async (timeout) => {
    const env = { SVC_BASE_URL: service.url, SVC_API_KEY: TEST };
    expect(await svc(['balances', `--timeout=${timeout}`], { env })).toMatchObject({ exitCode: 2 });
    expect(service.received).toEqual([]);
  });
});
