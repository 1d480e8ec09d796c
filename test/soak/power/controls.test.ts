/** What the power cuts must show: each sync that safety rests on is taken away in the replay, and programs that break a promise are cut. */
import { describe, expect, it } from 'vitest';
import { type Fault, noFaults } from '../../../scripts/safety/faults.js';
import { nothingCounted } from '../../../scripts/safety/judge.js';
import { SCENARIOS } from '../../../scripts/safety/scenarios.js';
import { siteOf } from '../../../scripts/safety/sites.js';
import { canRecord } from '../../../scripts/safety/trace.js';
import type { Variant } from '../../support/variant.js';
import { recordFigures } from '../figures.js';
import { LEAVES_EARLY, SETTLES_EARLY } from '../requests/program.js';
import { blindly, type Blind, cut, hasFault, inWords, recorded, summed } from './bench.js';
import { brokenProgram, NOT_SYNCED, OUTPUT_NOT_SYNCED } from './program.js';

const STRICT = ['strict'] as const;
/** At most so many states until one shows what is missing: first of the cheap ones, and only then of the dear ones. */
const ENOUGH = [
  { cheap: 600, dear: 0 },
  { cheap: 0, dear: 90 },
];
const SEED = 11;

/** The folders above a store on a machine that has none. */
const ABOVE = [
  'folder home after mkdir .local',
  'folder .local after mkdir state',
  'folder state after mkdir svc',
];

/** What stands in the log of a store that is there. */
const logged = (store: string): string[] => [
  `file ${store}.db-wal before a sending`,
  `file ${store}.db-wal after an answer`,
];

/** The sites whose syncs are each needed, by scenario. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  create: [
    'file requests.db-wal before a sending',
    'file requests.db without a log',
    'file requests.db at a checkpoint',
    'file .key-print.salt.HEX.tmp',
    'file answer.json',
    ...ABOVE,
  ],
  batch: [
    'file batches.db-wal before a sending',
    'file batches.db without a log',
    'file batches.db at a checkpoint',
    'file requests.db at a checkpoint',
    'file feed.db without a log',
    'file feed.db at a checkpoint',
    'file .key-print.salt.HEX.tmp',
    ...ABOVE,
  ],
  'batch on a used store': [
    'file batches.db-wal before a sending',
    'file batches.db at a checkpoint',
    'file feed.db at a checkpoint',
    'folder svc after create batches.db',
  ],
  apply: [
    'file batches.db-wal before a sending',
    'file batches.db at a checkpoint',
    'folder svc after create batches.db',
  ],
  repeat: ['file answer.json'],
  'requests forget': ['file requests.db at a checkpoint', 'folder svc after create requests.db'],
  'batches forget': ['file batches.db at a checkpoint', 'folder svc after create batches.db'],
  'tail --exec': ['file seen.ndjson'],
  'tail > FILE': ['file seen.ndjson'],
  'tail --into': [
    'file tables.db without a log',
    'file tables.db at a checkpoint',
    'folder home after create tables.db',
  ],
  'listen > FILE': [
    'file events.ndjson',
    'file webhooks.db without a log',
    'file webhooks.db at a checkpoint',
    'folder svc after create webhooks.db',
  ],
  profile: ['file .keys.json.HEX.tmp', 'file config.json.tmp-HEX', 'folder svc after rename config.json'],
  'sandbox import': [
    'file sandbox.db at a checkpoint',
    'folder svc after create sandbox.db',
    'file requests.db at a checkpoint',
    'folder svc after create requests.db',
  ],
  plan: ['file .svc-HEX.tmp', 'folder home after rename pay.plan', 'file requests.db without a log'],
  sync: ['file feed.db without a log', 'file feed.db at a checkpoint'],
  reconcile: ['file .svc-HEX.tmp', 'folder home after rename report.html'],
  certify: ['file .svc-HEX.tmp', 'folder home after rename junit.xml'],
};

/** Scenarios that make the same syncs as these: what each is for is judged there. All files at once are taken away here too. */
const AS_IN: Readonly<Record<string, readonly string[]>> = {
  ...{ 'create shown': ['create'], 'two at once': ['create'], 'repeat shown': ['repeat'] },
  ...{
    batch: ['create'],
    'batch on a used store': ['batch'],
    apply: ['batch'],
    plan: ['batch'],
    sync: ['batch'],
  },
  ...{ reconcile: ['create', 'batch'], 'tail --exec': ['tail > FILE'] },
};

const CHECKPOINTS = ['file .books.a.json.HEX.tmp', 'file .books.b.json.HEX.tmp'];

/** Each of these is covered by another: without all of them something must show. */
const COVERED: Readonly<Record<string, readonly string[]>> = {
  create: ['folder svc after create requests.db', 'folder svc after rename key-print.salt'],
  batch: [
    'folder svc after create requests.db',
    'folder svc after rename key-print.salt',
    'folder svc after create feed.db',
    'folder svc after mkdir batches',
    'folder svc after create batches.db',
  ],
  'tail --exec': CHECKPOINTS,
  'tail > FILE': CHECKPOINTS,
};

/**
 * Needless for safety: what they keep is made again, or known to the service, or empty. A position or an id that is lost leads to an event that
 * comes twice, and what was to be forgotten and comes back is forgotten by the same line again.
 */
