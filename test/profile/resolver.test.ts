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

const run = ({ flags = {}, env = {}, settings = FRESH }: Case): Promise<Target> =>
  resolve({ flags, env, settings }, readers);

const failureOf = async (given: Case): Promise<Failure> => {
  const result = await run(given).catch((error: unknown) => error);
  if (!(result instanceof Failure)) throw new Error(`no failure: ${JSON.stringify(result)}`);
  return result;
};

describe('nothing configured: the embedded sandbox', () => {
  it.each<[string, Case]>([
    ['nothing at all', {}],
    ['--sandbox alone', { flags: { sandbox: true } }],
    ['SVC_ENV=sandbox alone', { env: { SVC_ENV: 'sandbox' } }],
    ['--sandbox over SVC_ENV=live', { flags: { sandbox: true }, env: { SVC_ENV: 'live' } }],
    ['flags that are off', { flags: { live: false, sandbox: false, insecureLoopback: false } }],
    ['--insecure-loopback, which says nothing of a service', { flags: { insecureLoopback: true } }],
    ['a country of the body', { flags: { country: 'VE', currency: 'VES' } }],
    ['variables of others', { env: { PATH: '/bin', NODE_TLS_REJECT_UNAUTHORIZED: '0' } }],
  ])('%s', async (_name, given) => {
    await expect(run(given)).resolves.toMatchObject({ kind: 'embedded', environment: 'sandbox' });
  });
});

