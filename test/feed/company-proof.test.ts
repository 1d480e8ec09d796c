import { expect, it } from 'vitest';
import { proveCompany } from '../../src/feed/company.js';

const TABLE = [
  ['other_environment', 'other'],
  ['same_key', 'same'],
  ['same_mirror', 'same'],
  ['there', 'same'],
  ['absent', 'other'],
  ['other_mirror', 'other'],
  ['same_key_mask', 'same'],
  ['unknown', 'unknown'],
] as const;

it.each(TABLE)('%s proves that the company is the %s, whatever the lines below say', (name, match) => {
  const weaker = TABLE.slice(TABLE.findIndex(([one]) => one === name) + 1).map(([one]) => one);
  expect(proveCompany(name)).toBe(match);
  expect(proveCompany(false, ...weaker, name)).toBe(match);
});
