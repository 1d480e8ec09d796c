/**
 * Every command that is printed to be typed, run from the very state that printed it: it succeeds, or prints the one that does. Names hold
 * spaces, quotes and a dash in front. Whatever makes such a line is named here; a new one is not, until it has a scene.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { NotAnswered, type Transport } from '../../src/runtime/transport.js';
import { ROOT } from '../house/source.js';
import { csv, feesCsv, people, person, type Cells } from '../support/payroll.js';
import { debitOtp, payout } from '../support/requests.js';
import { LOST, NOT_ARRIVED } from '../support/open-request.js';
import { ADDRESS, keyOf, liveKey, refusal, shakySandbox, type Fate } from '../support/shaky-sandbox.js';
import { world, type Result, type RunOptions } from '../support/svc.js';
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

interface Stage {
  readonly home: ReturnType<typeof world>;
  readonly next: (...fates: readonly Fate[]) => void;
  /** Goes to the service; where the stage is live, so is every line. */
  readonly svc: (words: readonly string[], options?: RunOptions) => Promise<Result>;
  /** The same with its words as they are. */
  readonly run: (words: readonly string[], options?: RunOptions) => Promise<Result>;
  readonly otherKey: (company: string) => Promise<Readonly<Record<string, string>>>;
  readonly file: (rows: readonly Cells[], name?: string) => string;
  readonly transport: Transport;
  /** Another machine that shares nothing with this one. */
  readonly machine: (name: string) => Readonly<Record<string, string>>;
}

async function stage(environment: 'sandbox' | 'live'): Promise<Stage> {
  const home = world();
  const shaky = shakySandbox(home.clock);
  onTestFinished(() => shaky.sandbox.close());
  const isLive = environment === 'live';
  const env = isLive ? { ...shaky.env, SVC_API_KEY: await liveKey(shaky) } : shaky.env;
  const run = (words: readonly string[], options: RunOptions = {}): Promise<Result> =>
    home.svc(words, { transport: shaky.transport, ...options, env: { ...env, ...options.env } });
  return {
    home,
    run,
    next: (...fates) => shaky.next(...fates),
    transport: shaky.transport,
    machine: (name) => ({
      XDG_STATE_HOME: join(home.home, name, 'state'),
      XDG_CACHE_HOME: join(home.home, name, 'cache'),
    }),
    svc: (words, options) => run([...words, ...(isLive ? ['--live', '--insecure-loopback'] : [])], options),
    otherKey: async (company) => ({ SVC_API_KEY: await keyOf(shaky, company, environment) }),
    file: (rows, name = FILE) => {
      const path = join(home.home, name);
      writeFileSync(path, csv(rows));
      return path;
    },
  };
}

const create = (more: readonly string[] = [], amount = '5.00'): string[] => [
  ...payout('12345678', amount),
  `--reference=${REFERENCE}`,
  ...more,
  '--json',
];
const own = (key = KEY): string[] => [`--idempotency-key=${key}`];
const batch = (file: string, more: readonly string[] = []): string[] => [
  ...['payouts', 'batch', '--batch', BATCH, '--concurrency', '1', '--json'],
  ...more,
  file,
];
const idOf = (result: Result): string => String(result.json()['id']);
const total = (text: string): string[] => ['--confirm-total', `VES:${text}`, '--first-here'];

interface Scene {
  readonly in?: 'live';
  /** Comes to the state. */
  readonly before?: (at: Stage) => unknown;
  /** Comes to what printed the line. */
  readonly play: (at: Stage) => Promise<Result>;
  /** What a person adds to the line: a code, a key. */
  readonly adds?: readonly string[];
  readonly options?: RunOptions;
  /** With what it may end where it did what it says. */
  readonly ends?: number;
  /** Which line of the message is meant; the one for a script without it. */
  readonly line?: RegExp;
  /** Where it is live and a person has to say so. */
  readonly yes?: boolean;
}

/** The line behind the condition under which it is right. */
const OTHER = /^If .*?: (svc .*)$/m;

const HERE = ['--insecure-loopback'];
const OF_KEY = ['--json', '--', KEY];
const SANDBOX_KEY = { SVC_API_KEY: 'svc_test_0123456789' };
const lost = (at: Stage): Promise<Result> => (at.next(...LOST), at.svc(create(own())));
function aDayLater(at: Stage, days = 1): Stage {
  at.home.clock.advance(days * 24 * HOUR_MS);
  return at;
}
/** A create that never arrived, when it can't be sent any more. */
const gone = async (at: Stage): Promise<void> => {
  at.next(...NOT_ARRIVED);
  await at.svc(create(own()));
  aDayLater(at);
};
const sent =
  (count: number, more: readonly string[] = []) =>
  (at: Stage): Promise<Result> =>
    at.svc(batch(at.file(people(count)), more));
