/** How the tests run: no globals, and the same time zone and language on every machine. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globals: false,
    // As fast as threads on two cores, and a test owns its process: signals, umask, working folder, native add-ons.
    pool: 'forks',
    // Vitest keeps one processor for itself: of two that would be half of the machine, and it needs little.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What a test starts ends with it.
    setupFiles: ['test/support/guard.ts'],
    env: { TZ: 'UTC', LC_ALL: 'C.UTF-8' },
    coverage: { provider: 'v8', enabled: false, include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
});
