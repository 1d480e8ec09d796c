import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseMap } from '../../../src/reconcile/file/settings.js';
import { LEDGER_FIELDS } from '../../../src/reconcile/file/plan.js';
import { planSentences } from '../../../src/reconcile/file/plan-words.js';
import { ROOT } from '../../house/source.js';
import { wordsOf } from '../../support/typed.js';
import { readWhole } from './reading.js';

const page = readFileSync(join(ROOT, 'docs/statements.md'), 'utf8');

function block(kind: string): string {
  return new RegExp(`\`\`\`${kind}\\n([^]*?)\`\`\``).exec(page)?.[1] ?? '';
}

it('shows a statement and how it is read', async () => {
  const { plan, lines, ending } = await readWhole(block('csv'));
  expect(planSentences(plan, 'bank.csv')).toEqual(block('text').trimEnd().split('\n'));
  expect(lines.map(({ amount, direction }) => [amount, direction])).toEqual([
    ['1500.5', 'payout'],
    ['980', 'payin'],
  ]);
  expect(ending.skipped.map(({ line }) => line)).toEqual([5, 8]);
});

it('shows maps that can be typed', () => {
  const [line = ''] = block('sh').split('\n');
  const words = wordsOf(line);
  const map = parseMap(words[words.indexOf('--map') + 1] ?? '');
  expect(map).toEqual([
    { field: 'reference', column: 'Ref' },
    { field: 'amount', column: 'Importe, neto' },
    { field: 'date', column: 3 },
  ]);
});

it('names every member of a map', () => {
  for (const field of LEDGER_FIELDS) expect(page).toContain(`\`${field}\``);
});