const lostRows =
  (count: number, more: readonly string[] = []) =>
  (at: Stage): Promise<Result> => (at.next(...LOST), sent(count, more)(at));
const another = (at: Stage, count: number, more: readonly string[] = []): string[] => [
  ...['payouts', 'batch', '--batch', 'another one', '--json', ...more, at.file(people(count), '-b.csv')],
];
async function noneActive({ home }: Stage): Promise<void> {
  for (const name of ['shop', 'other']) await home.svc(['profiles', 'add', name, '--base-url', ADDRESS]);
  await home.svc(['profiles', 'remove', 'shop']);
}

const SCENES: Readonly<Record<string, Scene>> = {
  'a lost create': { play: (at) => (at.next(...LOST), at.svc(create(own()))) },
  'a lost create, live': { in: 'live', play: (at) => (at.next(...LOST), at.svc(create())) },
  'a create that did not get through': { play: (at) => (at.next(...WALL), at.svc(create(own()))) },
  'a create without a key of its own that did not get through': {
    in: 'live',
    play: (at) => (at.next(...WALL), at.svc(create())),
  },
  'a create that the service cannot take now': { play: (at) => (at.next(...DOWN), at.svc(create(own()))) },
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
    play: (at) => (at.next(...LOST), at.svc(['requests', 'repeat', ...OF_KEY])),
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
    before: (at) => (at.next(...NOT_ARRIVED), at.svc(create(own()))),
    play: async (at) => at.svc(create(own()), { env: await at.otherKey('default') }),
  },
  'a cancel that is not answered': {
    play: async (at) => {
      const id = idOf(await at.svc([...debitOtp(), '--json']));
      at.next('lost-before');
      return at.svc(['payins', 'cancel', '--json', id]);
    },
  },
  'a confirm that did not get through': {
    play: async (at) => {
      const id = idOf(await at.svc([...debitOtp(), '--json']));
      at.next(...WALL);
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
      at.next('lost-after');
      return at.svc(['webhooks', 'register', '--url', `https://shop.example/it's?a=(b)`, '--json']);
    },
  },
  'rows that failed': {
    play: (at) =>
      at.svc(batch(at.file([person(0, { 'beneficiary.document.number': '00000001' }), person(1)]))),
  },
  'rows that are lost': { play: (at) => (at.next(...LOST), at.svc(batch(at.file(people(2))))) },
  'rows that the service cannot take now': {
    play: (at) => (at.next(...DOWN), at.svc(batch(at.file(people(1))))),
  },
  'rows that need a person': {
    before: async (at) => (at.next(...NOT_ARRIVED), await sent(1)(at), aDayLater(at)),
    play: (at) => at.svc(['batches', 'resume', '--json', BATCH]),
  },
  'a batch that was sent': { before: sent(1), play: sent(1) },
  'a file that was changed': { before: lostRows(2), play: sent(3) },
  'another time than planned': {
    play: async (at) => {
      const file = at.file(people(1));
      at.next(...DOWN);
      await at.svc(batch(file));
      return at.svc(batch(file, ['--new-since', '2026-09-01']));
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
      at.next(...LOST);
      await at.svc([...payout(), '--reference', 'emp-0000', ...own(), '--json']);
      return at.svc(batch(at.file(people(1))));
    },
  },
  'operations that stay pending': {
    play: (at) => {
      const path = join(at.home.home, FILE);
      writeFileSync(path, feesCsv('incoming_transfer'));
      return at.svc(['payins', 'batch', '--batch', BATCH, '--wait-timeout', '1ms', '--json', path]);
    },
    // Nobody pays: it is waited for again.
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
      at.next(...NOT_ARRIVED);
      await at.svc(create(own()));
      await at.svc(['requests', 'forget', '--yes', '--', KEY]);
      return at.svc(create([], '6.00'));
    },
  },
  'a batch that nobody confirmed': {
    in: 'live',
    play: (at) => at.svc(batch(at.file(people(2)), ['--first-here'])),
    line: OTHER,
  },
  'a batch from where nothing was ever paid': {
    in: 'live',
    play: (at) => at.svc(batch(at.file(people(2)), ['--confirm-total', 'VES:202.00'])),
    line: OTHER,
  },
  'an address that may be another service': {
    play: (at) => (at.next(refusal(404, 'route_not_found')), at.svc(create(own()))),
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
      const file = join(at.home.home, '-bank.csv');
      writeFileSync(file, `Referencia;Importe\n"${REFERENCE.replaceAll('"', '""')}";-20,00\nr-1;-20,00\n`);
      return at.svc(['reconcile', '--json', '--', file]);
    },
  },
  'events that cannot be read': {
    play: (at) => {
      const transport: Transport = (request, options) =>
        request.url.includes('/v2/events')
          ? Promise.reject(new NotAnswered('connect', false, 'connection refused'))
          : at.transport(request, options);
      return at.svc(batch(at.file(people(1))), { transport });
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
      const file = join(at.home.home, 'bank.csv');
      writeFileSync(file, 'Referencia;Importe\nr-1;20,00\n');
      return at.svc(['reconcile', file, '--offline', '--json']);
    },
  },
  'what is open, for whoever asks how it is': { before: lost, play: (at) => at.svc(['doctor', '--json']) },
};

