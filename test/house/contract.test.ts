import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, sourcesIn } from './source.js';

const contract = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');
const headings = new Set([...contract.matchAll(/^#{2,3} ([0-9.]+?)\.? /gm)].map(([, number]) => number));

function cited(text: string): string[] {
  const lists = text.matchAll(/(?<!RFC [0-9]+,? )\bsections? ((?:[0-9.]*[0-9](?:, | and )?)+)/g);
  return [...lists].flatMap(([, list = '']) => list.match(/[0-9](?:\.[0-9]+)?/g) ?? []);
}

it('has a heading for every section that is cited', () => {
  const all = sourcesIn('src').flatMap(({ path, text }) => cited(text).map((section) => ({ path, section })));
  expect(all.length).toBeGreaterThan(30);
  expect(all.filter(({ section }) => !headings.has(section))).toEqual([]);
});
