import { appendFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Problems } from '../../../src/runtime/problems.js';
import { fileTextOf } from '../../../src/batches/file/source.js';
import { openFileSource } from '../../../src/sheet/file-source.js';
import { testFolder } from '../../support/test-folder.js';

const folder = testFolder();
const path = join(folder, 'pay.csv');

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