/** Every line that was printed for a script: with an error, for what is not well, of findings, and to resume. */
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

/** Runs a line, and while it fails the one that it prints: three at the most. */
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
  it('leads on', async () => {
    const at = await stage(scene.in ?? 'sandbox');
    await scene.before?.(at);
    const result = await scene.play(at);
    const first = printed(result, scene.line);
    expect(first, `nothing was printed to be typed: ${result.stderr}`).not.toEqual([]);
    at.next();
    for (const line of first) {
      const [lines, end] = await followed(line, scene, at);
      expect(end.exitCode, `${lines.join('\n')}\n${end.stderr}`).toBe(scene.ends ?? 0);
    }
  });
});

/** Whatever puts a line together, or gives one out as what is to be typed next. */
const MAKES =
  /\b(?:svcLine|commandLine|batchCommand|nextCommand|movingLine)\(|nextCommand: [`']svc |nextCommand: (?:next|moving|line)\b|, 'svc [a-z -]+'\)/;

/** By the file in src/ that makes them: how many there are, and the scenes here, or the files of test/, in which they are typed. */
const MADE: Readonly<Record<string, readonly [count: number, ...where: string[]]>> = {
  'bulk/store/postgres/sealing': [1, 'commands/batches/sealed'],
  'certify/selection': [1, 'commands/certify/receiver'],
  'cli/bulk/confirmation': [2, 'a batch that nobody confirmed', 'a batch from where nothing was ever paid'],
  'cli/bulk/end': [
    7,
    ...['rows that failed', 'rows that are lost'],
    ...['rows that the service cannot take now', 'rows that need a person'],
    ...['operations that stay pending', 'a summary of a batch'],
  ],
  'cli/bulk/catalog': [1, 'commands/payouts/without-catalog'],
  'cli/bulk/job': [
    6,
    'commands/batches/paid-before',
    ...['rows that were paid', 'rows that were paid, live', 'rows that were paid last month, live'],
    ...['rows that are under way elsewhere', 'rows that a single create has open'],
  ],
  'cli/bulk/knowledge': [1, 'events that cannot be read'],
  'cli/bulk/opening': [
    6,
    ...['another time than planned', 'a file that was changed', 'a batch that was sent'],
    'commands/payouts/batch',
  ],
  'cli/bulk/plan-making': [1, 'commands/payouts/plan'],
  'cli/bulk/planning': [1, 'commands/payouts/forms'],
  'cli/bulk/sending': [2, 'program/batch-disk', 'commands/batches/resume'],
  'cli/bulk/summary-shown': [
    4,
    ...['rows that need a person', 'operations that stay pending', 'commands/batches/after'],
  ],
  'cli/call/next-steps': [3, 'program/screens'],
  'cli/call/ending': [
    9,
    ...['a lost create', 'an address that may be another service', 'a create that did not get through'],
    ...['a registration that is not answered', 'a cancel that is not answered'],
    'a pay-in that waits for its code',
    ...['a confirm that did not get through', 'a create that the service cannot take now'],
  ],
  'cli/create/derived-ends': [1, 'a payment of another machine that the events do not tell of yet'],
  'cli/create/insisting': [1, 'a key that nobody knows'],
  'cli/create/request-failures': [
    8,
    ...['a request that is settled', 'a key that another company has sent with'],
    ...['a repetition in the other environment', 'commands/requests/resolve'],
    'commands/batches/paid-before',
  ],
  'cli/create/row-instead': [1, 'commands/payouts/plan'],
  'cli/create/sending': [1, 'a create whose answer is not printed'],
  'cli/create/standing-failure': [
    7,
    ...['a reference that was paid', 'a create of what a batch has open', 'an open reference'],
    ...['another payment, on purpose', 'a create of a reference that was forgotten'],
    ...['cli/create/two-ends', 'commands/batches/gone'],
  ],
  'cli/create/used-key': [2, 'a used key, a day later'],
  'cli/dialogue/port': [1, 'a pay-in that waits for its code'],
  'cli/feed/other-direction': [1, 'a payout that is looked up as a pay-in'],
  'cli/line/usage': [1, 'a flag of another program'],
  'cli/session/embedded': [1, 'a sandbox that is damaged'],
  'commands/batches/application': [1, 'commands/batches/apply'],
  'commands/batches/approval': [1, 'commands/batches/review'],
  'commands/batches/resolution': [2, 'commands/batches/resolve', 'commands/batches/gone'],
  'commands/batches/forgetting': [1, 'a batch that is forgotten too early'],
  'commands/certify/client': [2, 'commands/certify/client'],
  'commands/certify/receiver': [1, 'commands/certify/receiver'],
  'commands/doctor/examination': [2, 'what is open, for whoever asks how it is'],
  'commands/events/into': [1, 'tables that are not there'],
  'commands/profiles/profiles': [1, 'commands/profiles/list'],
  'cli/guard/signature-files': [1, 'program/guard-rails-page'],
  'commands/operations/operations': [1, 'a ledger that does not agree'],
  'commands/reconcile/reconciling': [
    3,
    'no events, and nothing may be asked',
    'commands/reconcile/bank-numbers',
  ],
  'bulk/file/reading-words': [1, 'commands/payouts/forms'],
  'sheet/header': [1, 'reconcile/file/refusals'],
  'commands/requests/forgetting': [5, 'a request that is forgotten', 'commands/requests/forget'],
  'commands/requests/repeat-all': [
    2,
    ...['all repetitions in the other environment', 'some repetitions that a person decides about'],
  ],
  'commands/requests/repetition': [1, 'a repetition that is not answered'],
  'commands/requests/resolution': [
    4,
    ...['commands/requests/resolve', 'commands/batches/gone'],
    'a decision in the other environment',
    'a decision that is not due',
  ],
  'commands/sandbox/sandbox': [2, ...['commands/sandbox/operations', 'commands/sandbox/deliveries']],
  'commands/webhooks/registering': [1, 'commands/webhooks/register'],
  'events/into/table': [1, 'tables that are not there'],
  'profile/choices': [
    3,
    ...['a profile that is not there', 'a profile without a key'],
    ...['no active profile and no key', 'profile/keys'],
  ],
  'profile/profile-view': [3, 'no profiles', 'no active profile', 'a profile that cannot be'],
  'reconcile/file/plan-words': [1, 'reconcile/file/statement'],
  'reconcile/shown': [3, 'a ledger that does not agree', 'reconcile/shown'],
  'runtime/database-unusable': [1, 'stores/versions'],
  'sandbox/page/call': [4, 'page/calls'],
  'state/connection': [1, 'commands/state/where'],
  'state/failures': [1, 'commands/state/where'],
  'state/place': [1, 'state/versions'],
  'state/versions': [1, 'state/versions'],
};

describe('what makes a line to be typed', () => {
  const files = (readdirSync(join(ROOT, 'src'), { recursive: true }) as string[])
    .filter((name) => /[.]tsx?$/.test(name))
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((name) => name !== 'src/runtime/shell.ts');
  const found = files.flatMap((name) => {
    const lines = readFileSync(join(ROOT, name), 'utf8').split('\n');
    const count = lines.filter((line) => MAKES.test(line) && !/\bfunction /.test(line)).length;
    return count === 0 ? [] : [[name, count] as const];
  });

  it('is all named here, and where it is typed', () => {
    const known = Object.entries(MADE).map(([name, [count]]) => [`src/${name}.ts`, count] as const);
    expect(new Map(found)).toEqual(new Map(known));
  });

  it.each(Object.entries(MADE))('%s', (_name, [, ...where]) => {
    for (const one of where) {
      const isThere = one.includes('/')
        ? existsSync(join(ROOT, `test/${one}.test.ts`))
        : Object.hasOwn(SCENES, one);
      expect(isThere, one).toBe(true);
    }
    expect(where).not.toEqual([]);
  });
});
