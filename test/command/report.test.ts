import { expect, it } from 'vitest';
import { exitCodeOf, report } from '../../src/command/report.js';
import { Failure, toFailure } from '../../src/runtime/failure.js';
import { noteSending, type Ports, Stopped } from '../../src/runtime/ports.js';
import { ReaderGone } from '../../src/runtime/streams.js';

it.each<[string, unknown, number]>([
  ['a failure', new Failure('unsafe', ''), 13],
  ['a signal', new Stopped('SIGINT', 130, null), 130],
  ['a reader that has had all it wanted', new ReaderGone(''), 0],
  ['an error that nobody expected', new TypeError('x'), 1],
  ['what is no error', 'x', 1],
])('%s', (_what, error, code) => expect(exitCodeOf(error)).toBe(code));

const lacking = (message: string): Error => new Error(message);

it.each([
  ["EMFILE: too many open files, open '/x/feed.db'", 'may open no more files'],
  ['spawn EMFILE', 'may open no more files'],
  ["ENFILE: file table overflow, scandir '/x'", 'may open no more files'],
  ['Worker initialization failure: EMFILE', 'may open no more files'],
  ['spawn /bin/sh EAGAIN', 'starts no more processes'],
  ['spawn ENOMEM', 'has no memory left'],
  ['ENOSPC: no space left on device, write', 'The disk is full'],
  ["EDQUOT: disk quota exceeded, mkdir '/x'", 'The disk is full'],
  ['EIO: i/o error, fsync', 'The disk reports an error'],
])('%s is what the machine lacks, and no defect', async (message, text) => {
  expect(exitCodeOf(lacking(message))).toBe(16);
  const { error } = JSON.parse(await told(lacking(message), [])) as { error: Record<string, unknown> };
  expect(error).toMatchObject({ code: 'local_state', exit_code: 16, outcome: 'not_sent' });
  expect(error['message']).toBe(`${String(error['message']).split(' (')[0] ?? ''} (${message}).`);
  expect(error['message']).toContain(text);
  const run = new AbortController();
  noteSending(run);
  expect(await told(lacking(message), [], false, run.signal)).toContain('"outcome":"unknown"');
});

it.each(['read EAGAIN', 'TIMEFILE is wrong', 'x'])('%s is a defect', (message) => {
  expect(exitCodeOf(lacking(message))).toBe(1);
});

async function told(
  error: unknown,
  argv = ['--output', 'table'],
  isTTY = false,
  signal = new AbortController().signal,
): Promise<string> {
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
  const ports: Pick<Ports, 'env' | 'errors' | 'output' | 'redact' | 'mapStack' | 'signal'> = {
    signal,
    ...{ env: { NO_COLOR: '1' }, errors: stream, output: { ...stream, isTTY: false }, redact },
    mapStack: (stack) => stack,
  };
  await report(error, argv, ports as Ports);
  return text;
}

it('a defect has its stack; a damaged part of the program is no defect, and has none', async () => {
  const defect = /^TypeError: x\n +at [^]*\nError: This is a defect in svc: x\n/;
  expect(await told(new TypeError('x'))).toMatch(defect);
  const damaged = Object.assign(new Error('svc is damaged. Install it again.'), { name: 'Damaged' });
  for (const error of [damaged, toFailure(damaged)]) {
    const text = await told(error);
    expect(text).toMatch(/^Error: svc is damaged\. Install it again\.\n/);
    expect(text).not.toMatch(/defect|\n +at /);
  }
});

it.each(['--json', '--jq .id', '-o ndjson', ''])(
  'a person reads words with %s; a script has JSON',
  async (typed) => {
    const argv = typed.split(' ').filter(Boolean);
    const error = new Failure('usage', 'Give a file.');
    expect(await told(error, argv, true)).toBe('Error: Give a file.\nNothing was sent.\n');
    const said = { code: 'usage', message: 'Give a file.', exit_code: 2 };
    expect(JSON.parse(await told(error, argv))).toMatchObject({ error: said });
  },
);
