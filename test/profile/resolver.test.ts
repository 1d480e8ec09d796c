/** Where a request goes: the whole matrix of flags, variables, profiles, keys and addresses. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TargetFlags } from '../../src/profile/choices.js';
import { resolve, type Target } from '../../src/profile/target.js';
import type { Settings } from '../../src/profile/settings.js';
import { Failure } from '../../src/runtime/failure.js';

const TEST = 'svc_test_CANARYcanary1111';
const LIVE = 'svc_live_CANARYcanary2222';
const OTHER_TEST = 'svc_test_CANARYcanary3333';
const OTHER_LIVE = 'svc_live_CANARYcanary4444';
const API = 'https://api.example.com';
const LOCAL = 'http://127.0.0.1:4010';

/** What the stores hold, by profile and environment. */
const STORED: Record<string, string> = {
  'acme sandbox': TEST,
  'acme live': LIVE,
  'rehearsal live': LIVE,
  'rehearsal sandbox': TEST,
  'testonly sandbox': TEST,
  'swapped sandbox': LIVE,
};
/** What key files hold. */
const FILES: Record<string, string> = {
  '/k/test': `${TEST}\n`,
  '/k/live': `  ${LIVE}\r\n`,
  '/k/empty': '\n',
  '/k/shared': TEST,
};

