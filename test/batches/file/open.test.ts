import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openRowFile } from '../../../src/batches/file/open.js';
import type { RowReading } from '../../../src/batches/file/row-file.js';
import { Problems } from '../../../src/runtime/problems.js';
import type { SheetOptions } from '../../../src/sheet/forms.js';
import { CATALOG } from '../../contract/catalog-given.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();
const path = join(folder, 'pay.csv');

const NOTHING_SAID: SheetOptions = { map: null, delimiter: null, decimal: null, encoding: null, sheet: null };
const MANY = 60_000;
const HEADER = 'reference;amount;beneficiary.name\n';
const long = (amount: (at: number) => string, last = ''): string =>
  HEADER +
  Array.from({ length: MANY }, (_, at) => `emp-${String(at)};${amount(at)};Ana Gomez\n`).join('') +
  last;

async function readAll(
  content: string | Uint8Array,
  options: Partial<SheetOptions> = {},
): Promise<{ reading: RowReading | null; rows: number; last: unknown; problems: Problems }> {
  writeFileSync(path, content);
  const file = await openRowFile(path, { ...NOTHING_SAID, ...options }, 'payout', CATALOG);
  try {
    const problems = new Problems();
    let [rows, last]: [number, unknown] = [0, null];
    for await (const { body } of file.rows(problems)) [rows, last] = [rows + 1, body['amount']];
    await file.requireUnchanged();
    return { reading: file.reading, rows, last, problems };
  } finally {
    await file.close();
  }
}

const said = (problems: Problems): unknown => {
  try {
    problems.throwIfAny('pay.csv');
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

it('takes the decimal mark from wherever the file says it', async () => {
  const { reading, rows, last, problems } = await readAll(long(() => '1.234', 'emp-x;1.234,50;Ana\n'));
  expect(reading).toMatchObject({ decimal: 'comma', guessed: ['delimiter', 'decimal'] });
  expect([rows, last]).toEqual([MANY + 1, '1234.5']);
  expect(said(problems)).toBeNull();
});

it('is refused where nothing in it says which mark that is', async () => {
  const message = expect.stringContaining('line 2: amount: "1.234" is 1234 with --decimal comma') as string;
  await expect(readAll(long(() => '1.234'))).rejects.toMatchObject({ exitCode: 14, message });
});

it('has amounts that are two refused where they come behind what was looked at', async () => {
  const { reading, problems } = await readAll(long(() => '1234', 'emp-x;1,50;Ana\nemp-y;1.234;Ana\n'));
  expect(reading?.decimal).toBeNull();
  expect(said(problems)).toContain(`line ${String(MANY + 2)}: amount: "1,50" is 1.5 with --decimal comma`);
  expect(said(problems)).toContain(`line ${String(MANY + 3)}: amount: "1.234" is 1234 with --decimal comma`);
});

it('tells of a character that is not UTF-8 behind what was looked at, and reads it as what is said', async () => {
  const text = long(() => '12.50', 'emp-x;1.50;Peña\n');
  const content = Buffer.from(text, 'latin1');
  const { problems } = await readAll(content);
  expect(said(problems)).toMatch(new RegExp(`line ${MANY + 2}: is not UTF-8; .*add --encoding latin1`));
  expect(await readAll(content, { encoding: 'latin1' })).toMatchObject({ rows: MANY + 1, last: '1.5' });
  const native = await readAll(Buffer.from(text.replaceAll(';', ','), 'latin1'));
  expect(native.reading).toBeNull();
  expect(said(native.problems)).toMatch(/is not UTF-8; .*or add --encoding latin1/);
});
