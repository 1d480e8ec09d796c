import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, sourcesIn } from './source.js';

const THERE = [
  ...readdirSync(ROOT).map((name) => `/${name}`),
  ...['bin', 'docs', 'packaging', 'scripts', 'src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `/${folder}/${path}`,
    ),
  ),
];
const PLACE = /^(?!dist\/)([\w.-]+\/)+$|^(?!dist\/)[\w./-]+\.(ts|tsx|js|css|md|svg|json)$/;

it.each(['docs/architecture.md', 'docs/adding.md', 'CONTRIBUTING.md'])('%s', (page) => {
  const named = [...readFileSync(join(ROOT, page), 'utf8').matchAll(/`([^`\n]+)`/g)]
    .map(([, text = '']) => text)
    .filter((text) => PLACE.test(text));
  const isThere = (place: string): boolean => {
    return THERE.some((path) => path.endsWith(`/${place.replace(/^\.\/|\/$/g, '')}`));
  };
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((place) => !isThere(place))).toEqual([]);
});

it('what a program imports that stands in a text and is built by a test or a benchmark: the compiler does not look there', () => {
  const scripts = THERE.filter((path) => /^\/scripts\/bench\/.*\.js$/.test(path));
  const texts = scripts.map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
  const imported = [...sourcesIn('test'), ...texts].flatMap(({ path, text }) =>
    [...text.matchAll(/from '\.\/((?:src|test)\/[\w./-]+)\.js'/g)].map(([, file = '']) => ({ path, file })),
  );
  expect(imported.length).toBeGreaterThan(3);
  expect(imported.filter(({ file }) => !THERE.includes(`/${file}.ts`))).toEqual([]);
});
