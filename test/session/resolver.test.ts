import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseValues, type TargetFlags } from '../../src/session/choices.js';
import { findTarget, type Target } from '../../src/session/target.js';
import type { Settings } from '../../src/session/settings.js';
import { Failure } from '../../src/runtime/failure.js';
import { failureOf } from './doubles.js';

const TEST = 'svc_test_CANARYcanary1111';
const LIVE = 'svc_live_CANARYcanary2222';
const OTHER_TEST = 'svc_test_CANARYcanary3333';
const OTHER_LIVE = 'svc_live_CANARYcanary4444';
const API = 'https://api.example.com';
const LOCAL = 'http://127.0.0.1:4010';

const STORED: Record<string, string> = {
  ...{ 'acme sandbox': TEST, 'acme live': LIVE, 'rehearsal live': LIVE, 'rehearsal sandbox': TEST },
  ...{ 'testonly sandbox': TEST, 'swapped sandbox': LIVE },
};
const FILES: Record<string, string> = {
  ...{ '/k/test': `${TEST}\n`, '/k/live': `  ${LIVE}\r\n`, '/k/empty': '\n', '/k/shared': TEST },
};

const stored = (key: string): { prefix: string; last4: string; stored: 'keystore' } => ({
  ...{ prefix: key.slice(0, 9), last4: key.slice(-4), stored: 'keystore' },
});
const PROFILES: Settings = {
  active: null,
  profiles: {
    acme: {
      ...{ base_url: API, country: 'VE' },
      ...{ currency: 'VES', keys: { sandbox: stored(TEST), live: stored(LIVE) } },
    },
    rehearsal: {
      ...{ base_url: LOCAL, insecure_loopback: true, keys: { live: stored(LIVE), sandbox: stored(TEST) } },
    },
    testonly: { base_url: `${API}/pay`, keys: { sandbox: stored(TEST) } },
    liveonly: { base_url: API, keys: { live: stored(LIVE) } },
    gone: { base_url: API, keys: { sandbox: stored(TEST) } },
    keyless: { base_url: API, keys: {} },
    swapped: { base_url: API, keys: { sandbox: stored(TEST) } },
    constructor: { base_url: API, keys: {} },
  },
};
const active = (name: string): Settings => ({ ...PROFILES, active: name });
const FRESH: Settings = { active: null, profiles: {} };

interface Case {
  flags?: TargetFlags;
  env?: Record<string, string>;
  settings?: Settings;
}

const readers = {
  file: (path: string) => {
    if (path === '/k/closed') throw new Failure('local_state', 'Permission is denied');
    const text = FILES[path];
    return text === undefined ? null : { text, isShared: path === '/k/shared' };
  },
  stored: ({ profile, environment }: { profile: string; environment: string }) =>
    Promise.resolve(STORED[`${profile} ${environment}`] ?? null),
};

const VARIABLES: Readonly<Record<string, string>> = {
  ...{ KEY: 'SVC_API_KEY', KEY_FILE: 'SVC_API_KEY_FILE', URL: 'SVC_BASE_URL', ENV: 'SVC_ENV' },
  ...{ PROFILE: 'SVC_PROFILE', LOOPBACK: 'SVC_INSECURE_LOOPBACK' },
};
const NAMED: Readonly<Record<string, string>> = { TEST, LIVE, OTHER_TEST, OTHER_LIVE, API, LOCAL };
const valueOf = (text: string): string =>
  text.replace(/^(TEST|LIVE|OTHER_TEST|OTHER_LIVE|API|LOCAL)(?![A-Za-z_])/, (name) => NAMED[name]!);

/** A typed line: variables, flags, and `active:NAME` or `inactive` for the profiles of the machine. */
function typed(line: string): Case {
  const [flags, env]: Record<string, string | boolean>[] = [{}, {}];
  let settings = FRESH;
  for (const word of line.split(' ').filter(Boolean)) {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/.exec(word) ?? [];
    const flag = name.replace(/^--/, '').replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
    if (word === 'inactive') settings = PROFILES;
    else if (word.startsWith('active:')) settings = active(word.slice('active:'.length));
    else if (word.startsWith('--')) flags![flag] = value === undefined ? true : valueOf(value);
    else env![VARIABLES[name] ?? name] = valueOf(value ?? '');
  }
  return { flags: flags as TargetFlags, env: env as Record<string, string>, settings };
}

const run = async (given: Case | string): Promise<Target> => {
  const { flags = {}, env = {}, settings = FRESH } = typeof given === 'string' ? typed(given) : given;
  return findTarget(chooseValues({ flags, env, settings }), env, readers);
};

