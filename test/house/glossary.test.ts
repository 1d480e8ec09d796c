/** The glossary says where each word is at home, has at most 25 words of our own, and words that it gave up stay away. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source.js';

const text = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
const [, ofTheField = '', ours = ''] = text.split(/^## /m);

const rowsOf = (table: string): { readonly word: string; readonly home: string }[] =>
  [...table.matchAll(/^\| (\S.*?) +\| \S.*? +\| `([^`]+)` +\|$/gm)].map(([, word = '', home = '']) => ({
    word,
    home,
  }));
const rows = [...rowsOf(ofTheField), ...rowsOf(ours)];

/** Words that a reader stumbled over, with the plain ones that took their place. */
const GONE: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/i, 'name who: a worker, a person, a caller'],
  [/\banew\b/i, 'again'],
  [/how-manieth/i, 'number, count'],
  [/\bkinship/i, 'company match'],
  [/\bcrowds?\b/i, 'large group'],
  [/passing.?folder/i, 'temporary folder'],
  [/\binsist(s|ed|ing)? over\b/i, 'new payment'],
  [/\bstanding list\b/i, 'known payments'],
  [/\brequest owner/i, 'process that recorded the request'],
];

const written = ['src', 'bin', 'docs', 'scripts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    // The page of measurements is written by what was measured.
    .filter(
      (entry) => entry.isFile() && /\.([jt]sx?|md|css)$/.test(entry.name) && entry.name !== 'benchmarks.md',
    )
    .map((entry) => join(entry.parentPath, entry.name)),
);

it.each(rows.map(({ word, home }) => [word, home]))('%s is at home in %s', (_word, home) => {
  expect(existsSync(join(ROOT, home))).toBe(true);
});

it('says each word once, in one line, and at most 25 of our own', () => {
  expect(rowsOf(ofTheField).length).toBeGreaterThan(20);
  expect(rowsOf(ours).length).toBeGreaterThan(10);
  expect(rowsOf(ours).length).toBeLessThanOrEqual(25);
  const words = rows.map(({ word }) => word);
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
});

it('gives up words for good', () => {
  const places = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => join(ROOT, name));
  const found = [...places, ...written].flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        GONE.filter(([word]) => word.test(line)).map(
          ([, instead]) => `${path.slice(ROOT.length)}:${String(at + 1)} say: ${instead}`,
        ),
      ),
  );
  expect(found).toEqual([]);
});
