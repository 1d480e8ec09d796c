import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { batchHome } from '../support/batch-home.js';
import { people } from '../support/payroll.js';
import type { Fate } from '../support/shaky-sandbox.js';

const PAGE = readFileSync(join(ROOT, 'docs/operators.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);

const here = batchHome(people(3));

it('has a block for rows, and one for single creates', () => expect(BLOCKS).toHaveLength(2));

it('settles what only a person can settle, and pays everybody once', async () => {
  const other: Fate = { status: 201, body: { id: 'x', status: 'confirmed', amount: '1.00' } };
  await here.begin(other, other, 'lost-before', 'lost-before', 'lost-before');
  const { body } = await here.shaky.transport(here.shaky.posts[0]!, { timeoutMs: 1000 });
  const { id } = JSON.parse(Buffer.from(body).toString('utf8')) as { id: string };
  here.home.clock.advance(23.5 * 3_600_000);
  expect((await here.svc('batches resume pay')).exitCode).toBe(12);

  const lines = BLOCKS[0]!.trimEnd().split('\n');
  expect(lines).toHaveLength(5);
  const references = new Map([
    ['--operation', 'emp-0000'],
    ['--not-paid', 'emp-0001'],
  ]);
  for (const line of lines) {
    const typed = line
      .replace(/#.*$/, '')
      .replace('REF', [...references].find(([flag]) => line.includes(flag))?.[1] ?? '')
      .replaceAll('NAME', 'pay')
      .replace(/\bID\b/, id);
    const result = await here.paste(typed.trim());
    expect(result.exitCode, `${typed}: ${result.stderr}`).toBe(0);
  }
  expect((await here.svc('batches status pay --json')).json()).toMatchObject({
    ...{ rows: 3, confirmed: 3, unknown: 0, failed: 0 },
  });
  expect(Object.values(await here.shaky.ledger())).toEqual([1, 1, 1]);
});
