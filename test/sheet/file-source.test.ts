import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { openSource } from '../../src/sheet/file-source.js';
import { readStatement } from '../../src/reconcile/file/statement.js';
import { UTC } from '../../src/runtime/clock.js';
import { inputOf } from '../../src/runtime/streams.js';
import { NOTHING_SAID } from '../reconcile/file/reading.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder();
const path = join(folder, 'bank.csv');
const HEADER = 'reference,amount\n';
const LINES = 40_000;

async function count(
  from: string,
  stdin = '',
  onLine: (count: number) => void = () => undefined,
): Promise<number> {
  const source = await openSource(
    from,
    inputOf(() => Readable.from([Buffer.from(stdin)]), false),
    'Nothing was reconciled.',
  );
  try {
    const { lines } = await readStatement(source, NOTHING_SAID, { zone: UTC });
    let taken = 0;
    for await (const _line of lines) onLine((taken += 1));
    return taken;
  } finally {
    await source.close();
  }
}

describe('a statement comes', () => {
  it('out of a file', async () => {
    writeFileSync(path, HEADER + 'P,1.00\n'.repeat(LINES));
    expect(await count(path)).toBe(LINES);
  });

  it('on standard input', async () => expect(await count('-', `${HEADER}P,1.00\nQ,2.00`)).toBe(2));

  it('out of a pipe that has a name', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writing = count(pipe);
    writeFileSync(pipe, `${HEADER}P,1.00\n`);
    expect(await writing).toBe(1);
  });

  it.each<[string, () => void]>([
    ['grows', () => appendFileSync(path, 'Q,1.00\n')],
    ['shrinks', () => truncateSync(path, HEADER.length + 7 * (LINES / 2))],
  ])('and is refused where its file %s meanwhile', async (_how, change) => {
    writeFileSync(path, HEADER + 'P,1.00\n'.repeat(LINES));
    const reading = count(path, '', (taken) => {
      if (taken === 1) change();
    });
    await expect(reading).rejects.toMatchObject({
      exitCode: 14,
      message: expect.stringContaining('changed while it was read. Nothing was reconciled') as string,
    });
  });

  it.each([
    ['is not there', join(folder, 'none.csv'), `There is no file ${join(folder, 'none.csv')}`],
    ['is a folder', folder, `${folder} is a folder: give a file`],
  ])('and not where it %s', async (_how, from, what) => {
    mkdirSync(folder, { recursive: true });
    await expect(count(from)).rejects.toMatchObject({
      exitCode: 14,
      message: `${what}. Nothing was reconciled.`,
    });
  });
});
