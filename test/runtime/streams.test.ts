import { Readable, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { inputOf, outputOf, ReaderGone } from '../../src/runtime/streams.js';

it.each([
  [undefined, 80],
  [0, 80],
  [60, 60],
])('of %s columns is %i', (columns, width) => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  expect(outputOf(Object.assign(stream, columns === undefined ? {} : { columns })).columns).toBe(width);
});

const failing = (code: string): Writable =>
  new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('raw'), { code })) });

it('a reader that went away is no error of the disk, for the write that met it and every later one', async () => {
  const output = outputOf(failing('EPIPE'));
  await expect(output.write('one')).rejects.toBeInstanceOf(ReaderGone);
  await expect(output.write('two')).rejects.toBeInstanceOf(ReaderGone);
});

it('a disk that is full is one', async () => {
  await expect(outputOf(failing('ENOSPC')).write('one')).rejects.toMatchObject({ kind: 'local_state' });
});

it.each([
  ['as long as may be', ['ab', 'cd'], 4, 'abcd'],
  ['longer', ['ab', 'cde'], 4, null],
])('an input that is %s', async (_what, chunks, most, text) => {
  const input = inputOf(() => Readable.from(chunks.map((chunk) => Buffer.from(chunk))), false);
  const read = input.readAll(most);
  if (text === null) await expect(read).rejects.toMatchObject({ kind: 'usage' });
  else expect((await read).toString()).toBe(text);
});
