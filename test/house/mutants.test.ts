/** The mistakes that `npm run mutate` makes: each stands where it can be made, and names tests that are there. Nothing is run here. */
import { transformSync } from 'esbuild';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mutated, roomOf, type Mutant } from '../../scripts/mutate/mutant.js';
import { MUTANTS } from '../../scripts/mutate/mutants.js';
import { ROOT, sourcesIn } from './source.js';

const LEAST = 60;
const SOURCES = sourcesIn('src');

/** What is wrong with an entry of the list, with where its text stands now. */
function problemOf(mutant: Mutant): string | null {
  const text = SOURCES.find(({ path }) => path === mutant.file)?.text;
  if (text === undefined || mutated(text, mutant) === null) {
    const elsewhere = SOURCES.filter((source) => mutated(source.text, mutant) !== null);
    const where = elsewhere.map(({ path }) => path).join(', ');
    return `does not stand in ${mutant.file} once; mend it in scripts/mutate: ${where || 'it stands nowhere else'}`;
  }
  const gone = mutant.tests.find((path) => !existsSync(join(ROOT, path)));
  return gone === undefined ? null : `names ${gone}, which is not there`;
}

describe('the mutants', () => {
  it.each(MUTANTS.map((mutant) => [`${mutant.file}: ${mutant.breaks}`, mutant] as const))(
    '%s',
    (_, mutant) => {
      expect(problemOf(mutant)).toBeNull();
      const broken = mutated(readFileSync(join(ROOT, mutant.file), 'utf8'), mutant) ?? '';
      expect(() => transformSync(broken, { loader: mutant.file.endsWith('x') ? 'tsx' : 'ts' })).not.toThrow();
    },
  );

  it('are at least sixty, some in every room, and each another one', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(LEAST);
    const rooms = new Set(
      SOURCES.map(({ path }) => path.split('/')).flatMap(([, room = '', file]) => (file ? [room] : [])),
    );
    expect([...new Set(MUTANTS.map(roomOf))].sort()).toEqual([...rooms].sort());
    expect(new Set(MUTANTS.map(({ file, breaks }) => file + breaks)).size).toBe(MUTANTS.length);
  });
});

it.each([
  ['once', 'a < b', 'a <= b'],
  ['not at all', 'c', null],
  ['twice', 'a < b; a < b', null],
])('what is changed stands there %s', (_what, text, after) => {
  expect(mutated(text, { file: 'src/x.ts', changes: [['a < b', 'a <= b']] })).toBe(after);
});