describe('a service', () => {
  const keyed = { SVC_API_KEY: TEST, SVC_BASE_URL: API };
  it.each<[string, Case, object]>([
    [
      'variables',
      { env: keyed },
      { environment: 'sandbox', baseUrl: API, serviceUrl: `${API}/sandbox`, key: TEST, profile: null },
    ],
    [
      '--live',
      { flags: { live: true }, env: { ...keyed, SVC_API_KEY: LIVE } },
      { environment: 'live', serviceUrl: API, key: LIVE },
    ],
    [
      'SVC_ENV=live',
      { env: { ...keyed, SVC_API_KEY: LIVE, SVC_ENV: 'live' } },
      { environment: 'live', serviceUrl: API },
    ],
    [
      '--live over SVC_ENV=sandbox',
      { flags: { live: true }, env: { ...keyed, SVC_API_KEY: LIVE, SVC_ENV: 'sandbox' } },
      { environment: 'live' },
    ],
    [
      '--sandbox over SVC_ENV=live',
      { flags: { sandbox: true }, env: { ...keyed, SVC_ENV: 'live' } },
      { environment: 'sandbox' },
    ],
    [
      '--base-url over SVC_BASE_URL',
      { flags: { baseUrl: 'https://other.example' }, env: keyed },
      { baseUrl: 'https://other.example' },
    ],
    [
      'SVC_API_KEY over SVC_API_KEY_FILE',
      { env: { ...keyed, SVC_API_KEY: OTHER_TEST, SVC_API_KEY_FILE: '/k/test' } },
      { key: OTHER_TEST },
    ],
    [
      'a key file, its newline trimmed',
      { env: { SVC_BASE_URL: API, SVC_API_KEY_FILE: '/k/test' } },
      { key: TEST },
    ],
    [
      'a live key file',
      { flags: { live: true }, env: { SVC_BASE_URL: API, SVC_API_KEY_FILE: '/k/live' } },
      { key: LIVE },
    ],
    ['a key with white space around it', { env: { ...keyed, SVC_API_KEY: ` ${TEST}\n` } }, { key: TEST }],
    [
      'the active profile',
      { settings: active('acme') },
      { environment: 'sandbox', baseUrl: API, key: TEST, profile: 'acme' },
    ],
    [
      'the active profile, live',
      { flags: { live: true }, settings: active('acme') },
      { environment: 'live', key: LIVE, serviceUrl: API },
    ],
    [
      '--profile over the active one',
      { flags: { profile: 'testonly' }, settings: active('acme') },
      { profile: 'testonly', serviceUrl: `${API}/pay/sandbox` },
    ],
    [
      'SVC_PROFILE over the active one',
      { env: { SVC_PROFILE: 'testonly' }, settings: active('acme') },
      { profile: 'testonly' },
    ],
    [
      '--profile over SVC_PROFILE',
      { flags: { profile: 'acme' }, env: { SVC_PROFILE: 'testonly' }, settings: PROFILES },
      { profile: 'acme' },
    ],
    [
      'SVC_API_KEY over the key of a profile',
      { env: { SVC_API_KEY: OTHER_TEST }, settings: active('acme') },
      { key: OTHER_TEST, baseUrl: API },
    ],
    [
      'SVC_API_KEY_FILE over the key of a profile',
      { env: { SVC_API_KEY_FILE: '/k/test' }, settings: active('keyless') },
      { key: TEST, baseUrl: API },
    ],
    [
      'a profile without a key, and SVC_API_KEY',
      { env: { SVC_API_KEY: TEST }, settings: active('keyless') },
      { key: TEST, profile: 'keyless' },
    ],
    [
      'the same host as the profile, written otherwise',
      { flags: { baseUrl: 'https://API.example.com:443/v9/' }, settings: active('acme') },
      { baseUrl: `${API}/v9`, key: TEST },
    ],
    [
      'another host with a key of its own',
      { env: { SVC_API_KEY: TEST, SVC_BASE_URL: 'https://other.example' }, settings: active('acme') },
      { baseUrl: 'https://other.example', key: TEST },
    ],
    [
      'a slash at the end',
      { env: { ...keyed, SVC_BASE_URL: `${API}/` } },
      { baseUrl: API, serviceUrl: `${API}/sandbox` },
    ],
    ['a path', { env: { ...keyed, SVC_BASE_URL: `${API}/pay//` } }, { serviceUrl: `${API}/pay/sandbox` }],
    [
      'a path that only resembles the sandbox',
      { env: { ...keyed, SVC_BASE_URL: `${API}/mysandbox` } },
      { serviceUrl: `${API}/mysandbox/sandbox` },
    ],
    ['http to 127.0.0.1', { env: { ...keyed, SVC_BASE_URL: LOCAL } }, { serviceUrl: `${LOCAL}/sandbox` }],
    [
      'http to localhost',
      { env: { ...keyed, SVC_BASE_URL: 'http://LOCALHOST:1' } },
      { baseUrl: 'http://localhost:1' },
    ],
    [
      'http to [::1]',
      { env: { ...keyed, SVC_BASE_URL: 'http://[0:0::1]:1' } },
      { baseUrl: 'http://[::1]:1' },
    ],
    [
      'http to 127.9.9.9',
      { env: { ...keyed, SVC_BASE_URL: 'http://127.9.9.9' } },
      { baseUrl: 'http://127.9.9.9' },
    ],
    [
      'http to a number that is loopback',
      { env: { ...keyed, SVC_BASE_URL: 'http://2130706433' } },
      { baseUrl: 'http://127.0.0.1' },
    ],
    [
      'a test key to an IP literal over https',
      { env: { ...keyed, SVC_BASE_URL: 'https://10.0.0.1' } },
      { baseUrl: 'https://10.0.0.1' },
    ],
    [
      'a test key with certificates unchecked',
      { env: { ...keyed, NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
      { key: TEST },
    ],
    [
      'live over http loopback with --insecure-loopback',
      { flags: { live: true, insecureLoopback: true }, env: { SVC_API_KEY: LIVE, SVC_BASE_URL: LOCAL } },
      { serviceUrl: LOCAL, key: LIVE },
    ],
    [
      'the same said by SVC_INSECURE_LOOPBACK=1',
      { env: { SVC_ENV: 'live', SVC_API_KEY: LIVE, SVC_BASE_URL: LOCAL, SVC_INSECURE_LOOPBACK: '1' } },
      { serviceUrl: LOCAL, key: LIVE },
    ],
    [
      'the same remembered by the profile',
      { flags: { live: true }, settings: active('rehearsal') },
      { serviceUrl: LOCAL, key: LIVE },
    ],
    [
      'live with certificates checked',
      {
        flags: { live: true },
        env: { SVC_API_KEY: LIVE, SVC_BASE_URL: API, NODE_TLS_REJECT_UNAUTHORIZED: '1' },
      },
      { key: LIVE },
    ],
    [
      'live with the same key as the named profile',
      { flags: { live: true, profile: 'acme' }, env: { SVC_API_KEY: LIVE }, settings: PROFILES },
      { key: LIVE, notes: [] },
    ],
    [
      'live with another key than the active profile',
      { flags: { live: true }, env: { SVC_API_KEY: OTHER_LIVE }, settings: active('acme') },
      { key: OTHER_LIVE },
    ],
  ])('%s', async (_name, given, expected) => {
    await expect(run(given)).resolves.toMatchObject({ kind: 'service', ...expected });
  });
});

const set = (SVC_BASE_URL: string, SVC_API_KEY = TEST): Case => ({ env: { SVC_API_KEY, SVC_BASE_URL } });
const live = (given: Case): Case => ({ ...given, flags: { ...given.flags, live: true } });

describe.each<[number, string, [string, Case, RegExp][]]>([
  [
    2,
    'usage',
    [
      ['--live with --sandbox', { flags: { live: true, sandbox: true } }, /--live or --sandbox, not both/],
      ['SVC_ENV of another value', { env: { SVC_ENV: 'CANARY' } }, /SVC_ENV must be live or sandbox/],
      [
        'SVC_INSECURE_LOOPBACK of another value',
        { env: { SVC_INSECURE_LOOPBACK: 'CANARY' } },
        /SVC_INSECURE_LOOPBACK must be 1 or 0/,
      ],
      [
        'the same under a flag that wins',
        { flags: { sandbox: true }, env: { SVC_ENV: 'LIVE' } },
        /SVC_ENV must be live or sandbox/,
      ],
      ['SVC_ENV empty', { env: { SVC_ENV: '' } }, /SVC_ENV is set but empty/],
      ['SVC_BASE_URL empty', { env: { SVC_BASE_URL: '' } }, /SVC_BASE_URL is set but empty/],
      ['SVC_PROFILE empty', { env: { SVC_PROFILE: '' } }, /SVC_PROFILE is set but empty/],
      ['an unknown --profile', { flags: { profile: 'nobody' } }, /--profile: there is no profile nobody/],
      [
        'an unknown SVC_PROFILE',
        { env: { SVC_PROFILE: 'nobody' }, settings: active('acme') },
        /SVC_PROFILE: there is no profile nobody/,
      ],
      [
        'a profile name every object has',
        { flags: { profile: 'toString' }, settings: PROFILES },
        /no profile/,
      ],
      ['a key for a profile name', { env: { SVC_PROFILE: 'svc_test_canary' } }, /no profile has that name/],
      ['--base-url empty', { flags: { baseUrl: '' }, env: { SVC_API_KEY: TEST } }, /--base-url is not a URL/],
      ['a text that is no URL', set('api example'), /SVC_BASE_URL is not a URL/],
      ['a host without a scheme', set('api.example.com'), /is not a URL/],
      ['a host and a port without a scheme', set('localhost:4010'), /is not a URL/],
      ['a scheme without slashes', set('https:api.example.com'), /is not a URL/],
      ['backslashes', set('https:\\\\api.example.com'), /is not a URL/],
      ['a newline inside', set('https://api.exa\nmple.com'), /is not a URL/],
      ['no host', set('https://'), /is not a URL/],
      ['a port that is none', set('https://api.example.com:99999'), /is not a URL/],
      [
        'the address of the sandbox',
        set(`${API}/sandbox`),
        /production address: https:\/\/api\.example\.com \(/,
      ],
      ['the same with a slash', set(`${API}/sandbox/`), /production address/],
      ['the address with the version', set(`${API}/v2`), /address before it: https:\/\/api\.example\.com \(/],
      [
        'the same of the sandbox',
        set(`${API}/sandbox/v2/`),
        /address before it: https:\/\/api\.example\.com \(/,
      ],
    ],
  ],
  [
    4,
    'no_access',
    [
      [
        '--live alone',
        { flags: { live: true } },
        /--live asks for the live environment, but there is no key/,
      ],
      ['SVC_ENV=live alone', { env: { SVC_ENV: 'live' } }, /SVC_ENV asks/],
      ['--base-url alone', { flags: { baseUrl: API } }, /--base-url gives an address, but there is no key/],
      ['SVC_BASE_URL alone', { env: { SVC_BASE_URL: API } }, /SVC_BASE_URL gives an address/],
      ['an address and --live', live({ env: { SVC_BASE_URL: API } }), /no key/],
      ['SVC_API_KEY empty', { env: { SVC_API_KEY: '' } }, /SVC_API_KEY contains no key/],
      ['SVC_API_KEY empty beside an address', set(API, ''), /SVC_API_KEY contains no key/],
      [
        'SVC_API_KEY empty over a profile',
        { env: { SVC_API_KEY: '' }, settings: active('acme') },
        /SVC_API_KEY contains no key/,
      ],
      ['SVC_API_KEY of blanks', set(API, '  '), /SVC_API_KEY contains no key/],
      ['a prefix alone', set(API, 'svc_test_'), /only the prefix of a key/],
      ['a key with a blank inside', set(API, 'svc_test_CANARY canary'), /with spaces/],
      ['a key beyond ASCII', set(API, 'svc_test_CANARYcan\u00e1ry'), /spaces, or with characters/],
      ['a whole file for a key', set(API, `svc_test_${'CANARY'.repeat(100)}`), /too long/],
      [
        'a key file that is not there',
        { env: { SVC_BASE_URL: API, SVC_API_KEY_FILE: '/k/none' } },
        /SVC_API_KEY_FILE names a file that does not exist/,
      ],
      [
        'an empty key file',
        { env: { SVC_BASE_URL: API, SVC_API_KEY_FILE: '/k/empty' } },
        /SVC_API_KEY_FILE contains no key/,
      ],
      ['SVC_API_KEY_FILE empty', { env: { SVC_API_KEY_FILE: '' } }, /SVC_API_KEY_FILE contains no key/],
      [
        'a profile without a key',
        { settings: active('keyless') },
        /Profile keyless has no sandbox key\. Nothing was sent/,
      ],
      [
        'a profile without a live key',
        live({ settings: active('testonly') }),
        /Profile testonly has no live key \(--live\), only a sandbox key\. Nothing was sent\. To use that key, add --sandbox\. Or/,
      ],
      [
        'a profile with a live key only',
        { settings: active('liveonly') },
        /no sandbox key, only a live key\. Nothing was sent\. To use that key, add --live\. Or/,
      ],
      ['a profile whose key is gone', { settings: active('gone') }, /no longer in its store/],
      ['profiles, none of them active', { settings: PROFILES }, /No profile is active/],
      ['the same with --sandbox', { flags: { sandbox: true }, settings: PROFILES }, /No profile is active/],
    ],
  ],
  [
    13,
    'unsafe',
    [
      [
        'a live key without --live',
        set(API, LIVE),
        /SVC_API_KEY contains a live key.*environment is sandbox \(the default\).*--live/,
      ],
      ['a live key alone', { env: { SVC_API_KEY: LIVE } }, /live key/],
      ['a live key with --sandbox', { ...set(API, LIVE), flags: { sandbox: true } }, /sandbox \(--sandbox\)/],
      [
        'a live key with SVC_ENV=sandbox',
        { env: { SVC_API_KEY: LIVE, SVC_BASE_URL: API, SVC_ENV: 'sandbox' } },
        /sandbox \(SVC_ENV\)/,
      ],
      [
        'a live key file without --live',
        { env: { SVC_API_KEY_FILE: '/k/live', SVC_BASE_URL: API } },
        /SVC_API_KEY_FILE contains a live key/,
      ],
      [
        'a live key over the active profile',
        { env: { SVC_API_KEY: LIVE }, settings: active('acme') },
        /SVC_API_KEY contains a live key/,
      ],
      [
        'a test key with --live',
        live(set(API)),
        /SVC_API_KEY contains a sandbox key \(svc_test_\).*live \(--live\)/,
      ],
      [
        'a test key with SVC_ENV=live',
        { env: { SVC_API_KEY: TEST, SVC_BASE_URL: API, SVC_ENV: 'live' } },
        /live \(SVC_ENV\)/,
      ],
      [
        'a store that holds the other key',
        { settings: active('swapped') },
        /profile swapped contains a live key/,
      ],
      ['a text that is no key', set(API, 'CANARY'), /a key begins with svc_test_ or svc_live_/],
      [
        'a key without an address',
        { env: { SVC_API_KEY: TEST } },
        /SVC_API_KEY contains a key, but no address/,
      ],
      ['a live key without an address', live({ env: { SVC_API_KEY: LIVE } }), /no address/],
      ['http beyond loopback', set('http://api.example.com'), /http is for this machine only/],
      ['http to a name that begins like loopback', set('http://127.0.0.1.example.com'), /this machine only/],
      ['http to a name under localhost', set('http://api.localhost.example'), /this machine only/],
      ['http to 0.0.0.0', set('http://0.0.0.0'), /this machine only/],
      ['http to 128.0.0.1', set('http://128.0.0.1'), /this machine only/],
      ['http to a mapped loopback', set('http://[::ffff:127.0.0.1]'), /this machine only/],
      ['a user name', set('https://CANARY@api.example.com'), /user name or a password/],
      ['a password', set('https://u:CANARY@api.example.com'), /user name or a password/],
      ['an empty user name', set('https://@api.example.com'), /user name or a password/],
      ['a host dressed as a user name', set('https://api.example.com@CANARY.example'), /user name/],
      ['a query', set(`${API}?key=CANARY`), /query/],
      ['an empty query', set(`${API}?`), /query/],
      ['a fragment', set(`${API}#CANARY`), /fragment/],
      ['ftp', set('ftp://api.example.com'), /must begin with https:/],
      ['file', set('file:///etc/passwd'), /must begin with https:/],
      ['javascript', set('javascript:alert(1)'), /must begin with https:/],
      [
        'another scheme in a profile',
        { settings: { active: 'x', profiles: { x: { base_url: 'ftp://h', keys: {} } } } },
        /profile x must begin with https:/,
      ],
      ['live to the address of the sandbox', live(set(`${API}/sandbox`, LIVE)), /address of the sandbox/],
      ['live over http loopback', live(set(LOCAL, LIVE)), /add --insecure-loopback/],
      [
        'live over http elsewhere with --insecure-loopback',
        live({ ...set('http://10.0.0.1', LIVE), flags: { insecureLoopback: true } }),
        /this machine only/,
      ],
      ['live to an IPv4 literal', live(set('https://93.184.216.34', LIVE)), /only to a name/],
      [
        'the same with --insecure-loopback',
        live({ ...set('https://93.184.216.34', LIVE), flags: { insecureLoopback: true } }),
        /only to a name/,
      ],
      ['live to an IPv6 literal', live(set('https://[2001:db8::1]', LIVE)), /only to a name/],
      [
        'live with certificates unchecked',
        live({ env: { SVC_API_KEY: LIVE, SVC_BASE_URL: API, NODE_TLS_REJECT_UNAUTHORIZED: '0' } }),
        /NODE_TLS_REJECT_UNAUTHORIZED/,
      ],
      [
        "a profile's key to another host by flag",
        { flags: { baseUrl: 'https://other.example' }, settings: active('acme') },
        /profile acme is for https:\/\/api\.example\.com, but --base-url is https:\/\/other\.example/,
      ],
      [
        "a profile's key to another host by variable",
        { env: { SVC_BASE_URL: 'https://other.example' }, settings: active('acme') },
        /SVC_BASE_URL is/,
      ],
      [
        "a profile's key to another port",
        { flags: { baseUrl: 'http://127.0.0.1:4011' }, settings: active('rehearsal') },
        /never sends a key to another host/,
      ],
      [
        "a profile's key to the same host over another scheme",
        { flags: { baseUrl: 'https://127.0.0.1:4010' }, settings: active('rehearsal') },
        /never sends a key to another host/,
      ],
      [
        "a profile's key to this machine",
        { flags: { baseUrl: 'http://localhost:4010' }, settings: active('acme') },
        /never sends a key to another host/,
      ],
      [
        "a profile's live key to another host",
        live({ flags: { baseUrl: 'https://other.example' }, settings: active('acme') }),
        /never sends a key to another host/,
      ],
      [
        'what a profile remembers of loopback, for another address',
        live({
          env: { SVC_API_KEY: LIVE, SVC_BASE_URL: 'http://localhost:9' },
          settings: active('rehearsal'),
        }),
        /add --insecure-loopback/,
      ],
      [
        'live with another key than the profile on the command line',
        live({ flags: { profile: 'acme' }, env: { SVC_API_KEY: OTHER_LIVE }, settings: PROFILES }),
        /--profile names profile acme, but SVC_API_KEY contains a different key/,
      ],
    ],
  ],
  [
    16,
    'local_state',
    [
      [
        'a key file that cannot be read',
        { env: { SVC_BASE_URL: API, SVC_API_KEY_FILE: '/k/closed' } },
        /Permission is denied/,
      ],
      [
        'an active profile that is not there',
        { settings: active('nobody') },
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
