/** How the tests run: one pool, no globals, every test on a time zone and a locale that do not depend on the machine. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globals: false,
    pool: 'threads',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    env: { TZ: 'UTC', LC_ALL: 'C.UTF-8' },
    coverage: { provider: 'v8', enabled: false, include: ['src/**'], reporter: ['text-summary', 'html'] },
  },
});