it.each<[string, Case | string]>([
  ['nothing at all', ''],
  ['--sandbox alone', '--sandbox'],
  ['SVC_ENV=sandbox alone', 'ENV=sandbox'],
  ['--sandbox over SVC_ENV=live', '--sandbox ENV=live'],
  ['flags that are off', { flags: { live: false, sandbox: false, insecureLoopback: false } }],
  ['--insecure-loopback, which says nothing of a service', '--insecure-loopback'],
  ['a country of the body', '--country=VE --currency=VES'],
  ['variables of others', 'PATH=/bin NODE_TLS_REJECT_UNAUTHORIZED=0'],
])('nothing configured: the embedded sandbox %s', async (_name, given) => {
  await expect(run(given)).resolves.toMatchObject({ kind: 'embedded', environment: 'sandbox' });
});

const keyed = { SVC_API_KEY: TEST, SVC_BASE_URL: API };
it.each<[Case | string, object]>([
  [
    'KEY=TEST URL=API',
    { environment: 'sandbox', baseUrl: API, serviceUrl: `${API}/sandbox`, key: TEST, profile: null },
  ],
  ['--live KEY=LIVE URL=API', { environment: 'live', serviceUrl: API, key: LIVE }],
  ['KEY=LIVE URL=API ENV=live', { environment: 'live', serviceUrl: API }],
  ['--live KEY=LIVE URL=API ENV=sandbox', { environment: 'live' }],
  ['--sandbox KEY=TEST URL=API ENV=live', { environment: 'sandbox' }],
  ['--base-url=https://other.example KEY=TEST URL=API', { baseUrl: 'https://other.example' }],
  ['KEY=OTHER_TEST URL=API KEY_FILE=/k/test', { key: OTHER_TEST }],
  ['URL=API KEY_FILE=/k/test', { key: TEST }],
  ['--live URL=API KEY_FILE=/k/live', { key: LIVE }],
  [{ env: { ...keyed, SVC_API_KEY: ` ${TEST}\n` } }, { key: TEST }],
  ['active:acme', { environment: 'sandbox', baseUrl: API, key: TEST, profile: 'acme' }],
  ['--live active:acme', { environment: 'live', key: LIVE, serviceUrl: API }],
  ['--profile=testonly active:acme', { profile: 'testonly', serviceUrl: `${API}/pay/sandbox` }],
  ['PROFILE=testonly active:acme', { profile: 'testonly' }],
  ['--profile=acme PROFILE=testonly inactive', { profile: 'acme' }],
  ['KEY=OTHER_TEST active:acme', { key: OTHER_TEST, baseUrl: API }],
  ['KEY_FILE=/k/test active:keyless', { key: TEST, baseUrl: API }],
  ['KEY=TEST active:keyless', { key: TEST, profile: 'keyless' }],
  [
    { flags: { baseUrl: 'https://API.example.com:443/v9/' }, settings: active('acme') },
    { baseUrl: `${API}/v9`, key: TEST },
  ],
  ['KEY=TEST URL=https://other.example active:acme', { baseUrl: 'https://other.example', key: TEST }],
  ['KEY=TEST URL=API/', { baseUrl: API, serviceUrl: `${API}/sandbox` }],
  ['KEY=TEST URL=API/pay//', { serviceUrl: `${API}/pay/sandbox` }],
  ['KEY=TEST URL=API/mysandbox', { serviceUrl: `${API}/mysandbox/sandbox` }],
  ['KEY=TEST URL=LOCAL', { serviceUrl: `${LOCAL}/sandbox` }],
  ['KEY=TEST URL=http://LOCALHOST:1', { baseUrl: 'http://localhost:1' }],
  ['KEY=TEST URL=http://[0:0::1]:1', { baseUrl: 'http://[::1]:1' }],
  ['KEY=TEST URL=http://127.9.9.9', { baseUrl: 'http://127.9.9.9' }],
  ['KEY=TEST URL=http://2130706433', { baseUrl: 'http://127.0.0.1' }],
  ['KEY=TEST URL=https://10.0.0.1', { baseUrl: 'https://10.0.0.1' }],
  ['KEY=TEST URL=API NODE_TLS_REJECT_UNAUTHORIZED=0', { key: TEST }],
  ['--live --insecure-loopback KEY=LIVE URL=LOCAL', { serviceUrl: LOCAL, key: LIVE }],
  ['ENV=live KEY=LIVE URL=LOCAL LOOPBACK=1', { serviceUrl: LOCAL, key: LIVE }],
  ['--live active:rehearsal', { serviceUrl: LOCAL, key: LIVE }],
  ['--live KEY=LIVE URL=API NODE_TLS_REJECT_UNAUTHORIZED=1', { key: LIVE }],
  ['--live --profile=acme KEY=LIVE inactive', { key: LIVE, notes: [] }],
  ['--live KEY=OTHER_LIVE active:acme', { key: OTHER_LIVE }],
])('a service %j', async (given, expected) => {
  await expect(run(given)).resolves.toMatchObject({ kind: 'service', ...expected });
});

