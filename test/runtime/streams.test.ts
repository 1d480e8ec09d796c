/** The width of a terminal, as it is told or not. */
import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { outputOf } from '../../src/runtime/streams.js';

it.each([
  [undefined, 80],
  [0, 80],
  [60, 60],
])('of %s columns is %i', (columns, width) => {
  const stream = new Writable({ write: (_chunk, _encoding, done) => done() });
  expect(outputOf(Object.assign(stream, columns === undefined ? {} : { columns })).columns).toBe(width);
});
