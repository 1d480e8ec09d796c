/**
 * Types every command that svc prints as the next one, from the state in which svc printed it. The command
 * succeeds, or prints another one that succeeds.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NotAnswered, type Transport } from '../../src/runtime/transport.js';
import { sourcesIn } from '../house/source.js';
import { type BatchHome, batchHome } from '../support/batch-home.js';
import { csv, feesCsv, fileIn, people, person, type Cells } from '../support/payroll.js';
import { debitOtp, payout } from '../support/requests.js';
import { LOST, NOT_ARRIVED } from '../support/open-request.js';
import { ADDRESS, refusal, type Fate } from '../support/shaky-sandbox.js';
import type { Result, RunOptions } from '../support/svc.js';
import { wordsOf } from '../support/typed.js';

const HOUR_MS = 3_600_000;
const KEY = `--it's a "key"`;
const REFERENCE = `-r 'it"s`;
const FILE = `-pay's $HOME.csv`;
const BATCH = 'a: july 1 pay';
const DOWN: readonly Fate[] = Array<Fate>(3).fill({
  status: 503,
  body: { error: { code: 'temporarily_unavailable', message: '' } },
});
const WALL: readonly Fate[] = ['refused', 'refused', 'refused'];

type Stage = BatchHome;

const file = ({ home }: Stage, rows: readonly Cells[], name = FILE): string =>
  fileIn(home.home, name, csv(rows));
const create = (more: readonly string[] = [], amount = '5.00'): string[] => [
  ...payout('12345678', amount),
  `--reference=${REFERENCE}`,
  ...more,
  '--json',
];
const own = (key = KEY): string[] => [`--idempotency-key=${key}`];
const batch = (path: string, more: readonly string[] = []): string[] => [
  ...['payouts', 'batch', '--batch', BATCH, '--concurrency', '1', '--json'],
  ...more,
  path,
];
const idOf = (result: Result): string => String(result.json()['id']);
const total = (text: string): string[] => ['--confirm-total', `VES:${text}`, '--first-here'];

interface Scene {
  readonly in?: 'live';
  readonly before?: (at: Stage) => unknown;
  readonly play: (at: Stage) => Promise<Result>;
  readonly adds?: readonly string[];
  readonly options?: RunOptions;
  readonly ends?: number;
  readonly line?: RegExp;
  readonly yes?: boolean;
}

const OTHER = /^If .*?: (svc .*)$/m;

const HERE = ['--insecure-loopback'];
const OF_KEY = ['--json', '--', KEY];
const SANDBOX_KEY = { SVC_API_KEY: 'svc_test_0123456789' };
const lost = (at: Stage): Promise<Result> => (at.shaky.next(...LOST), at.svc(create(own())));
function aDayLater(at: Stage, days = 1): Stage {
  at.home.clock.advance(days * 24 * HOUR_MS);
  return at;
}
const gone = async (at: Stage): Promise<void> => {
  at.shaky.next(...NOT_ARRIVED);
  await at.svc(create(own()));
  aDayLater(at);
};
const sent =
  (count: number, more: readonly string[] = []) =>
  (at: Stage): Promise<Result> =>
    at.svc(batch(file(at, people(count)), more));
const lostRows =
  (count: number, more: readonly string[] = []) =>
  (at: Stage): Promise<Result> => (at.shaky.next(...LOST), sent(count, more)(at));
const another = (at: Stage, count: number, more: readonly string[] = []): string[] => [
  ...['payouts', 'batch', '--batch', 'another one', '--json', ...more, file(at, people(count), '-b.csv')],
];
async function noneActive({ home }: Stage): Promise<void> {
  for (const name of ['shop', 'other']) await home.svc(['profiles', 'add', name, '--base-url', ADDRESS]);
  await home.svc(['profiles', 'remove', 'shop']);
}

const SCENES: Readonly<Record<string, Scene>> = {
  'a lost create': { play: (at) => (at.shaky.next(...LOST), at.svc(create(own()))) },
  'a lost create, live': { in: 'live', play: (at) => (at.shaky.next(...LOST), at.svc(create())) },
  'a create that did not get through': { play: (at) => (at.shaky.next(...WALL), at.svc(create(own()))) },
  'a create without a key of its own that did not get through': {
    in: 'live',
    play: (at) => (at.shaky.next(...WALL), at.svc(create())),
  },
  'a create that the service cannot take now': {
    play: (at) => (at.shaky.next(...DOWN), at.svc(create(own()))),
  },
  'an open reference': { in: 'live', before: lost, play: (at) => at.svc(create([], '6.00')) },
  'a reference that was paid': {
    in: 'live',
    before: (at) => at.svc(create()),
    play: (at) => at.svc(create([], '6.00')),
  },
  'a used key, a day later': {
    in: 'live',
    before: async (at) => (await at.svc(create(own())), aDayLater(at)),
    play: (at) => at.svc(create(own())),
  },
  'a key that nobody knows': { in: 'live', play: (at) => at.svc(create(['--new-payment=-no key'])) },
  'a create whose answer is not printed': {
    play: (at) => at.svc(create(own()), { breakAfterWrites: 0, writeError: new Error('disk') }),
  },
  'a repetition that is not answered': {
    before: lost,
    play: (at) => (at.shaky.next(...LOST), at.svc(['requests', 'repeat', ...OF_KEY])),
  },
  'a repetition in the other environment': {
    in: 'live',
    before: lost,
    play: (at) => at.run(['requests', 'repeat', ...HERE, ...OF_KEY], { env: SANDBOX_KEY }),
  },
  'all repetitions in the other environment': {
    in: 'live',
    before: lost,
    play: (at) => at.run(['requests', 'repeat', '--all', ...HERE, '--json'], { env: SANDBOX_KEY }),
  },
  'some repetitions that a person decides about': {
    before: gone,
    play: (at) => at.svc(['requests', 'repeat', '--all', '--json']),
  },
  'a request that is forgotten': { before: lost, play: (at) => at.svc(['requests', 'forget', ...OF_KEY]) },
  'a request that is settled': {
    before: (at) => at.svc(create(own())),
    play: (at) => at.svc(['requests', 'show', ...OF_KEY]),
  },
  'a decision that is not due': {
    before: lost,
    play: (at) => at.svc(['requests', 'resolve', '--not-paid', ...OF_KEY]),
  },
  'a key that another company has sent with': {
    in: 'live',
    before: (at) => (at.shaky.next(...NOT_ARRIVED), at.svc(create(own()))),
    play: async (at) => at.svc(create(own()), { env: await at.otherKey('default') }),
  },
  'a cancel that is not answered': {
    play: async (at) => {
      const id = idOf(await at.svc([...debitOtp(), '--json']));
      at.shaky.next('lost-before');
      return at.svc(['payins', 'cancel', '--json', id]);
    },
  },
  'a confirm that did not get through': {
    play: async (at) => {
      const id = idOf(await at.svc([...debitOtp(), '--json']));
      at.shaky.next(...WALL);
      return at.svc(['payins', 'confirm', id, '--code', '123456', '--json']);
    },
    adds: ['--code', '123456'],
  },
  'a pay-in that waits for its code': {
    play: (at) => at.svc([...debitOtp(), '--wait', '--json']),
    adds: ['--code', '123456'],
  },
  'a payout that is looked up as a pay-in': {
    play: async (at) => at.svc(['payins', 'get', '--json', idOf(await at.svc(create()))]),
  },
  'a registration that is not answered': {
    play: (at) => {
      at.shaky.next('lost-after');
      return at.svc(['webhooks', 'register', '--url', `https://shop.example/it's?a=(b)`, '--json']);
    },
  },
  'rows that failed': {
    play: (at) =>
      at.svc(batch(file(at, [person(0, { 'beneficiary.document.number': '00000001' }), person(1)]))),
  },
  'rows that are lost': { play: (at) => (at.shaky.next(...LOST), at.svc(batch(file(at, people(2))))) },
  'rows that the service cannot take now': {
    play: (at) => (at.shaky.next(...DOWN), at.svc(batch(file(at, people(1))))),
  },
  'rows that need a person': {
    before: async (at) => (at.shaky.next(...NOT_ARRIVED), await sent(1)(at), aDayLater(at)),
    play: (at) => at.svc(['batches', 'resume', '--json', BATCH]),
  },
  'a batch that was sent': { before: sent(1), play: sent(1) },
  'a file that was changed': { before: lostRows(2), play: sent(3) },
  'another time than planned': {
    play: async (at) => {
      const path = file(at, people(1));
      at.shaky.next(...DOWN);
      await at.svc(batch(path));
      return at.svc(batch(path, ['--new-since', '2026-09-01']));
    },
  },
  'a batch that is forgotten too early': {
    before: lostRows(1),
    play: (at) => at.svc(['batches', 'forget', '--json', BATCH]),
  },
  'rows that were paid': { before: sent(2), play: (at) => at.svc(another(at, 3)) },
  'rows that were paid, live': {
    in: 'live',
    before: sent(2, total('202.00')),
    play: (at) => at.svc(another(at, 3, total('304.50'))),
  },
  'rows that were paid, live, by a script without a total': {
    in: 'live',
    before: sent(2, total('202.00')),
    play: (at) => at.svc(another(at, 3)),
  },
  'rows that were paid last month, live': {
    in: 'live',
    before: async (at) => (await sent(2, total('202.00'))(at), aDayLater(at, 31)),
    play: (at) => at.svc(another(at, 3, total('304.50'))),
  },
  'rows that are under way elsewhere': { before: lostRows(1), play: (at) => at.svc(another(at, 1)) },
  'rows that a single create has open': {
    play: async (at) => {
      at.shaky.next(...LOST);
      await at.svc([...payout(), '--reference', 'emp-0000', ...own(), '--json']);
      return at.svc(batch(file(at, people(1))));
    },
  },
  'operations that stay pending': {
    play: (at) => {
      const path = fileIn(at.home.home, FILE, feesCsv('incoming_transfer'));
      return at.svc(['payins', 'batch', '--batch', BATCH, '--wait-timeout', '1ms', '--json', path]);
    },
    ends: 8,
  },
  'another payment, on purpose': {
    in: 'live',
    before: (at) => at.svc(create()),
    play: (at) => at.svc(create([], '6.00')),
    line: OTHER,
  },
  'a create of a reference that was forgotten': {
    in: 'live',
    play: async (at) => {
      at.shaky.next(...NOT_ARRIVED);
      await at.svc(create(own()));
      await at.svc(['requests', 'forget', '--yes', '--', KEY]);
      return at.svc(create([], '6.00'));
    },
  },
  'a batch that nobody confirmed': {
    in: 'live',
    play: (at) => at.svc(batch(file(at, people(2)), ['--first-here'])),
    line: OTHER,
  },
  'a batch from where nothing was ever paid': {
    in: 'live',
    play: (at) => at.svc(batch(file(at, people(2)), ['--confirm-total', 'VES:202.00'])),
    line: OTHER,
  },
  'an address that may be another service': {
    play: (at) => (at.shaky.next(refusal(404, 'route_not_found')), at.svc(create(own()))),
    line: /(svc requests forget .*)$/m,
  },
  'a summary of a batch': {
    before: lostRows(1),
    play: (at) => at.svc(['batches', 'status', '--json', BATCH]),
  },
  'a ledger that does not agree': {
    play: async (at) => {
      await at.svc(create());
      await at.svc([...payout(), '--reference', 'two words', '--json']);
      const rows = `"${REFERENCE.replaceAll('"', '""')}";-20,00\nr-1;-20,00\n`;
      const bank = fileIn(at.home.home, '-bank.csv', `Referencia;Importe\n${rows}`);
      return at.svc(['reconcile', '--json', '--', bank]);
    },
  },
  'events that cannot be read': {
    play: (at) => {
      const transport: Transport = (request, options) =>
        request.url.includes('/v2/events')
          ? Promise.reject(new NotAnswered('connect', false, 'connection refused'))
          : at.shaky.transport(request, options);
      return at.svc(batch(file(at, people(1))), { transport });
    },
  },
  'a payment of another machine that the events do not tell of yet': {
    in: 'live',
    play: async (at) => {
      await at.svc([...payout('00000002'), `--reference=${REFERENCE}`], { env: at.machine('another') });
      return at.svc(create([], '6.00'));
    },
    line: /If it was not paid: (svc .*)$/m,
    yes: true,
  },
  'a create of what a batch has open': {
    in: 'live',
    before: lostRows(1, total('100.50')),
    play: (at) => at.svc([...payout(), '--reference', 'emp-0000', '--json']),
  },
  'a decision in the other environment': {
    ...{ in: 'live', before: gone },
    play: (at) => at.run(['requests', 'resolve', '--not-paid', ...HERE, ...OF_KEY], { env: SANDBOX_KEY }),
    ...{ adds: [], yes: true },
  },
  'no profiles': { play: (at) => at.home.svc(['profiles', 'show', '--json']) },
  'no active profile': { before: noneActive, play: (at) => at.home.svc(['profiles', 'show', '--json']) },
  'no active profile and no key': { before: noneActive, play: (at) => at.home.svc(['balances', '--json']) },
  'a profile that cannot be': {
    play: (at) => at.home.svc(['profiles', 'add', 'shop', '--base-url', ADDRESS, '--country=-VE', '--json']),
  },
  'a profile that is not there': { play: (at) => at.home.svc(['balances', '--profile=-it"s', '--json']) },
  'a profile without a key': {
    before: (at) => at.home.svc(['profiles', 'add', 'shop', '--base-url', 'https://shop.example']),
    play: (at) => at.home.svc(['balances', '--profile', 'shop', '--json']),
    adds: ['--key-stdin'],
    options: { stdin: 'svc_test_0123456789' },
  },
  'a habit of another program': { play: (at) => at.home.svc(['login', '--json']) },
  'a flag of another program': {
    play: (at) => at.home.svc(['webhooks', 'listen', '--forward-to', 'http://localhost:3000', '--json']),
  },
  'a sandbox that is damaged': {
    play: async (at) => {
      await at.home.svc(['balances']);
      const path = join(at.home.ports.paths.data, 'sandbox.db');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'no database, and long enough to be looked at as one '.repeat(40));
      return at.home.svc(['balances', '--json']);
    },
  },
  'tables that are not there': {
    play: (at) =>
      at.svc([
        ...['events', 'tail', '--no-follow', '--into'],
        ...[`sqlite:${join(at.home.home, `it's -x.db`)}`, '--json'],
      ]),
  },
  'no events, and nothing may be asked': {
    play: (at) => {
      const bank = fileIn(at.home.home, 'bank.csv', 'Referencia;Importe\nr-1;20,00\n');
      return at.svc(['reconcile', bank, '--offline', '--json']);
    },
  },
  'what is open, for whoever asks how it is': { before: lost, play: (at) => at.svc(['doctor', '--json']) },
};

function printed({ exitCode, stdout, stderr, error }: Result, line?: RegExp): string[] {
  if (exitCode !== 0 && line !== undefined) return line.exec(String(error()['message']))?.slice(1, 2) ?? [];
  const said = stdout
    .split('\n')
    .filter((text) => text.startsWith('{'))
    .map((text) => JSON.parse(text) as Record<string, unknown>);
  const members = said.flatMap((one) => [
    one,
    ...(Array.isArray(one['checks']) ? (one['checks'] as object[]) : []),
  ]);
  const lines = members.flatMap((one) =>
    ['next_command', 'resume_command', 'fix'].map((name) => (one as Record<string, unknown>)[name]),
  );
  const last = stderr.includes('{"error"') ? [error()['next_command']] : [];
  return [...new Set([...last, ...lines])].filter((one): one is string => typeof one === 'string');
}

async function followed(first: string, scene: Scene, at: Stage): Promise<readonly [string[], Result]> {
  const lines: string[] = [];
  for (let line: string | undefined = first; ;) {
    lines.push(line);
    const words = [...wordsOf(line), ...(scene.adds ?? [])];
    const result = await at.run(scene.yes === true ? ['--yes', ...words] : words, scene.options);
    line = result.exitCode === (scene.ends ?? 0) ? undefined : printed(result)[0];
    if (line === undefined || lines.length === 3) return [lines, result];
  }
}

describe.each(Object.entries(SCENES))('%s', (_name, scene) => {
  const at = batchHome([], scene.in);

  it('leads on', async () => {
    await scene.before?.(at);
    const result = await scene.play(at);
    const first = printed(result, scene.line);
    expect(first, `nothing was printed to be typed: ${result.stderr}`).not.toEqual([]);
    at.shaky.next();
    for (const line of first) {
      const [lines, end] = await followed(line, scene, at);
      expect(end.exitCode, `${lines.join('\n')}\n${end.stderr}`).toBe(scene.ends ?? 0);
    }
  });
});

const MAKES =
  /\b(?:svcLine|commandLine|batchCommand|nextCommand|repeatLine|movingLine)\(|nextCommand: [`']svc |nextCommand: (?:next|nextLine|moveCommand|lineFor|line)\b|, 'svc [a-z -]+'\)/;

/** The number of printed commands in each room. A new one needs a scene here, or a run in the test of its command. */
const MADE = {
  batches: 35,
  certify: 4,
  command: 14,
  events: 3,
  payments: 37,
  reconcile: 7,
  runtime: 1,
  sandbox: 7,
  session: 6,
  setup: 3,
  sheet: 1,
  storage: 5,
};

it('what makes a line to be typed is counted, room by room', () => {
  const lines = sourcesIn('src')
    .filter(({ path }) => path !== 'src/runtime/shell.ts')
    .flatMap(({ path, text }) => text.split('\n').map((line) => ({ room: path.split('/')[1]!, line })))
    .filter(({ line }) => MAKES.test(line) && !/\bfunction /.test(line));
  const rooms = Map.groupBy(lines, ({ room }) => room);
  expect(Object.fromEntries([...rooms].map(([room, made]) => [room, made.length]))).toEqual(MADE);
});
