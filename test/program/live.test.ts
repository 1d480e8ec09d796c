import { stripVTControlCharacters } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { ID, operation, payout, PAYOUT_BODY } from '../support/requests.js';
import { cut, inTurn, json, startService } from '../support/service.js';
import { world, type RunOptions, type World } from '../support/svc.js';

let home: World;
let isLossy = false;
const service = await startService((received, response, socket) => {
  const { target, method } = received;
  if (isLossy && method === 'POST') {
    cut(received, response, socket);
    return;
  }
  const status = target.endsWith('/cancel') ? 'failed' : 'pending';
  const type = target.includes('/payins/') ? 'payin' : 'payout';
  const answer = operation({ type, status, beneficiary: 'Ana', reference: 'order 7' });
  const isFeed = target.startsWith('/v2/events');
  const body = isFeed ? { events: [], next_cursor: null } : answer;
  inTurn(json(200, body))(received, response, socket);
});
beforeEach(() => {
  home = world();
  service.received.length = 0;
  isLossy = false;
});

const PERSON = { stdin: true, stderr: true } as const;
const posts = (): string[] =>
  service.received.filter(({ method }) => method === 'POST').map(({ target }) => target);

function live(type: readonly string[], options: RunOptions = {}) {
  const env = { SVC_BASE_URL: service.url, SVC_API_KEY: 'svc_live_0123456789', ...options.env };
  const argv = [...type, '--live', '--insecure-loopback'];
  return home.svc(argv, { ...options, env, wire: true });
}

const LINES = [
  payout(),
  ['payouts', 'cancel', ID],
  ['payins', 'cancel', ID],
  ['api', 'POST', '/v2/payouts', '--data', PAYOUT_BODY],
  ['api', 'post', `/v2/payins/${ID}/confirm`, '-f', 'code=123456'],
] as const;
const pathOf = (line: readonly string[]): string => {
  if (line[0] === 'api') return line[2] ?? '';
  return line[1] === 'create' ? '/v2/payouts' : `/v2/${line[0] ?? ''}/${ID}/cancel`;
};

describe.each(LINES.map((line) => [line.slice(0, line[0] === 'api' ? 3 : 2).join(' '), line] as const))(
  '%s',
  (_, line) => {
    it('asks a person, who sees what it is about, and takes yes', async () => {
      const result = await live(line, { tty: PERSON, stdin: 'yes\n' });
      const stderr = stripVTControlCharacters(result.stderr);
      expect(result.exitCode, stderr).toBe(0);
      expect(stderr).toContain('LIVE');
      expect(stderr).toMatch(/^What is sent\n(?: .*\n)* +Total +VES 5\.00\n/m);
      expect(stderr).toMatch(
        /^Where it goes\n +Environment +live\n +Address +http:\S+\n +Profile +none\n\nWhat is sent\n/m,
      );
      expect(stderr).toMatch(/^Beneficiary\n +\S/m);
      expect(stderr).not.toMatch(/[{}]/);
      expect(posts()).toEqual([pathOf(line)]);
    });

    it.each(['no\n', '\n', '', 'y\n'])('takes %j for no: 13, nothing sent', async (stdin) => {
      const result = await live(line, { tty: PERSON, stdin });
      expect(result.exitCode).toBe(13);
      expect(posts()).toEqual([]);
    });

    it.each<[string, readonly string[], RunOptions]>([
      ['a script', [], {}],
      ['--yes', ['--yes'], { tty: PERSON }],
      ['--no-input', ['--no-input'], { tty: PERSON }],
      ['CI', [], { tty: PERSON, env: { CI: 'true' } }],
      ['standard error in a file', [], { tty: { stdin: true, stdout: true } }],
    ])('does not ask: %s', async (_name, flags, options) => {
      const { exitCode, stderr } = await live([...line, ...flags], options);
      expect(exitCode, stderr).toBe(0);
      expect(stderr).not.toContain('LIVE');
      expect(posts()).toEqual([pathOf(line)]);
    });
  },
);

