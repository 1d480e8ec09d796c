import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { readStatement } from '../../../src/reconcile/file/statement.js';
import type { FileSource } from '../../../src/sheet/file-source.js';
import { UTC } from '../../../src/runtime/clock.js';
import { NOTHING_SAID } from './reading.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function endless(): { source: FileSource; asked: () => number } {
  let asked = 0;
  const rows = 1000;
  const bytes = async function* (): AsyncGenerator<Uint8Array, void, void> {
    yield Buffer.from('reference,amount,date\n');
    for (;;) {
      await Promise.resolve();
      asked += 1;
      yield Buffer.from(
        Array.from({ length: rows }, (_, at) => `P-${asked}-${at},1.50,2026-11-22\n`).join(''),
      );
    }
  };
  const source: FileSource = {
    ...{ name: 'endless.csv', undone: 'Nothing was reconciled.', isRepeatable: false, fd: null, bytes },
    requireUnchanged: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  return { source, asked: () => asked };
}

it('takes from the file what is taken from it, and no more', async () => {
  const { source, asked } = endless();
  const { lines } = await readStatement(source, NOTHING_SAID, { zone: UTC });
  const ahead = asked();
  expect(ahead).toBeLessThan(60);
  let taken = 0;
  for await (const _line of lines) {
    taken += 1;
    if (taken % 1000 === 0) expect(asked()).toBeLessThanOrEqual(Math.max(ahead, taken / 1000 + 1));
    if (taken === 200_000) break;
  }
  expect(asked()).toBeLessThan(205);
});

it('keeps nothing of lines that are nothing', async () => {
  let asked = 0;
  let heapAtEnd = Infinity;
  const bytes = async function* (): AsyncGenerator<Uint8Array, void, void> {
    yield Buffer.from('reference,amount\nP-1,1.00\n');
    for (; asked < 2000; asked += 1) {
      await Promise.resolve();
      yield Buffer.from(asked < 1000 ? '\n,,\nreference,amount\n' : 'x'.repeat(60_000));
    }
    heapAtEnd = heapUsed();
    yield Buffer.from('\nP-2,2.00\n');
  };
  const { source } = endless();
  const statement = await readStatement({ ...source, bytes }, NOTHING_SAID, { zone: UTC });
  const heapBefore = heapUsed();
  const reading = (async () => {
    for await (const _line of statement.lines) expect(_line.amount).toMatch(/^[12]$/);
  })();
  await expect(reading).rejects.toMatchObject({
    exitCode: 14,
    message: expect.stringMatching(/line 3003: is longer than 131072 characters$/) as string,
  });
  expect(heapAtEnd - heapBefore).toBeLessThan(10 * 1024 * 1024);
});
