import { describe, expect, it } from 'vitest';
import { type Fault, noFaults } from '../../../scripts/safety/faults.js';
import { nothingCounted, type Counts } from '../../../scripts/safety/judge.js';
import { SCENARIOS } from '../../../scripts/safety/scenarios.js';
import { siteOf } from '../../../scripts/safety/sites.js';
import { canRecord } from '../../../scripts/safety/trace.js';
import type { Variant } from '../../support/variant.js';
import { recordFigures } from '../figures.js';
import { LEAVES_EARLY, programOf, SETTLES_EARLY } from '../requests/program.js';
import { blindly, type Blind, cut, hasFault, inWords, recorded, summed } from './bench.js';
import { NOT_SYNCED, OUTPUT_NOT_SYNCED } from './program.js';

const STRICT = ['strict'] as const;
const ENOUGH = [
  { cheap: 600, dear: 0 },
  { cheap: 0, dear: 90 },
];
const SEED = 11;
const LIMIT = { timeout: 1_200_000 };
const SUITE = 'Power cut on paper at moments of recorded runs';

const record = (what: string, own: Record<string, number>, counts: Counts): void =>
  recordFigures({ suite: SUITE, run: `control: ${what}`, counts: { ...own, ...inWords(counts) } });

const MADE = ['home after mkdir .local', '.local after mkdir state', 'state after mkdir svc'];
const ABOVE = MADE.map((one) => `folder ${one}`);

const BEFORE = 'before a sending';
const logOf = (store: string, ...when: string[]): string[] =>
  when.map((one) => `file ${store}.db-wal ${one}`);
const logged = (store: string): string[] => logOf(store, BEFORE, 'after an answer');
const atCheckpoint = (...stores: string[]): string[] => stores.map((one) => `file ${one}.db at a checkpoint`);
const unlogged = (...stores: string[]): string[] => stores.map((one) => `file ${one}.db without a log`);
const inSvc = (...what: string[]): string[] => what.map((one) => `folder svc after ${one}`);
const files = (...names: string[]): string[] => names.map((one) => `file ${one}`);
const SALT = 'file .key-print.salt.HEX.tmp';
const OUTPUT = 'file .svc-HEX.tmp';

const NEEDED: Readonly<Record<string, readonly string[]>> = {
  create: [
    ...[...logOf('requests', BEFORE), ...unlogged('requests'), ...atCheckpoint('requests')],
    ...[SALT, 'file answer.json', ...ABOVE],
  ],
  batch: [
    ...[...logOf('batches', BEFORE), ...unlogged('batches', 'feed')],
    ...[...atCheckpoint('batches', 'requests', 'feed'), SALT, ...ABOVE],
  ],
  'batch on a used store': [
    ...[...logOf('batches', BEFORE), ...atCheckpoint('batches', 'feed'), ...inSvc('create batches.db')],
  ],
  apply: [...logOf('batches', BEFORE), ...atCheckpoint('batches'), ...inSvc('create batches.db')],
  repeat: ['file answer.json'],
  'requests forget': [...atCheckpoint('requests'), ...inSvc('create requests.db')],
  'batches forget': [...atCheckpoint('batches'), ...inSvc('create batches.db')],
  'tail --exec': ['file seen.ndjson'],
  'tail > FILE': ['file seen.ndjson'],
  'tail --into': [...unlogged('tables'), ...atCheckpoint('tables'), 'folder home after create tables.db'],
  'listen > FILE': [
    ...['file events.ndjson', ...unlogged('webhooks')],
    ...[...atCheckpoint('webhooks'), ...inSvc('create webhooks.db')],
  ],
  profile: [...files('.keys.json.HEX.tmp', 'config.json.tmp-HEX'), ...inSvc('rename config.json')],
  'sandbox import': [
    ...[...atCheckpoint('sandbox', 'requests'), ...inSvc('create sandbox.db', 'create requests.db')],
  ],
  plan: [OUTPUT, 'folder home after rename pay.plan', ...unlogged('requests')],
  sync: [...unlogged('feed'), ...atCheckpoint('feed')],
  reconcile: [OUTPUT, 'folder home after rename report.html'],
  certify: [OUTPUT, 'folder home after rename junit.xml'],
};

const AS_IN: Readonly<Record<string, readonly string[]>> = {
  ...{ 'create shown': ['create'], 'two at once': ['create'], 'repeat shown': ['repeat'] },
  ...{ batch: ['create'], 'batch on a used store': ['batch'], apply: ['batch'], plan: ['batch'] },
  sync: ['batch'],
  ...{ reconcile: ['create', 'batch'], 'tail --exec': ['tail > FILE'] },
};

const CHECKPOINTS = ['file .books.a.json.HEX.tmp', 'file .books.b.json.HEX.tmp'];

/** Another sync covers each of these syncs. Without all of them a fault must show. */
const COVERED: Readonly<Record<string, readonly string[]>> = {
  create: inSvc('create requests.db', 'rename key-print.salt'),
  batch: [
    ...inSvc('create requests.db', 'rename key-print.salt', 'create feed.db', 'mkdir batches'),
    ...inSvc('create batches.db'),
  ],
  'tail --exec': CHECKPOINTS,
  'tail > FILE': CHECKPOINTS,
};

