import { expect, it } from 'vitest';
import { tiersOf, tiersOfTests } from '../../scripts/test/tiers.js';

it('every test file runs somewhere, and what starts a process not in the first tier', () => {
  const tiers = tiersOfTests();
  expect([...tiers].filter(([, names]) => names.length === 0)).toEqual([]);
  expect([...tiers].filter(([, names]) => names.includes('quick')).length).toBeGreaterThan(300);
});

it.each([
  ['imports nothing that starts', 'test/contract/money.test.ts', ['quick']],
  ['draws rounds', 'test/events/webhooks/mutations.test.ts', ['quick', 'rest']],
  ['has stores in files and in PostgreSQL', 'test/storage/journal/journal.test.ts', ['quick', 'rest']],
  ['starts programs by a helper', 'test/program/deaths.test.ts', ['rest']],
  ['starts a server by the command that it runs', 'test/sandbox/open.test.ts', ['rest']],
  ['starts something in some of its tests', 'test/setup/doctor/commands.test.ts', ['quick', 'rest']],
  ['bundles by a script', 'test/payments/dialogue/loading.test.ts', ['rest']],
  ['kills for hours', 'test/soak/requests/kills.test.ts', ['soak']],
  ['does more in soak', 'test/soak/guard/judges.test.ts', ['quick', 'soak']],
  ['reads sources', 'test/house/glossary.test.ts', ['house']],
])('a file that %s', (_what, path, tiers) => expect(tiersOf(path)).toEqual(tiers));