const stored = (key: string): { prefix: string; last4: string; stored: 'keystore' } => ({
  prefix: key.slice(0, 9),
  last4: key.slice(-4),
  stored: 'keystore',
});
const PROFILES: Settings = {
  active: null,
  profiles: {
    acme: {
      base_url: API,
      country: 'VE',
      currency: 'VES',
      keys: { sandbox: stored(TEST), live: stored(LIVE) },
    },
    rehearsal: {
      base_url: LOCAL,
      insecure_loopback: true,
      keys: { live: stored(LIVE), sandbox: stored(TEST) },
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

/** A line as it is typed: variables, flags, and `active:NAME` or `inactive` for the profiles that there are. */
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

const run = (given: Case | string): Promise<Target> => {
  const { flags = {}, env = {}, settings = FRESH } = typeof given === 'string' ? typed(given) : given;
  return resolve({ flags, env, settings }, readers);
};

const failureOf = async (given: Case | string): Promise<Failure> => {
  const result = await run(given).catch((error: unknown) => error);
  if (!(result instanceof Failure)) throw new Error(`no failure: ${JSON.stringify(result)}`);
  return result;
};

describe('nothing configured: the embedded sandbox', () => {
  it.each<[string, Case | string]>([
    ['nothing at all', ''],
    ['--sandbox alone', '--sandbox'],
    ['SVC_ENV=sandbox alone', 'ENV=sandbox'],
    ['--sandbox over SVC_ENV=live', '--sandbox ENV=live'],
    ['flags that are off', { flags: { live: false, sandbox: false, insecureLoopback: false } }],
    ['--insecure-loopback, which says nothing of a service', '--insecure-loopback'],
    ['a country of the body', '--country=VE --currency=VES'],
    ['variables of others', 'PATH=/bin NODE_TLS_REJECT_UNAUTHORIZED=0'],
  ])('%s', async (_name, given) => {
    await expect(run(given)).resolves.toMatchObject({ kind: 'embedded', environment: 'sandbox' });
  });
});

describe('a service', () => {
  const keyed = { SVC_API_KEY: TEST, SVC_BASE_URL: API };
  it.each<[string, Case | string, object]>([
    [
      'variables',
      'KEY=TEST URL=API',
      { environment: 'sandbox', baseUrl: API, serviceUrl: `${API}/sandbox`, key: TEST, profile: null },
    ],
    ['--live', '--live KEY=LIVE URL=API', { environment: 'live', serviceUrl: API, key: LIVE }],
    ['SVC_ENV=live', 'KEY=LIVE URL=API ENV=live', { environment: 'live', serviceUrl: API }],
    ['--live over SVC_ENV=sandbox', '--live KEY=LIVE URL=API ENV=sandbox', { environment: 'live' }],
    ['--sandbox over SVC_ENV=live', '--sandbox KEY=TEST URL=API ENV=live', { environment: 'sandbox' }],
    [
      '--base-url over SVC_BASE_URL',
      '--base-url=https://other.example KEY=TEST URL=API',
      { baseUrl: 'https://other.example' },
    ],
    ['SVC_API_KEY over SVC_API_KEY_FILE', 'KEY=OTHER_TEST URL=API KEY_FILE=/k/test', { key: OTHER_TEST }],
    ['a key file, its newline trimmed', 'URL=API KEY_FILE=/k/test', { key: TEST }],
    ['a live key file', '--live URL=API KEY_FILE=/k/live', { key: LIVE }],
    ['a key with white space around it', { env: { ...keyed, SVC_API_KEY: ` ${TEST}\n` } }, { key: TEST }],
    [
      'the active profile',
      'active:acme',
      { environment: 'sandbox', baseUrl: API, key: TEST, profile: 'acme' },
    ],
    ['the active profile, live', '--live active:acme', { environment: 'live', key: LIVE, serviceUrl: API }],
    [
      '--profile over the active one',
      '--profile=testonly active:acme',
      { profile: 'testonly', serviceUrl: `${API}/pay/sandbox` },
    ],
    ['SVC_PROFILE over the active one', 'PROFILE=testonly active:acme', { profile: 'testonly' }],
    ['--profile over SVC_PROFILE', '--profile=acme PROFILE=testonly inactive', { profile: 'acme' }],
    [
      'SVC_API_KEY over the key of a profile',
      'KEY=OTHER_TEST active:acme',
      { key: OTHER_TEST, baseUrl: API },
    ],
    [
      'SVC_API_KEY_FILE over the key of a profile',
      'KEY_FILE=/k/test active:keyless',
      { key: TEST, baseUrl: API },
    ],
    [
      'a profile without a key, and SVC_API_KEY',
      'KEY=TEST active:keyless',
      { key: TEST, profile: 'keyless' },
    ],
    [
      'the same host as the profile, written otherwise',
      { flags: { baseUrl: 'https://API.example.com:443/v9/' }, settings: active('acme') },
      { baseUrl: `${API}/v9`, key: TEST },
    ],
    [
      'another host with a key of its own',
      'KEY=TEST URL=https://other.example active:acme',
      { baseUrl: 'https://other.example', key: TEST },
    ],
    ['a slash at the end', 'KEY=TEST URL=API/', { baseUrl: API, serviceUrl: `${API}/sandbox` }],
    ['a path', 'KEY=TEST URL=API/pay//', { serviceUrl: `${API}/pay/sandbox` }],
    [
      'a path that only resembles the sandbox',
      'KEY=TEST URL=API/mysandbox',
      { serviceUrl: `${API}/mysandbox/sandbox` },
    ],
    ['http to 127.0.0.1', 'KEY=TEST URL=LOCAL', { serviceUrl: `${LOCAL}/sandbox` }],
    ['http to localhost', 'KEY=TEST URL=http://LOCALHOST:1', { baseUrl: 'http://localhost:1' }],
    ['http to [::1]', 'KEY=TEST URL=http://[0:0::1]:1', { baseUrl: 'http://[::1]:1' }],
    ['http to 127.9.9.9', 'KEY=TEST URL=http://127.9.9.9', { baseUrl: 'http://127.9.9.9' }],
    ['http to a number that is loopback', 'KEY=TEST URL=http://2130706433', { baseUrl: 'http://127.0.0.1' }],
    [
      'a test key to an IP literal over https',
      'KEY=TEST URL=https://10.0.0.1',
      { baseUrl: 'https://10.0.0.1' },
    ],
    [
      'a test key with certificates unchecked',
      'KEY=TEST URL=API NODE_TLS_REJECT_UNAUTHORIZED=0',
      { key: TEST },
    ],
    [
      'live over http loopback with --insecure-loopback',
      '--live --insecure-loopback KEY=LIVE URL=LOCAL',
      { serviceUrl: LOCAL, key: LIVE },
    ],
    [
      'the same said by SVC_INSECURE_LOOPBACK=1',
      'ENV=live KEY=LIVE URL=LOCAL LOOPBACK=1',
      { serviceUrl: LOCAL, key: LIVE },
    ],
    ['the same remembered by the profile', '--live active:rehearsal', { serviceUrl: LOCAL, key: LIVE }],
    [
      'live with certificates checked',
      '--live KEY=LIVE URL=API NODE_TLS_REJECT_UNAUTHORIZED=1',
      { key: LIVE },
    ],
    [
      'live with the same key as the named profile',
      '--live --profile=acme KEY=LIVE inactive',
      { key: LIVE, notes: [] },
    ],
    [
      'live with another key than the active profile',
      '--live KEY=OTHER_LIVE active:acme',
      { key: OTHER_LIVE },
    ],
  ])('%s', async (_name, given, expected) => {
    await expect(run(given)).resolves.toMatchObject({ kind: 'service', ...expected });
  });
});

const set = (SVC_BASE_URL: string, SVC_API_KEY = TEST): Case => ({ env: { SVC_API_KEY, SVC_BASE_URL } });

describe.each<[number, string, [string, Case | string, RegExp][]]>([
  [
    2,
    'usage',
    [
      ['--live with --sandbox', '--live --sandbox', /--live or --sandbox, not both/],
      ['SVC_ENV of another value', 'ENV=CANARY', /SVC_ENV must be live or sandbox/],
      ['SVC_INSECURE_LOOPBACK of another value', 'LOOPBACK=CANARY', /SVC_INSECURE_LOOPBACK must be 1 or 0/],
      [
        'the same under a flag that wins',
        { flags: { sandbox: true }, env: { SVC_ENV: 'LIVE' } },
        /SVC_ENV must be live or sandbox/,
      ],
      ['SVC_ENV empty', 'ENV=', /SVC_ENV is set but empty/],
      ['SVC_BASE_URL empty', 'URL=', /SVC_BASE_URL is set but empty/],
      ['SVC_PROFILE empty', 'PROFILE=', /SVC_PROFILE is set but empty/],
      ['an unknown --profile', '--profile=nobody', /--profile: there is no profile nobody/],
      ['an unknown SVC_PROFILE', 'PROFILE=nobody active:acme', /SVC_PROFILE: there is no profile nobody/],
      ['a profile name every object has', '--profile=toString inactive', /no profile/],
      ['a key for a profile name', 'PROFILE=svc_test_canary', /no profile has that name/],
      ['--base-url empty', '--base-url= KEY=TEST', /--base-url is not a URL/],
      ['a text that is no URL', set('api example'), /SVC_BASE_URL is not a URL/],
      ['a host without a scheme', 'URL=api.example.com KEY=TEST', /is not a URL/],
      ['a host and a port without a scheme', 'URL=localhost:4010 KEY=TEST', /is not a URL/],
      ['a scheme without slashes', 'URL=https:api.example.com KEY=TEST', /is not a URL/],
      ['backslashes', 'URL=https:\\\\api.example.com KEY=TEST', /is not a URL/],
      ['a newline inside', set('https://api.exa\nmple.com'), /is not a URL/],
      ['no host', 'URL=https:// KEY=TEST', /is not a URL/],
      ['a port that is none', 'URL=https://api.example.com:99999 KEY=TEST', /is not a URL/],
      [
        'the address of the sandbox',
        'URL=API/sandbox KEY=TEST',
        /production address: https:\/\/api\.example\.com \(/,
      ],
      ['the same with a slash', 'URL=API/sandbox/ KEY=TEST', /production address/],
      [
        'the address with the version',
        'URL=API/v2 KEY=TEST',
        /address before it: https:\/\/api\.example\.com \(/,
      ],
      [
        'the same of the sandbox',
        'URL=API/sandbox/v2/ KEY=TEST',
        /address before it: https:\/\/api\.example\.com \(/,
      ],
    ],
  ],
  [
    4,
    'no_access',
    [
      ['--live alone', '--live', /--live asks for the live environment, but there is no key/],
      ['SVC_ENV=live alone', 'ENV=live', /SVC_ENV asks/],
      ['--base-url alone', '--base-url=API', /--base-url gives an address, but there is no key/],
      ['SVC_BASE_URL alone', 'URL=API', /SVC_BASE_URL gives an address/],
      ['an address and --live', '--live URL=API', /no key/],
      ['SVC_API_KEY empty', 'KEY=', /SVC_API_KEY contains no key/],
      ['SVC_API_KEY empty beside an address', 'URL=API KEY=', /SVC_API_KEY contains no key/],
      ['SVC_API_KEY empty over a profile', 'KEY= active:acme', /SVC_API_KEY contains no key/],
      ['SVC_API_KEY of blanks', set(API, '  '), /SVC_API_KEY contains no key/],
      ['a prefix alone', 'URL=API KEY=svc_test_', /only the prefix of a key/],
      ['a key with a blank inside', set(API, 'svc_test_CANARY canary'), /with spaces/],
      ['a key beyond ASCII', set(API, 'svc_test_CANARYcan\u00e1ry'), /spaces, or with characters/],
      ['a whole file for a key', set(API, `svc_test_${'CANARY'.repeat(100)}`), /too long/],
      [
        'a key file that is not there',
        'URL=API KEY_FILE=/k/none',
        /SVC_API_KEY_FILE names a file that does not exist/,
      ],
      ['an empty key file', 'URL=API KEY_FILE=/k/empty', /SVC_API_KEY_FILE contains no key/],
      ['SVC_API_KEY_FILE empty', 'KEY_FILE=', /SVC_API_KEY_FILE contains no key/],
      ['a profile without a key', 'active:keyless', /Profile keyless has no sandbox key\. Nothing was sent/],
      [
        'a profile without a live key',
        '--live active:testonly',
        /Profile testonly has no live key \(--live\), only a sandbox key\. Nothing was sent\. To use that key, add --sandbox\. Or/,
      ],
      [
        'a profile with a live key only',
        'active:liveonly',
        /no sandbox key, only a live key\. Nothing was sent\. To use that key, add --live\. Or/,
      ],
      ['a profile whose key is gone', 'active:gone', /no longer in its store/],
      ['profiles, none of them active', 'inactive', /No profile is active/],
      ['the same with --sandbox', '--sandbox inactive', /No profile is active/],
    ],
  ],
  [
    13,
    'unsafe',
    [
      [
        'a live key without --live',
        'URL=API KEY=LIVE',
        /SVC_API_KEY contains a live key.*environment is sandbox \(the default\).*--live/,
      ],
      ['a live key alone', 'KEY=LIVE', /live key/],
      ['a live key with --sandbox', 'URL=API KEY=LIVE --sandbox', /sandbox \(--sandbox\)/],
      ['a live key with SVC_ENV=sandbox', 'KEY=LIVE URL=API ENV=sandbox', /sandbox \(SVC_ENV\)/],
      ['a live key file without --live', 'KEY_FILE=/k/live URL=API', /SVC_API_KEY_FILE contains a live key/],
      ['a live key over the active profile', 'KEY=LIVE active:acme', /SVC_API_KEY contains a live key/],
      [
        'a test key with --live',
        '--live URL=API KEY=TEST',
        /SVC_API_KEY contains a sandbox key \(svc_test_\).*live \(--live\)/,
      ],
      ['a test key with SVC_ENV=live', 'KEY=TEST URL=API ENV=live', /live \(SVC_ENV\)/],
      ['a store that holds the other key', 'active:swapped', /profile swapped contains a live key/],
      ['a text that is no key', 'URL=API KEY=CANARY', /a key begins with svc_test_ or svc_live_/],
      ['a key without an address', 'KEY=TEST', /SVC_API_KEY contains a key, but no address/],
      ['a live key without an address', '--live KEY=LIVE', /no address/],
      ['http beyond loopback', 'URL=http://api.example.com KEY=TEST', /http is for this machine only/],
      [
        'http to a name that begins like loopback',
        'URL=http://127.0.0.1.example.com KEY=TEST',
        /this machine only/,
      ],
      ['http to a name under localhost', 'URL=http://api.localhost.example KEY=TEST', /this machine only/],
      ['http to 0.0.0.0', 'URL=http://0.0.0.0 KEY=TEST', /this machine only/],
      ['http to 128.0.0.1', 'URL=http://128.0.0.1 KEY=TEST', /this machine only/],
      ['http to a mapped loopback', 'URL=http://[::ffff:127.0.0.1] KEY=TEST', /this machine only/],
      ['a user name', 'URL=https://CANARY@api.example.com KEY=TEST', /user name or a password/],
      ['a password', 'URL=https://u:CANARY@api.example.com KEY=TEST', /user name or a password/],
      ['an empty user name', 'URL=https://@api.example.com KEY=TEST', /user name or a password/],
      ['a host dressed as a user name', 'URL=https://api.example.com@CANARY.example KEY=TEST', /user name/],
      ['a query', 'URL=API?key=CANARY KEY=TEST', /query/],
      ['an empty query', 'URL=API? KEY=TEST', /query/],
      ['a fragment', 'URL=API#CANARY KEY=TEST', /fragment/],
      ['ftp', 'URL=ftp://api.example.com KEY=TEST', /must begin with https:/],
      ['file', 'URL=file:///etc/passwd KEY=TEST', /must begin with https:/],
      ['javascript', 'URL=javascript:alert(1) KEY=TEST', /must begin with https:/],
      [
        'another scheme in a profile',
        { settings: { active: 'x', profiles: { x: { base_url: 'ftp://h', keys: {} } } } },
        /profile x must begin with https:/,
      ],
      ['live to the address of the sandbox', '--live URL=API/sandbox KEY=LIVE', /address of the sandbox/],
      ['live over http loopback', '--live URL=LOCAL KEY=LIVE', /add --insecure-loopback/],
      [
        'live over http elsewhere with --insecure-loopback',
        '--live URL=http://10.0.0.1 KEY=LIVE --insecure-loopback',
        /this machine only/,
      ],
      ['live to an IPv4 literal', '--live URL=https://93.184.216.34 KEY=LIVE', /only to a name/],
      [
        'the same with --insecure-loopback',
        '--live URL=https://93.184.216.34 KEY=LIVE --insecure-loopback',
        /only to a name/,
      ],
      ['live to an IPv6 literal', '--live URL=https://[2001:db8::1] KEY=LIVE', /only to a name/],
      [
        'live with certificates unchecked',
        '--live KEY=LIVE URL=API NODE_TLS_REJECT_UNAUTHORIZED=0',
        /NODE_TLS_REJECT_UNAUTHORIZED/,
      ],
      [
        "a profile's key to another host by flag",
        '--base-url=https://other.example active:acme',
        /profile acme is for https:\/\/api\.example\.com, but --base-url is https:\/\/other\.example/,
      ],
      [
        "a profile's key to another host by variable",
        'URL=https://other.example active:acme',
        /SVC_BASE_URL is/,
      ],
      [
        "a profile's key to another port",
        '--base-url=http://127.0.0.1:4011 active:rehearsal',
        /never sends a key to another host/,
      ],
      [
        "a profile's key to the same host over another scheme",
        '--base-url=https://127.0.0.1:4010 active:rehearsal',
        /never sends a key to another host/,
      ],
      [
        "a profile's key to this machine",
        '--base-url=http://localhost:4010 active:acme',
        /never sends a key to another host/,
      ],
      [
        "a profile's live key to another host",
        '--live --base-url=https://other.example active:acme',
        /never sends a key to another host/,
      ],
      [
        'what a profile remembers of loopback, for another address',
        '--live KEY=LIVE URL=http://localhost:9 active:rehearsal',
        /add --insecure-loopback/,
      ],
      [
        'live with another key than the profile on the command line',
        '--live --profile=acme KEY=OTHER_LIVE inactive',
        /--profile names profile acme, but SVC_API_KEY contains a different key/,
      ],
    ],
  ],
  [
    16,
    'local_state',
    [
      ['a key file that cannot be read', 'URL=API KEY_FILE=/k/closed', /Permission is denied/],
      [
        'an active profile that is not there',
        'active:nobody',
        /settings are damaged: there is no profile nobody/,
      ],
    ],
  ],
])('exit %i (%s)', (exitCode, kind, cases) => {
  it.each(cases)('%s', async (_name, given, message) => {
    const failure = await failureOf(given);
    expect(failure).toMatchObject({ kind, exitCode });
    expect(failure.message).toMatch(message);
    expect(JSON.stringify([failure.message, failure.stack, failure.facts])).not.toMatch(/canary/i);
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
        environment: { value: 'sandbox', source: 'default' },
        profile: null,
        baseUrl: null,
        key: null,
      },
    });
  });

  it('says that a variable goes before the key of a profile', async () => {
    const target = await run({
      flags: { profile: 'acme' },
      env: { SVC_API_KEY: OTHER_TEST },
      settings: PROFILES,
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

describe('order of the refusals', () => {
  it('opens no key store for an address that is refused', async () => {
    const opened: unknown[] = [];
    const watching = {
      ...readers,
      stored: (slot: unknown) => Promise.resolve(void opened.push(slot) as unknown as null),
    };
    const refuse = (flags: TargetFlags): Promise<unknown> =>
      resolve({ flags, env: {}, settings: active('acme') }, watching).catch((error: unknown) => error);
    await refuse({ baseUrl: 'https://other.example' });
    await refuse({ baseUrl: 'http://api.example.com' });
    expect(opened).toEqual([]);
    await refuse({});
    expect(opened).toEqual([{ profile: 'acme', environment: 'sandbox', origin: API }]);
  });
});

describe('whatever is set', () => {
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

  it('a key only ever goes where it belongs', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ flags, env, settings }) => {
        const target = await resolve({ flags, env, settings }, readers).catch((error: unknown) => error);
        if (target instanceof Failure) {
          expect(target.message).not.toMatch(/canary/i);
          return;
        }
        const { kind, environment, ...rest } = target as Target;
        const saysLive = flags.live === true || (env.SVC_ENV === 'live' && flags.sandbox !== true);
        expect(environment).toBe(saysLive ? 'live' : 'sandbox');
        if (kind === 'embedded') {
          const values = [
            env.SVC_API_KEY,
            env.SVC_API_KEY_FILE,
            env.SVC_BASE_URL,
            flags.baseUrl,
            flags.profile,
            env.SVC_PROFILE,
          ];
          expect([
            ...values.filter((value) => value !== undefined),
            ...Object.keys(settings.profiles),
          ]).toEqual([]);
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
});
