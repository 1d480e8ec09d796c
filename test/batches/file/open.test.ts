import { createHash } from 'node:crypto';
import { appendFileSync, renameSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { knownColumns } from '../../../src/batches/file/columns.js';
import { openMappedFile } from '../../../src/batches/file/open-mapped.js';
import { openRowFile, rowFlags } from '../../../src/batches/file/open.js';
import { fileTextOf } from '../../../src/batches/file/source.js';
import { Problems } from '../../../src/runtime/problems.js';
import { openFileSource } from '../../../src/sheet/file-source.js';
import { lookAhead } from '../../../src/sheet/look-ahead.js';
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

async function readAll(content: string | Uint8Array, options: Partial<SheetOptions> = {}) {
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

it('has the hash of what is read, also where another file takes its name meanwhile', async () => {
  const content = 'reference;amount\nemp-1;1,50\n';
  writeFileSync(path, content);
  const flags = rowFlags(NOTHING_SAID, 'payout', knownColumns('payout', CATALOG));
  const source = await openFileSource(path, 'Nothing was sent.');
  const beginning = { ahead: await lookAhead(source, flags), brokenAt: null };
  writeFileSync(`${path}.next`, content.replace('1,50', '9,50'));
  renameSync(`${path}.next`, path);
  const file = await openMappedFile(beginning, flags, 'payout', CATALOG);
  try {
    const amounts: unknown[] = [];
    for await (const { body } of file.rows(new Problems())) amounts.push(body['amount']);
    expect(amounts).toEqual(['1.5']);
    await file.requireUnchanged();
    expect(file.hash()).toBe(createHash('sha256').update(content).digest('hex'));
  } finally {
    await file.close();
  }
});

async function readWhile(change: () => void): Promise<void> {
  writeFileSync(path, 'a,b\n'.repeat(100_000));
  utimesSync(path, 1_000_000, 1_000_000);
  const source = await openFileSource(path, 'Nothing was sent.', 'a regular file');
  try {
    let pieces = 0;
    for await (const _piece of fileTextOf(source).chunks(new Problems())) if ((pieces += 1) === 1) change();
    expect(pieces).toBeGreaterThan(2);
    await source.requireUnchanged();
  } finally {
    await source.close();
  }
}

it('is read whole where nobody touches it', async () => {
  await expect(readWhile(() => undefined)).resolves.toBeUndefined();
});

it.each<[string, () => void]>([
  ['grows', () => appendFileSync(path, 'more\n')],
  ['shrinks', () => truncateSync(path, 200_000)],
  ['is written anew, as long as before', () => writeFileSync(path, 'c,d\n'.repeat(100_000))],
])('is refused where it %s meanwhile', async (_name, change) => {
  const message = expect.stringContaining('changed while it was read') as string;
  await expect(readWhile(change)).rejects.toMatchObject({ exitCode: 14, message });
});