/** These syncs are not needed for safety: the lost data is made again, known to the service, or empty. */
const NEEDLESS: Readonly<Record<string, readonly string[]>> = {
  create: [
    ...['folder home after mkdir .cache', 'folder .cache after mkdir svc'],
    ...inSvc('rename catalog-HEX.json'),
    ...files('.catalog-HEX.json.HEX.tmp', 'requests.db-journal', 'key-print.lock'),
    ...logOf('requests', 'after an answer'),
  ],
  batch: [
    ...files('key-print.lock', 'HEX.lock', 'requests.db-journal', 'feed.db-journal', 'batches.db-journal'),
    ...[...logged('requests'), ...logged('feed'), ...logOf('batches', 'after an answer')],
  ],
  repeat: [
    ...[...inSvc('create requests.db'), ...logged('requests'), ...atCheckpoint('requests'), 'folder home'],
  ],
  'requests forget': logged('requests'),
  'batches forget': logged('batches'),
  'tail > FILE': [
    ...[...inSvc('mkdir checkpoints'), ...ABOVE, 'file books.lock'],
    ...['folder checkpoints after rename books.a.json', 'folder checkpoints after rename books.b.json'],
  ],
  // Events and position are in one commit.
  'tail --into': [
    ...[...logged('tables'), 'folder home after create tables.db.lock-journal', 'file tables.db-journal'],
  ],
  'listen > FILE': [...logged('webhooks'), ...ABOVE, 'file webhooks.db-journal'],
  profile: inSvc('rename keys.json'),
  'sandbox import': [...logged('sandbox'), ...logged('requests')],
};

const SAFE_WITHOUT_ALL: readonly string[] = ['repeat', 'repeat shown'];

const among =
  (sites: readonly string[]) =>
  (name: string): boolean =>
    sites.includes(siteOf(name));

function controlsOf(scenario: string): [string, Blind][] {
  const covered = COVERED[scenario];
  const controls = (NEEDED[scenario] ?? []).map((site): [string, Blind] => [
    site,
    { ignored: among([site]), ...(site.startsWith('folder') && { modes: STRICT }) },
  ]);
  if (!SAFE_WITHOUT_ALL.includes(scenario))
    controls.push(['every file', { ignored: (site) => site.startsWith('file') }]);
  if (covered !== undefined)
    controls.push([`all of: ${covered.join(', ')}`, { ignored: among(covered), modes: STRICT }]);
  if (scenario === 'create' || scenario === 'batch')
    controls.push(['every folder', { ignored: (site) => site.startsWith('folder'), modes: STRICT }]);
  return controls;
}

describe.runIf(process.env['SOAK'] === '1' && canRecord())('without a sync that it rests on', () => {
  it.each(Object.keys(SCENARIOS))('%s shows a fault, and with all of them none', LIMIT, (scenario) =>
    recorded({ scenario, seed: SEED, cheap: 0, dear: 0 }, async (stage, recording) => {
      const sites = new Set(recording.history.syncs.map(({ site }) => siteOf(site)));
      const knownIn = (one: string) => [NEEDED, COVERED, NEEDLESS].flatMap((list) => list[one] ?? []);
      const known = [scenario, ...(AS_IN[scenario] ?? [])].flatMap(knownIn);
      // Nobody has judged a sync that is in none of the lists above.
      expect([...sites].filter((site) => !known.includes(site))).toEqual([]);
      expect((NEEDED[scenario] ?? []).filter((site) => !sites.has(site))).toEqual([]);
      expect(await blindly(stage, recording, { cheap: 150, dear: 15 })).toMatchObject(noFaults());
      const unseen: string[] = [];
      const found = [];
      for (const [without, blind] of controlsOf(scenario)) {
        const counts = nothingCounted();
        for (const size of ENOUGH)
          if (!hasFault(counts)) Object.assign(counts, await blindly(stage, recording, size, blind));
        found.push(counts);
        if (!hasFault(counts)) unseen.push(without);
      }
      expect(unseen).toEqual([]);
      if (found.length === 0) return;
      const own = { 'ways to be blind': found.length, 'of them caught': found.filter(hasFault).length };
      record(`syncs of ${scenario} taken away`, own, summed(found));
    }),
  );
});

const BROKEN: readonly (readonly [string, string, Fault, () => Promise<string>])[] = [
  broken('the intent is written after the sending', 'create', 'unbooked', LEAVES_EARLY),
  broken('the outcome is written before the answer is shown', 'create', 'twice', SETTLES_EARLY),
  broken('the outcome is written before the answer is shown', 'create shown', 'twice', SETTLES_EARLY),
  broken('the stores are left to the kernel', 'create', 'unbooked', NOT_SYNCED),
  broken('the stores are left to the kernel', 'batch', 'unbooked', NOT_SYNCED),
  broken('the output file is left to the kernel', 'tail > FILE', 'lost', OUTPUT_NOT_SYNCED),
];

function broken(what: string, scenario: string, fault: Fault, variant: Variant): (typeof BROKEN)[number] {
  return [what, scenario, fault, () => programOf(variant)];
}

describe.runIf(process.env['SOAK'] === '1' && canRecord())('a program in which', () => {
  it.each(BROKEN)('%s is caught in %s: %s', LIMIT, async (what, scenario, fault, made) => {
    const { counts } = await cut({ scenario, seed: SEED, cheap: 60, dear: 60, program: await made() });
    const own = { 'states asked cheaply': counts.cheap, 'states recovered by svc': counts.dear };
    record(`${what} (${scenario})`, own, counts);
    expect(counts[fault]).toBeGreaterThan(0);
  });
});
