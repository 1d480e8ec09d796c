/** How the tests run: no globals, and the same time zone and language on every machine. */
import { defineConfig } from 'vitest/config';
import { tiersOfTests, type Tier } from './test/support/tiers.js';

/** A test that changes its process (signals, umask, environment, timers) is in a file named so; `test/house/sharing.ts` sees to it. */
const ALONE = /\.alone\.test\.tsx?$/;

/** The tier that `scripts/test.js` asks for; whoever calls vitest finds every file. */
const asked = process.env['TIER'] as Tier | 'all' | undefined;
const isAsked = (tier: Tier): boolean =>
  asked === undefined || asked === tier || (asked === 'all' && (tier === 'quick' || tier === 'rest'));
const files = [...tiersOfTests()].filter(([, tiers]) => tiers.some(isAsked)).map(([path]) => path);

export default defineConfig({
  test: {
    globals: false,
    // As fast as threads on two cores, and a process of its own is what a file may have: signals, umask, working folder, native add-ons.
    pool: 'forks',
    projects: [
      { extends: true, test: { name: 'alone', include: files.filter((path) => ALONE.test(path)) } },
      // A process for each of hundreds of files, that loads what the one before had loaded, would be a third of all work.
      {
        extends: true,
        test: { name: 'shared', include: files.filter((path) => !ALONE.test(path)), isolate: false },
      },
    ],
    // Vitest keeps one processor for itself: of two that would be half of the machine, and it needs little.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['test/support/scratch.ts'],
    setupFiles: [
      // What a test starts ends with it.
      'test/support/setup.ts',
      ...(asked === 'quick' ? ['test/support/first-tier.ts'] : []),
    ],
    env: { TZ: 'UTC', LC_ALL: 'C.UTF-8' },
    coverage: { provider: 'v8', enabled: false, include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
});