it.each([
  ['payouts create', payout()],
  ['api', ['api', 'POST', '/v2/payouts', '--data', PAYOUT_BODY]],
])('a create that is refused %s is refused before anybody is asked', async (_name, plain) => {
  const line =
    plain[0] === 'api'
      ? [...plain.slice(0, -1), JSON.stringify({ ...JSON.parse(PAYOUT_BODY), reference: 'order 7' })]
      : [...plain, '--reference', 'order 7'];
  const first = await live([...line, '--yes'], { tty: PERSON });
  expect(first.exitCode, first.stderr).toBe(0);
  const again = await live(line, { tty: PERSON, stdin: 'yes\n' });
  expect([again.exitCode, posts()]).toEqual([13, ['/v2/payouts']]);
  expect(again.stderr).not.toContain('Type yes');
  expect(again.stderr).toContain('This reference already has a pending payment.');
});

describe('a request by hand that is in no table', () => {
  it('asks a person, who sees which it is, whatever its body', async () => {
    const words = ['api', 'PUT', '/v2/rates?a=b', '--data', 'not json'];
    const refused = await live(words, { tty: PERSON, stdin: 'no\n' });
    expect([refused.exitCode, service.received]).toEqual([13, []]);
    expect(stripVTControlCharacters(refused.stderr)).toContain('Send PUT /v2/rates?a=b? Type yes:');
    expect((await live(words, { tty: PERSON, stdin: 'yes\n' })).exitCode).toBe(0);
  });

  it('asks nobody who only reads', async () => {
    const { stderr, exitCode } = await live(['api', 'GET', '/v2/rates'], { tty: PERSON });
    expect([exitCode, stderr]).toEqual([0, '']);
  });
});

describe('requests repeat', () => {
  const KEY = 'invoice-2048';
  beforeEach(async () => {
    isLossy = true;
    expect((await live([...payout(), '--idempotency-key', KEY])).exitCode).toBe(12);
    isLossy = false;
    service.received.length = 0;
  });
  const LISTED = ['requests', 'list', '--jq', '.requests | length'];

  it.each([
    ['one', KEY],
    ['all', '--all'],
  ])('asks a person about %s, who sees what it is about', async (_, which) => {
    const refused = await live(['requests', 'repeat', which], { tty: PERSON, stdin: 'no\n' });
    expect(refused.exitCode, refused.stderr).toBe(13);
    expect(stripVTControlCharacters(refused.stderr)).toMatch(/ +Total +VES 5\.00\n/);
    expect(posts()).toEqual([]);
    expect((await home.svc(LISTED)).stdout).toBe('1\n');
    const done = await live(['requests', 'repeat', which], { tty: PERSON, stdin: 'yes\n' });
    expect(done.exitCode, done.stderr).toBe(0);
    expect(posts()).toEqual(['/v2/payouts']);
    expect((await home.svc(LISTED)).stdout).toBe('0\n');
  });

  it('says that its outcome is unknown where nobody said yes', async () => {
    const { stderr } = await live(['requests', 'repeat', KEY, '--json'], { tty: PERSON, stdin: 'no\n' });
    expect(stderr).toContain('The outcome is not known');
    expect(stderr).toContain(`Idempotency-Key: ${KEY}`);
  });

  it.each<[string, readonly string[], RunOptions]>([
    ['a script', [], {}],
    ['--yes', ['--yes'], { tty: PERSON }],
  ])('does not ask: %s', async (_name, flags, options) => {
    const { exitCode, stderr } = await live(['requests', 'repeat', KEY, ...flags], options);
    expect([exitCode, posts()], stderr).toEqual([0, ['/v2/payouts']]);
  });

  it('sends nothing that has become too old while a person was thinking', async () => {
    const slow = async (): Promise<string> => {
      home.clock.advance(24 * 3_600_000);
      return Promise.resolve('yes');
    };
    const late = await live(['requests', 'repeat', KEY], { tty: PERSON, readLine: slow });
    expect([late.exitCode, posts()], late.stderr).toEqual([13, []]);
  });
});

it('cancels nothing that cannot be shown', async () => {
  const broken = await startService(json(500, ''));
  const env = { SVC_BASE_URL: broken.url };
  const result = await live(['payouts', 'cancel', ID], { env, tty: PERSON, stdin: 'yes\n' });
  expect(result.exitCode).toBe(10);
  expect(broken.received.every(({ method }) => method === 'GET')).toBe(true);
});

it('asks nobody in the sandbox', async () => {
  const { exitCode, stderr } = await home.svc(payout(), { tty: PERSON });
  expect(exitCode).toBe(0);
  expect(stderr).not.toContain('LIVE');
});
