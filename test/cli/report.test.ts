/** The exit code of whatever a command ends with. */
import { expect, it } from 'vitest';
import { exitCodeOf } from '../../src/cli/report.js';
import { Failure } from '../../src/runtime/failure.js';
import { Stopped } from '../../src/runtime/ports.js';
import { ReaderGone } from '../../src/runtime/streams.js';

it.each<[string, unknown, number]>([
  ['a failure', new Failure('unsafe', ''), 13],
  ['a signal', new Stopped('SIGINT', 130, null), 130],
  ['a reader that has had all it wanted', new ReaderGone(''), 0],
  ['an error that nobody expected', new TypeError('x'), 1],
  ['what is no error', 'x', 1],
])('%s', (_what, error, code) => {
  expect(exitCodeOf(error)).toBe(code);
});
