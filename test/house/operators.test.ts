import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exitCodesOf } from '../../src/command/help/exit-codes.js';
import { REGISTRY } from '../../src/registry.js';
import { ROOT } from './source.js';

const PAGE = readFileSync(join(ROOT, 'docs/operators.md'), 'utf8');

const TABLE = new Map(
  [...PAGE.matchAll(/^\| ([0-9, ]+?) *\| (.+?) *\| (.+?) *\|$/gm)].flatMap(
    ([, codes = '', means = '', types = '']) =>
      codes.split(', ').map((code) => [Number(code), { means, types }] as const),
  ),
);

describe('the table', async () => {
  const ids = [
    ...['payouts batch', 'payins batch', 'batches resume', 'batches retry', 'batches resolve'],
    ...['batches drop', 'batches forget'],
  ] as const;
  const commands = await Promise.all(ids.map(async (id) => await REGISTRY[id]()));
  const codes = [...new Set(commands.flatMap(exitCodesOf))];

  it.each(codes)('says what %i means and what to do', (code) => {
    expect(TABLE.get(code)).toBeDefined();
    expect(TABLE.get(code)!.types.length).toBeGreaterThan(5);
  });

  it('has no code that no batch ends with, but for a kill', () => {
    expect([...TABLE.keys()].filter((code) => !codes.includes(code))).toEqual([137]);
  });
});