const set = (SVC_BASE_URL: string, SVC_API_KEY = TEST): Case => ({ env: { SVC_API_KEY, SVC_BASE_URL } });

describe.each<[number, string, [Case | string, RegExp][]]>([
  [
    2,
    'usage',
    [
      ['--live --sandbox', /--live or --sandbox, not both/],
      ['ENV=CANARY', /SVC_ENV must be live or sandbox/],
      ['LOOPBACK=CANARY', /SVC_INSECURE_LOOPBACK must be 1 or 0/],
      [{ flags: { sandbox: true }, env: { SVC_ENV: 'LIVE' } }, /SVC_ENV must be live or sandbox/],
      ['ENV=', /SVC_ENV is set but empty/],
      ['URL=', /SVC_BASE_URL is set but empty/],
      ['PROFILE=', /SVC_PROFILE is set but empty/],
      ['--profile=nobody', /--profile: there is no profile nobody/],
      ['PROFILE=nobody active:acme', /SVC_PROFILE: there is no profile nobody/],
      ['--profile=toString inactive', /no profile/],
      ['PROFILE=svc_test_canary', /no profile has that name/],
      ['--base-url= KEY=TEST', /--base-url is not a URL/],
      [set('api example'), /SVC_BASE_URL is not a URL/],
      ['URL=api.example.com KEY=TEST', /is not a URL/],
      ['URL=localhost:4010 KEY=TEST', /is not a URL/],
      ['URL=https:api.example.com KEY=TEST', /is not a URL/],
      ['URL=https:\\\\api.example.com KEY=TEST', /is not a URL/],
      [set('https://api.exa\nmple.com'), /is not a URL/],
      ['URL=https:// KEY=TEST', /is not a URL/],
      ['URL=https://api.example.com:99999 KEY=TEST', /is not a URL/],
      ['URL=API/sandbox KEY=TEST', /production address: https:\/\/api\.example\.com \(/],
      ['URL=API/v2 KEY=TEST', /address before it: https:\/\/api\.example\.com \(/],
      ['URL=API/sandbox/v2/ KEY=TEST', /address before it: https:\/\/api\.example\.com \(/],
    ],
  ],
  [
    4,
    'no_access',
    [
      ['--live', /--live asks for the live environment, but there is no key/],
      ['ENV=live', /SVC_ENV asks/],
      ['--base-url=API', /--base-url gives an address, but there is no key/],
      ['URL=API', /SVC_BASE_URL gives an address/],
      ['--live URL=API', /no key/],
      ['KEY=', /SVC_API_KEY contains no key/],
      ['URL=API KEY=', /SVC_API_KEY contains no key/],
      ['KEY= active:acme', /SVC_API_KEY contains no key/],
      ['URL=API KEY=svc_test_', /only the prefix of a key/],
      [set(API, 'svc_test_CANARYcan\u00e1ry'), /spaces, or with characters/],
      ['URL=API KEY_FILE=/k/none', /SVC_API_KEY_FILE names a file that does not exist/],
      ['URL=API KEY_FILE=/k/empty', /SVC_API_KEY_FILE contains no key/],
      ['KEY_FILE=', /SVC_API_KEY_FILE contains no key/],
      ['active:keyless', /Profile keyless has no sandbox key\. Nothing was sent/],
      [
        '--live active:testonly',
        /Profile testonly has no live key \(--live\), only a sandbox key\. Nothing was sent\. To use that key, add --sandbox\. Or/,
      ],
      [
        'active:liveonly',
        /no sandbox key, only a live key\. Nothing was sent\. To use that key, add --live\. Or/,
      ],
      ['active:gone', /no longer in its store/],
      ['inactive', /No profile is active/],
      ['--sandbox inactive', /No profile is active/],
    ],
  ],
  [
    13,
    'unsafe',
    [
      ['URL=API KEY=LIVE', /SVC_API_KEY contains a live key.*environment is sandbox \(the default\).*--live/],
      ['KEY=LIVE', /live key/],
      ['URL=API KEY=LIVE --sandbox', /sandbox \(--sandbox\)/],
      ['KEY=LIVE URL=API ENV=sandbox', /sandbox \(SVC_ENV\)/],
      ['KEY_FILE=/k/live URL=API', /SVC_API_KEY_FILE contains a live key/],
      ['KEY=LIVE active:acme', /SVC_API_KEY contains a live key/],
      ['--live URL=API KEY=TEST', /SVC_API_KEY contains a sandbox key \(svc_test_\).*live \(--live\)/],
      ['KEY=TEST URL=API ENV=live', /live \(SVC_ENV\)/],
      ['active:swapped', /profile swapped contains a live key/],
      ['URL=API KEY=CANARY', /a key begins with svc_test_ or svc_live_/],
      ['KEY=TEST', /SVC_API_KEY contains a key, but no address/],
      ['--live KEY=LIVE', /no address/],
      ['URL=http://api.example.com KEY=TEST', /http is for this machine only/],
      ['URL=http://127.0.0.1.example.com KEY=TEST', /this machine only/],
      ['URL=http://0.0.0.0 KEY=TEST', /this machine only/],
      ['URL=http://128.0.0.1 KEY=TEST', /this machine only/],
      ['URL=http://[::ffff:127.0.0.1] KEY=TEST', /this machine only/],
      ['URL=https://CANARY@api.example.com KEY=TEST', /user name or a password/],
      ['URL=https://@api.example.com KEY=TEST', /user name or a password/],
      ['URL=API?key=CANARY KEY=TEST', /query/],
      ['URL=API? KEY=TEST', /query/],
      ['URL=API#CANARY KEY=TEST', /fragment/],
      ['URL=ftp://api.example.com KEY=TEST', /must begin with https:/],
      [
        { settings: { active: 'x', profiles: { x: { base_url: 'ftp://h', keys: {} } } } },
        /profile x must begin with https:/,
      ],
      ['--live URL=API/sandbox KEY=LIVE', /address of the sandbox/],
      ['--live URL=LOCAL KEY=LIVE', /add --insecure-loopback/],
      ['--live URL=http://10.0.0.1 KEY=LIVE --insecure-loopback', /this machine only/],
      ['--live URL=https://93.184.216.34 KEY=LIVE', /only to a name/],
      ['--live URL=https://93.184.216.34 KEY=LIVE --insecure-loopback', /only to a name/],
      ['--live URL=https://[2001:db8::1] KEY=LIVE', /only to a name/],
      ['--live KEY=LIVE URL=API NODE_TLS_REJECT_UNAUTHORIZED=0', /NODE_TLS_REJECT_UNAUTHORIZED/],
      [
        '--base-url=https://other.example active:acme',
        /profile acme is for https:\/\/api\.example\.com, but --base-url is https:\/\/other\.example/,
      ],
      ['URL=https://other.example active:acme', /SVC_BASE_URL is/],
      ['--base-url=http://127.0.0.1:4011 active:rehearsal', /never sends a key to another host/],
      ['--base-url=https://127.0.0.1:4010 active:rehearsal', /never sends a key to another host/],
      ['--base-url=http://localhost:4010 active:acme', /never sends a key to another host/],
      ['--live KEY=LIVE URL=http://localhost:9 active:rehearsal', /add --insecure-loopback/],
      [
        '--live --profile=acme KEY=OTHER_LIVE inactive',
        /--profile names profile acme, but SVC_API_KEY contains a different key/,
      ],
    ],
  ],
  [
    16,
    'local_state',
    [
      ['URL=API KEY_FILE=/k/closed', /Permission is denied/],
      ['active:nobody', /settings are damaged: there is no profile nobody/],
    ],
  ],
])('exit %i (%s)', (exitCode, kind, cases) => {
  it.each(cases)('%j: %s', async (given, message) => {
    const failure = await failureOf(run(given));
    expect(failure).toMatchObject({ kind, exitCode });
    expect(failure.message).toMatch(message);
  });
});

describe('provenance', () => {
  it('names where every value came from, and masks the key', async () => {
    const target = await run({
      flags: { live: true, country: 'CO' },
      env: { SVC_PROFILE: 'acme' },
      settings: active('testonly'),
    });
    expect(target).toMatchObject({
      country: { value: 'CO', source: 'flag', name: '--country' },
      currency: { value: 'VES', source: 'profile', name: 'profile acme' },
      provenance: {
        environment: { value: 'live', source: 'flag', name: '--live' },
        profile: { value: 'acme', source: 'variable', name: 'SVC_PROFILE' },
        baseUrl: { value: API, source: 'profile', name: 'profile acme' },
        key: { value: 'svc_live_...2222', source: 'profile', name: 'profile acme' },
      },
    });
    expect(JSON.stringify(target.provenance)).not.toContain('CANARY');
  });

  it('knows the defaults of a fresh machine', async () => {
    await expect(run({})).resolves.toMatchObject({
      provenance: {
        ...{ environment: { value: 'sandbox', source: 'default' }, profile: null },
        ...{ baseUrl: null, key: null },
      },
    });
  });

  it('says that a variable goes before the key of a profile', async () => {
    const target = await run({
      ...{ flags: { profile: 'acme' }, env: { SVC_API_KEY: OTHER_TEST }, settings: PROFILES },
    });
    expect(target).toMatchObject({ notes: ['The key comes from SVC_API_KEY, not from profile acme.'] });
  });

  it('takes a key file that others may read, and says so', async () => {
    const target = await run({ env: { SVC_BASE_URL: API, SVC_API_KEY_FILE: '/k/shared' } });
    expect(target).toMatchObject({
      key: TEST,
      notes: ['Other users of this machine may read the key file that SVC_API_KEY_FILE names.'],
    });
    expect(await run({ env: { SVC_BASE_URL: API, SVC_API_KEY_FILE: '/k/test' } })).toMatchObject({
      notes: [],
    });
  });
});

it('order of the refusals opens no key store for an address that is refused', async () => {
  const opened: unknown[] = [];
  const watching = {
    ...readers,
    stored: (slot: unknown) => Promise.resolve(void opened.push(slot) as unknown as null),
  };
  const refuse = (flags: TargetFlags): Promise<unknown> =>
    findTarget(chooseValues({ flags, env: {}, settings: active('acme') }), {}, watching).catch(
      (error: unknown) => error,
    );
  await refuse({ baseUrl: 'https://other.example' });
  await refuse({ baseUrl: 'http://api.example.com' });
  expect(opened).toEqual([]);
  await refuse({});
  expect(opened).toEqual([{ profile: 'acme', environment: 'sandbox', origin: API }]);
});

const maybe = <T>(...values: T[]): fc.Arbitrary<T | undefined> =>
  fc.option(fc.constantFrom(...values), { nil: undefined });
const world = fc.record({
  flags: fc.record({
    profile: maybe('acme', 'rehearsal', 'liveonly'),
    live: maybe(true),
    sandbox: maybe(true),
    baseUrl: maybe(API, LOCAL, 'http://api.example.com', 'https://10.0.0.1'),
    insecureLoopback: maybe(true),
  }),
  env: fc.record({
    SVC_PROFILE: maybe('acme', 'testonly'),
    SVC_ENV: maybe('live', 'sandbox'),
    SVC_BASE_URL: maybe(API, LOCAL, 'https://other.example'),
    SVC_API_KEY: maybe(TEST, LIVE, OTHER_LIVE, ''),
    SVC_API_KEY_FILE: maybe('/k/test', '/k/live', '/k/none'),
  }),
  settings: fc.constantFrom(FRESH, PROFILES, active('acme'), active('rehearsal')),
});

it('whatever is set a key only ever goes where it belongs', async () => {
  await fc.assert(
    fc.asyncProperty(world, async ({ flags, env, settings }) => {
      const target = await run({ flags, env: env as Record<string, string>, settings }).catch(
        (error: unknown) => error,
      );
      if (target instanceof Failure) {
        expect(target.message).not.toMatch(/canary/i);
        return;
      }
      const { kind, environment, ...rest } = target as Target;
      const saysLive = flags.live === true || (env.SVC_ENV === 'live' && flags.sandbox !== true);
      expect(environment).toBe(saysLive ? 'live' : 'sandbox');
      if (kind === 'embedded') {
        const values = [
          ...[env.SVC_API_KEY, env.SVC_API_KEY_FILE, env.SVC_BASE_URL, flags.baseUrl],
          ...[flags.profile, env.SVC_PROFILE],
        ];
        expect([...values.filter((value) => value !== undefined), ...Object.keys(settings.profiles)]).toEqual(
          [],
        );
        return;
      }
      const { key, serviceUrl } = rest as { key: string; serviceUrl: string };
      const url = new URL(serviceUrl);
      expect(key.startsWith(environment === 'live' ? 'svc_live_' : 'svc_test_')).toBe(true);
      expect(serviceUrl.endsWith('/sandbox')).toBe(environment === 'sandbox');
      if (url.protocol === 'http:') expect(url.hostname).toBe('127.0.0.1');
      if (environment === 'live') expect(url.hostname).not.toBe('10.0.0.1');
      if (env.SVC_API_KEY === undefined && env.SVC_API_KEY_FILE === undefined) {
        expect([API, LOCAL]).toContain(url.origin);
      }
    }),
    { numRuns: 2000 },
  );
});
