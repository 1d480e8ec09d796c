import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { StatementOptions } from '../../../src/reconcile/file/plan.js';
import { READING_SHELF, saveReading } from '../../../src/reconcile/file/plan-words.js';
import { requireMapName, withSavedMap } from '../../../src/sheet/saved-maps.js';
import type { Paths } from '../../../src/runtime/folders.js';
import { NOTHING_SAID, readWhole } from './reading.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();
const paths: Paths = { config: join(folder, 'svc'), data: folder, state: folder, cache: folder };
const DECIDED = 'Fecha;Ref;"Importe, neto"\n13/11/2026;P-1;1.234,50\n';

const saved = (name: string, options: Partial<StatementOptions> = {}): StatementOptions =>
  withSavedMap(paths, READING_SHELF, { ...NOTHING_SAID, map: name, ...options });

it('is read the next month as it was read this month, also where the file alone would not say how', async () => {
  const map = 'reference=Ref,amount="Importe, neto",date=Fecha';
  const { plan } = await readWhole(DECIDED, { map });
  const path = saveReading(paths, 'bank', plan);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
    ...{ map, delimiter: 'semicolon', decimal: 'comma', encoding: 'utf8', date_format: 'DD/MM/YYYY' },
  });
  expect([statSync(path).mode & 0o777, statSync(join(path, '..')).mode & 0o777]).toEqual([0o600, 0o700]);
  const next = 'Fecha;Ref;"Importe, neto"\n03/04/2026;P-1;1.234\n';
  const { lines } = await readWhole(next, saved('bank'));
  expect(lines).toMatchObject([{ amount: '1234', date: '2026-04-03' }]);
  expect((await readWhole(next, saved('bank', { decimal: 'point' }))).lines).toMatchObject([
    { amount: '1.234' },
  ]);
});

it('is replaced by the next of its name', async () => {
  const { plan } = await readWhole('reference,amount\nP-1,1\n');
  saveReading(paths, 'other', plan);
  expect(saved('other')).toEqual({
    ...NOTHING_SAID,
    ...{ map: 'reference=reference,amount=amount', delimiter: 'comma', encoding: 'utf8' },
  });
});

it('leaves a map alone that is one', () => {
  const options = { ...NOTHING_SAID, map: 'reference=bank,amount=b' };
  expect(withSavedMap(paths, READING_SHELF, options)).toBe(options);
  expect(withSavedMap(paths, READING_SHELF, NOTHING_SAID)).toBe(NOTHING_SAID);
});

const NO_NAMES = ['none', '../config', 'bank\u001b[2J', '', 'constructor', 'x'.repeat(1000)];
it.each(NO_NAMES)('is not found by %j', (name) => {
  const find = (): unknown => saved(name);
  expect(find).toThrow(/is saved\. Nothing was reconciled[^]*There are: bank, other\./);
  expect(find).toThrow(expect.objectContaining({ exitCode: 2 }));
});

it.each(['Bank', '../x', 'a b', '', '-x', 'x'.repeat(65)])('is kept under no name like %j', (name) => {
  expect(() => requireMapName(READING_SHELF, name)).toThrow(expect.objectContaining({ exitCode: 2 }));
});

const DAMAGED = [
  ...['{', '[]', '{"map":1}', '{"map":"reference"}', '{"map":"reference=a,amount=b","decimal":"both"}'],
];
it.each(DAMAGED)('is damaged as %s', (content) => {
  const path = join(paths.config, 'maps', 'bank.json');
  writeFileSync(path, content);
  expect(() => saved('bank')).toThrow(/is damaged\. Nothing was reconciled\. Save it again, or: rm /);
  expect(() => saved('bank')).toThrow(expect.objectContaining({ exitCode: 16 }));
});

it('is not believed where others could have written it', () => {
  chmodSync(join(paths.config, 'maps', 'other.json'), 0o666);
  expect(() => saved('other')).toThrow(/chmod 600/);
});
