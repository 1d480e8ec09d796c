/** The glossary says where each word is at home: those files are there, and no word stands twice among its own. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source.js';

const text = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8');
const rows = [...text.matchAll(/^\| (\S.*?) +\| (\S.*?) +\| `([^`]+)` +\|$/gm)].map(
  ([, word = '', meaning = '', home = '']) => ({ word, meaning, home }),
);

it.each(rows.map(({ word, home }) => [word, home]))('%s is at home in %s', (_word, home) => {
  expect(existsSync(join(ROOT, home))).toBe(true);
});

it('says each word once, in one line', () => {
  expect(rows.length).toBeGreaterThan(40);
  const words = rows.map(({ word }) => word);
  expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
});
