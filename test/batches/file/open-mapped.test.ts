import { createHash } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { knownColumns } from '../../../src/batches/file/columns.js';
import { openMappedFile } from '../../../src/batches/file/open-mapped.js';
import { rowFlags } from '../../../src/batches/file/open.js';
import { Problems } from '../../../src/runtime/problems.js';
import { openFileSource } from '../../../src/sheet/file-source.js';
import { lookAhead } from '../../../src/sheet/look-ahead.js';
import { CATALOG } from '../../contract/catalog-given.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();
const path = join(folder, 'pay.csv');

it('has the hash of what is read, also where another file takes its name meanwhile', async () => {
  const content = 'reference;amount\nemp-1;1,50\n';
  writeFileSync(path, content);
  const options = { map: null, delimiter: null, decimal: null, encoding: null, sheet: null };
  const said = rowFlags(options, 'payout', knownColumns('payout', CATALOG));
  const source = await openFileSource(path, 'Nothing was sent.');
  const beginning = { ahead: await lookAhead(source, said), brokenAt: null };
  writeFileSync(`${path}.next`, content.replace('1,50', '9,50'));
  renameSync(`${path}.next`, path);
  const file = await openMappedFile(beginning, said, 'payout', CATALOG);
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
