import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source.js';

const PICTURES = join(ROOT, 'docs/pictures');

it.each(readdirSync(PICTURES).filter((name) => name.endsWith('.svg')))('%s', (name) => {
  const text = readFileSync(join(PICTURES, name), 'utf8').replace(/<[^>]*>/g, '');
  expect(text).not.toMatch(/Error:|✗|\/tmp\//);
  expect(text).not.toMatch(/svc payins confirm\s*$/m);
});

it.each(readdirSync(PICTURES).filter((name) => name.endsWith('.png')))('%s is one, and is shown', (name) => {
  const bytes = readFileSync(join(PICTURES, name));
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect(bytes.length).toBeLessThan(400_000);
  expect(readFileSync(join(ROOT, 'docs/sandbox.md'), 'utf8')).toContain(`(pictures/${name})`);
});