const NEEDLESS: Readonly<Record<string, readonly string[]>> = {
  create: [
    'folder home after mkdir .cache',
    'folder .cache after mkdir svc',
    'file .catalog-HEX.json.HEX.tmp',
    'folder svc after rename catalog-HEX.json',
    'file requests.db-journal',
    'file requests.db-wal after an answer',
    'file key-print.lock',
  ],
  batch: [
    'file key-print.lock',
    'file HEX.lock',
    'file requests.db-journal',
    'file requests.db-wal before a sending',
    'file requests.db-wal after an answer',
    'file feed.db-journal',
    'file feed.db-wal before a sending',
    'file feed.db-wal after an answer',
    'file batches.db-journal',
    'file batches.db-wal after an answer',
  ],
  repeat: [
    'folder svc after create requests.db',
    // The request is open in the database itself, and repeated with its own key; a checkpoint of so little tears nothing.
    ...logged('requests'),
    'file requests.db at a checkpoint',
    'folder home',
  ],
  'requests forget': logged('requests'),
  'batches forget': logged('batches'),
  'tail > FILE': [
    ...['folder svc after mkdir checkpoints', ...ABOVE, 'file books.lock'],
    ...['folder checkpoints after rename books.a.json', 'folder checkpoints after rename books.b.json'],
  ],
  'tail --into': [
    // Events and position are of one commit.
    ...logged('tables'),
    'folder home after create tables.db.lock-journal',
    'file tables.db-journal',
  ],
  'listen > FILE': [...logged('webhooks'), ...ABOVE, 'file webhooks.db-journal'],
  profile: ['folder svc after rename keys.json'],
  'sandbox import': [...logged('sandbox'), ...logged('requests')],
};

/** With no file on the disk these are safe again: the request is open as it was, and is repeated with its own key. */
const SAFE_WITHOUT_ALL: readonly string[] = ['repeat', 'repeat shown'];

const among =
  (sites: readonly string[]) =>
  (name: string): boolean =>
    sites.includes(siteOf(name));

/** Every way to be blind to a scenario, by what is missing. */
function controlsOf(scenario: string): [string, Blind][] {
  const each = (NEEDED[scenario] ?? []).map((site): [string, Blind] => [
    site,
    { ignored: among([site]), ...(site.startsWith('folder') && { modes: STRICT }) },
  ]);
  const covered = COVERED[scenario];
  const controls: [string, Blind][] = [...each];
  if (!SAFE_WITHOUT_ALL.includes(scenario))
    controls.push(['every file', { ignored: (site) => site.startsWith('file') }]);
  if (covered !== undefined)
    controls.push([`all of: ${covered.join(', ')}`, { ignored: among(covered), modes: STRICT }]);
  if (scenario === 'create' || scenario === 'batch')
    controls.push(['every folder', { ignored: (site) => site.startsWith('folder'), modes: STRICT }]);
  return controls;
}

describe.runIf(process.env['SOAK'] === '1' && canRecord())('without a sync that it rests on', () => {
  it.each(Object.keys(SCENARIOS))(
    '%s shows a fault, and with all of them none',
    { timeout: 1_200_000 },
    (scenario) =>
      recorded({ scenario, seed: SEED, cheap: 0, dear: 0 }, async (stage, recording) => {
        const sites = new Set(recording.history.syncs.map(({ site }) => siteOf(site)));
        const known = [scenario, ...(AS_IN[scenario] ?? [])].flatMap((one) =>
          [NEEDED, COVERED, NEEDLESS].flatMap((list) => list[one] ?? []),
        );
        // A sync that is new is one that nobody has judged.
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
        const counts = summed(found);
        recordFigures({
          suite: 'Power cut on paper at moments of recorded runs',
          run: `control: syncs of ${scenario} taken away`,
          counts: {
            'ways to be blind': found.length,
            'of them caught': found.filter(hasFault).length,
            ...inWords(counts),
          },
        });
      }),
  );
});

/** What each does wrong, in which scenario, and the fault that has to show: any other would say that the program does not even work. */
const BROKEN: readonly (readonly [string, string, Fault, () => Promise<string>])[] = [
  broken('the intent is written after the sending', 'create', 'unbooked', LEAVES_EARLY),
  // Nothing is open and no answer is in hand: the line is typed again, and pays again.
  ...['create', 'create shown'].map((scenario) =>
    broken('the outcome is written before the answer is shown', scenario, 'twice', SETTLES_EARLY),
  ),
  ...['create', 'batch'].map((scenario) =>
    broken('the stores are left to the kernel', scenario, 'unbooked', NOT_SYNCED),
  ),
  broken('the output file is left to the kernel', 'tail > FILE', 'lost', OUTPUT_NOT_SYNCED),
];

function broken(what: string, scenario: string, fault: Fault, variant: Variant): (typeof BROKEN)[number] {
  return [what, scenario, fault, () => brokenProgram(variant)];
}

describe.runIf(process.env['SOAK'] === '1' && canRecord())('a program in which', () => {
  it.each(BROKEN)('%s is caught in %s: %s', { timeout: 1_200_000 }, async (what, scenario, fault, made) => {
    const { counts } = await cut({ scenario, seed: SEED, cheap: 60, dear: 60, program: await made() });
    recordFigures({
      suite: 'Power cut on paper at moments of recorded runs',
      run: `control: ${what} (${scenario})`,
      counts: {
        'states asked cheaply': counts.cheap,
        'states recovered by svc': counts.dear,
        ...inWords(counts),
      },
    });
    expect(counts[fault]).toBeGreaterThan(0);
  });
});
