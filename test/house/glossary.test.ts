import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source.js';

const [, ofTheField = '', ours = ''] = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8').split(/^## /m);

const rowsOf = (table: string): string[][] =>
  [...table.matchAll(/^\| (\S.*?) +\| \S.*? +\| `([^`]+)` +\|$/gm)].map((row) => row.slice(1));
const rows = [...rowsOf(ofTheField), ...rowsOf(ours)];

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

const GONE_FROM_PAGES: (typeof GONE)[number] = [
  /\b(?:(?:conversation|ordinal|generation|row finding|brake|wave|takeover|work file)s?|seal(?:s|ed|ing)?)\b(?=(?:[^`]*`[^`]*`)*[^`]*$)/i,
  'the word of the field, as in the glossary',
];

const written = ['src', 'bin', 'docs', 'scripts'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /(?<!benchmarks)\.([jt]sx?|md|css)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name)),
);

it.each(rows)('%s is at home in %s', (_word, home) => {
  expect(existsSync(join(ROOT, home))).toBe(true);
});

it('says each word once, in one line, and at most 12 of our own', () => {
  expect(rowsOf(ofTheField).length).toBeGreaterThan(20);
  expect(rowsOf(ours).length).toBeGreaterThan(10);
  expect(rowsOf(ours).length).toBeLessThanOrEqual(12);
  const words = rows.map(([word]) => word);
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
});

it('gives up words for good', () => {
  const places = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((name) => join(ROOT, name));
  const found = [...places, ...written].flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        [...GONE, ...(/^\/(docs\/)?[^/]+\.md$/.test(path.slice(ROOT.length)) ? [GONE_FROM_PAGES] : [])]
          .filter(([word]) => word.test(line))
          .map(([, instead]) => `${path.slice(ROOT.length)}:${String(at + 1)} say: ${instead}`),
      ),
  );
  expect(found).toEqual([]);
});
