/** The exit code of whatever a command ends with, and what is said of an error that nobody expected. */
import { expect, it } from 'vitest';
import { exitCodeOf, report } from '../../src/cli/report.js';
import { Failure, unexpected } from '../../src/runtime/failure.js';
import { type Ports, Stopped } from '../../src/runtime/ports.js';
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

/** What is written to standard error. */
async function told(error: unknown, argv = ['--output', 'table'], isTTY = false): Promise<string> {
  let text = '';
  const stream = {
    isTTY,
    columns: isTTY ? 80 : 0,
    write: (chunk: string | Uint8Array) => {
      text += String(chunk);
      return Promise.resolve();
    },
    durable: () => Promise.resolve(),
  };
  const redact = Object.assign((said: string) => said, { add: () => undefined });
  const ports: Pick<Ports, 'env' | 'errors' | 'output' | 'redact' | 'mapStack'> = {
    ...{ env: { NO_COLOR: '1' }, errors: stream, output: { ...stream, isTTY: false }, redact },
    mapStack: (stack) => stack,
  };
  await report(error, argv, ports as Ports);
  return text;
}

it('a defect has its stack; a damaged part of the program is no defect, and has none', async () => {
  expect(await told(new TypeError('x'))).toMatch(
    /^TypeError: x\n +at [^]*\nError: This is a defect in svc: x\n/,
  );
  const damaged = Object.assign(new Error('svc is damaged. Install it again.'), { name: 'Damaged' });
  for (const error of [damaged, unexpected(damaged)]) {
    const text = await told(error);
    expect(text).toMatch(/^Error: svc is damaged\. Install it again\.\n/);
    expect(text).not.toMatch(/defect|\n +at /);
  }
});

it.each([['--json'], ['--jq', '.id'], ['-o', 'ndjson'], []])(
  'a person at the terminal of standard error reads words with %s %s; a script has the object',
  async (...argv) => {
    const error = new Failure('usage', 'Give a file.');
    expect(await told(error, argv, true)).toBe('Error: Give a file.\nNothing was sent.\n');
    expect(JSON.parse(await told(error, argv))).toMatchObject({
      error: { code: 'usage', message: 'Give a file.', exit_code: 2 },
    });
  },
);
