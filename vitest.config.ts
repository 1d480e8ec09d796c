/** How the tests run: no globals, and the same time zone and language on every machine. */
import { defineConfig } from 'vitest/config';

/** A test that changes its process (signals, umask, environment, timers) is in a file named so; `test/house/sharing.ts` sees to it. */
const ALONE = 'test/**/*.alone.test.{ts,tsx}';

export default defineConfig({
  test: {
    globals: false,
    // As fast as threads on two cores, and a process of its own is what a file may have: signals, umask, working folder, native add-ons.
    pool: 'forks',
    projects: [
      { extends: true, test: { name: 'alone', include: [ALONE] } },
      // A process for each of hundreds of files, that loads what the one before had loaded, would be a third of all work.
      {
        extends: true,
        test: { name: 'shared', include: ['test/**/*.test.{ts,tsx}'], exclude: [ALONE], isolate: false },
      },
    ],
    // Vitest keeps one processor for itself: of two that would be half of the machine, and it needs little.
    maxWorkers: '100%',
    // What starts many processes takes minutes on a small machine.
    testTimeout: 180_000,
    hookTimeout: 60_000,
    // A busy machine takes long until a page shows what a test waits for.
    expect: { poll: { timeout: 30_000 } },
    globalSetup: ['test/support/scratch.ts'],
    setupFiles: [
      // What a test starts ends with it.
      'test/support/setup.ts',
      ...(process.env['TIER'] === 'quick' ? ['test/support/first-tier.ts'] : []),
    ],
    env: { TZ: 'UTC', LC_ALL: 'C.UTF-8' },
    coverage: { provider: 'v8', enabled: false, include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
});
