/** Help: every page fits, every spelling finds its page, and every example does what it says. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { COMMAND_IDS, REGISTRY } from '../../src/commands/registry.js';
import { debitOtp, incomingTransfer, payout, PAYOUT_BODY } from '../support/requests.js';
import { world, type World } from '../support/svc.js';

const home = world();
afterAll(() => home.remove());
const TOPICS = [...new Set(COMMAND_IDS.filter((id) => id.includes(' ')).map((id) => id.split(' ')[0] ?? ''))];

async function page(line: string): Promise<string> {
  const result = await home.svc(line);
  expect(result, `svc ${line}`).toMatchObject({ exitCode: 0, stderr: '' });
  return result.stdout;
}

describe('pages', () => {
  it.each(['', ...TOPICS, ...COMMAND_IDS])('svc help %s fits into 100 columns', async (path) => {
    const text = await page(`help ${path}`);
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
    expect(text).toBe(await page(`${path} --help`));
    expect(text).not.toMatch(/undefined|\[object/);
  });

  it('the first one names every topic and command of one word', async () => {
    const text = await page('');
    expect(text).toBe(await page('--help'));
    expect(text).toBe(await page('-h'));
    for (const name of new Set(COMMAND_IDS.map((id) => id.split(' ')[0] ?? '')))
      expect(text).toContain(`  ${name} `);
  });

  it.each(TOPICS)('the one of %s names its commands, in the singular too', async (topic) => {
    const text = await page(topic);
    expect(text).toBe(await page(`${topic} --help`));
    if (topic !== 'sandbox')
      expect(text).toBe(await page(`${topic.replace(/(e?)s$/, topic === 'batches' ? '' : '$1')} --help`));
    for (const id of COMMAND_IDS.filter((one) => one.startsWith(`${topic} `)))
      expect(text).toContain(`svc ${id}`);
  });

  it.each(COMMAND_IDS)('the one of %s names its flags, its arguments and its exit codes', async (id) => {
    const { default: command } = await REGISTRY[id]();
    const text = await page(`${id} -h`);
    for (const name of Object.keys({ ...command.flags, ...command.baseFlags }))
      expect(text).toContain(`--${name}`);
    for (const name of Object.keys(command.args)) expect(text).toContain(name.toUpperCase());
    expect(text.replaceAll('\n', ' ')).toContain(command.summary);
    expect(text).toMatch(/EXIT CODES\n {2}0 /);
  });

  it('nothing is found for what is nothing', async () => {
    expect(await home.svc('help nonsense')).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await home.svc('nonsense --help')).toMatchObject({ exitCode: 2, stdout: '' });
  });
});

/** Examples that cannot run here, and why. */
const SKIPPED: readonly [pattern: RegExp, reason: string][] = [
  [/^svc sandbox start/, 'serves until it is stopped: test/commands/sandbox/start.test.ts'],
  [
    /^svc (events (tail|forward)|webhooks (listen|trigger|verify|sign|forward))/,
    'need a receiver or a stream: their own tests',
  ],
  [/^svc (requests (show|repeat|forget)) /, 'needs a request whose outcome is not known: their own tests'],
  [/^svc transactions trace/, 'has its own tests'],
  [/^svc (payins batch|payouts batch|batches) ?/, 'need a file of rows: their own tests'],
  [/^svc (doctor|completion)/, 'have their own tests'],
  [/ (-i|--interactive)( |$)/, 'asks a person: test/prompt'],
];

/** The exit code where it is not 0: what the example shows ends that way. */
const ENDS: readonly [pattern: RegExp, exit: number][] = [[/^svc payins (create|get) .*--wait/, 8]];

const EXAMPLES = (
  await Promise.all(
    COMMAND_IDS.map(async (id) =>
      (await REGISTRY[id]()).default.examples.map((example) => [id, example] as const),
    ),
  )
).flat();

describe('examples', () => {
  it.each(COMMAND_IDS)('svc %s has at least one', (id) => {
    expect(EXAMPLES.some(([other]) => other === id)).toBe(true);
  });

  const runnable = EXAMPLES.filter(([, example]) => !SKIPPED.some(([pattern]) => pattern.test(example)));

  it.each(runnable)('%s: %s', async (id, example) => {
    const fresh = world();
    try {
      const { argv, stdin } = await prepare(fresh, id, example);
      const result = await fresh.svc(argv, { stdin });
      const [, exit] = ENDS.find(([pattern]) => pattern.test(example)) ?? [null, 0];
      expect(result.exitCode, result.stderr).toBe(exit);
      // A filter of an empty list prints nothing; everything else prints something.
      if (!/\[\]|--all/.test(example)) expect(result.stdout).not.toBe('');
    } finally {
      fresh.remove();
    }
  });

  it('are run, most of them', () => {
    expect(runnable.length).toBeGreaterThan(EXAMPLES.length / 2);
  });
});

/** What an example takes for granted: the operation it is about, the profile, the file; and its words as a shell splits them. */
async function prepare(
  fresh: World,
  id: string,
  example: string,
): Promise<{ argv: string[]; stdin: string }> {
  const [, piped, line = '', from] = /^(?:printf (\S+) \| )?svc (.*?)(?: < (\S+))?$/.exec(example) ?? [];
  const create = /payouts|transactions/.test(id)
    ? payout('00000002')
    : /^(payins (confirm|resend))/.test(id)
      ? debitOtp()
      : incomingTransfer();
  const operation = String((await fresh.svc(create)).json()['id']);
  const words = (line.match(/(?:'[^']*'|"[^"]*"|\S)+/g) ?? []).map((word) =>
    word.replace(/^(['"])(.*)\1$/, '$2'),
  );
  const argv = await Promise.all(words.map((word) => filled(fresh, word, operation)));
  if (/^profiles (show|use|remove|set-key)/.test(id)) {
    await fresh.svc('profiles add shop --base-url https://api.example.com');
  }
  if (id === 'sandbox ping')
    await fresh.svc('api POST /v2/webhook-endpoints -f url=https://shop.example/hook');
  return { argv, stdin: from === undefined ? (piped ?? '') : 'svc_test_0123456789abcdef\n' };
}

async function filled(fresh: World, word: string, operation: string): Promise<string> {
  if (word === '$ID') return operation;
  const [, name] = /^@(.*\.json)$/.exec(word) ?? [];
  if (name === undefined) return word;
  const path = join(fresh.home, name);
  const payin = (await fresh.svc([...incomingTransfer(), '--dry-run'])).json()['body'];
  writeFileSync(path, name.startsWith('payin') ? JSON.stringify(payin) : PAYOUT_BODY);
  return `@${path}`;
}
