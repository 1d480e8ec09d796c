/** What the power cuts must show: each sync that safety rests on is taken away in the replay, and programs that break a promise are cut. */
import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../../scripts/safety/scenarios.js';
import { siteOf } from '../../../scripts/safety/sites.js';
import { canRecord } from '../../../scripts/safety/trace.js';
import type { Variant } from '../../support/variant.js';
import { recordFigures } from '../figures.js';
import { LEAVES_EARLY, programOf, SETTLES_EARLY } from '../requests/program.js';
import { blindly, type Blind, cut, faultsIn, inWords, recorded, summed } from './bench.js';
import { brokenProgram, NOT_SYNCED, OUTPUT_NOT_SYNCED } from './program.js';

const STRICT = ['strict'] as const;
/** At most so many states until one shows what is missing. */
const ENOUGH = { cheap: 600, dear: 90 };
const SEED = 11;

/** The sites whose syncs are each needed, by scenario. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  create: [
    'file requests.db-wal before a sending',
    'file requests.db without a log',
    'file requests.db at a checkpoint',
    'file .key-print.salt.HEX.tmp',
    'file answer.json',
    'folder home after mkdir .local',
    'folder .local after mkdir state',
    'folder state after mkdir svc',
  ],
  batch: [
    'file batches.db-wal before a sending',
    'file batches.db without a log',
    'file batches.db at a checkpoint',
    'file .key-print.salt.HEX.tmp',
    'folder home after mkdir .local',
    'folder .local after mkdir state',
    'folder state after mkdir svc',
  ],
  'tail > FILE': ['file seen.ndjson'],
  'listen > FILE': ['file events.ndjson'],
  profile: ['file .keys.json.HEX.tmp', 'folder svc after rename config.json'],
  plan: ['file .svc-HEX.tmp'],
};

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
  'tail > FILE': ['file .books.a.json.HEX.tmp', 'file .books.b.json.HEX.tmp'],
};

/** Needless for safety: what they keep is made anew, or known to the service, or empty. */
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
    'file requests.db without a log',
    'file requests.db-wal before a sending',
    'file requests.db-wal after an answer',
    'file requests.db at a checkpoint',
    'file feed.db-journal',
    'file feed.db without a log',
    'file feed.db-wal before a sending',
    'file feed.db-wal after an answer',
    'file feed.db at a checkpoint',
    'file batches.db-journal',
    'file batches.db-wal after an answer',
  ],
};

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
  const controls: [string, Blind][] = [
    ...each,
    ['every file', { ignored: (site) => site.startsWith('file') }],
  ];
  if (covered !== undefined)
    controls.push([`any of: ${covered.join(', ')}`, { ignored: among(covered), modes: STRICT }]);
  if (scenario === 'create' || scenario === 'batch')
    controls.push(['every folder', { ignored: (site) => site.startsWith('folder'), modes: STRICT }]);
  return controls;
}

const EXAMINED = Object.keys(SCENARIOS).filter((scenario) => scenario in NEEDED);

describe.runIf(process.env['SOAK'] === '1' && canRecord())('without a sync that it rests on', () => {
  it.each(EXAMINED)('%s shows a fault, and with all of them none', { timeout: 1_200_000 }, (scenario) =>
    recorded({ scenario, seed: SEED, ...ENOUGH }, async (stage, recording) => {
      const sites = new Set(recording.history.syncs.map(({ site }) => siteOf(site)));
      const known = [NEEDED, COVERED, NEEDLESS].flatMap((list) => list[scenario] ?? []);
      // A sync that is new is one that nobody has judged.
      if (scenario in NEEDLESS) expect([...sites].filter((site) => !known.includes(site))).toEqual([]);
      expect((NEEDED[scenario] ?? []).filter((site) => !sites.has(site))).toEqual([]);
      expect(faultsIn(await blindly(stage, recording, { cheap: 150, dear: 15 }))).toBe(0);
      const unseen: string[] = [];
      const found = [];
      for (const [without, blind] of controlsOf(scenario)) {
        const counts = await blindly(stage, recording, ENOUGH, blind);
        found.push(counts);
        if (faultsIn(counts) === 0) unseen.push(without);
      }
      expect(unseen).toEqual([]);
      const counts = summed(found);
      recordFigures({
        suite: 'Power cut on paper at moments of recorded runs',
        run: `control: syncs of ${scenario} taken away`,
        counts: {
          'ways to be blind': found.length,
          'of them caught': found.filter((one) => faultsIn(one) > 0).length,
          ...inWords(counts),
        },
      });
    }),
  );
});

const BROKEN: readonly (readonly [string, string, () => Promise<string>])[] = [
  ['the intent is written after the sending', 'create', () => programOf(LEAVES_EARLY)],
  ['the outcome is written before the answer is shown', 'create', () => programOf(SETTLES_EARLY)],
  ...['create', 'batch'].map((scenario) => broken('the stores are left to the kernel', scenario, NOT_SYNCED)),
  broken('the output file is left to the kernel', 'tail > FILE', OUTPUT_NOT_SYNCED),
];

function broken(what: string, scenario: string, variant: Variant): (typeof BROKEN)[number] {
  return [what, scenario, () => brokenProgram(variant)];
}

describe.runIf(process.env['SOAK'] === '1' && canRecord())('a program in which', () => {
  it.each(BROKEN)('%s is caught in %s', { timeout: 1_200_000 }, async (what, scenario, made) => {
    const { counts } = await cut({ scenario, seed: SEED, cheap: 200, dear: 30, program: await made() });
    recordFigures({
      suite: 'Power cut on paper at moments of recorded runs',
      run: `control: ${what} (${scenario})`,
      counts: {
        'states asked cheaply': counts.cheap,
        'states recovered by svc': counts.dear,
        ...inWords(counts),
      },
    });
    expect(faultsIn(counts)).toBeGreaterThan(0);
  });
});
