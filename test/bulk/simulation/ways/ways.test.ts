/** Every state of a payment has a line out: whoever types what is printed comes to an end, and nobody is paid twice. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { expect, it } from 'vitest';
import { ROOT } from '../../../house/source.js';
import { CELLS, tableOf } from './cells.js';
import { walk } from './walk.js';

it.each(CELLS)('a $of that is $state, where the service has: $answer', async (cell) => {
  const { lines, end, payments, trace } = await walk(cell);
  expect({ lines, end }, trace).toEqual({ lines: cell.lines, end: cell.end });
  expect(payments, trace).toBeLessThanOrEqual(1);
});

it('stands in the page for operators; with -u, vitest writes it there', async () => {
  const path = join(ROOT, 'docs/operators.md');
  const page = readFileSync(path, 'utf8');
  const [before, , after] = page.split(/^<!-- (?:The ways on.*|End of the ways on\.) -->\n/m);
  const head =
    '<!-- The ways on, from test/bulk/simulation/ways/cells.ts: every line is tried. Do not edit. -->\n';
  const end = '<!-- End of the ways on. -->\n';
  const tables = `${head}\n${tableOf('row')}\n\n${tableOf('request')}\n\n${end}`;
  const options = { ...(await resolveConfig(path)), filepath: path };
  await expect(await format(`${before ?? ''}${tables}${after ?? ''}`, options)).toMatchFileSnapshot(path);
});
