import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { runProgram, shellCode } from '../../src/runtime/child.js';
import { isRunning } from '../support/program.js';
import '../support/starting.js';
import { testFolder } from '../support/test-folder.js';

let folder: string;
beforeEach(() => (folder = testFolder()));

const started = (script: string, kill?: AbortSignal) => {
  const printed: Uint8Array[] = [];
  const ended = runProgram(['sh', '-c', script], {
    env: { PATH: process.env['PATH'], AT: folder },
    signal: new AbortController().signal,
    ...(kill === undefined ? {} : { kill }),
    onOutput: (chunk) => printed.push(chunk),
  });
  return { ended, printed: () => Buffer.concat(printed).toString() };
};

it('has what was printed on either stream, to the last byte, and an empty input', async () => {
  const { ended, printed } = started('cat; head -c 3000000 /dev/zero | tr "\\0" a; echo end >&2; exit 3');
  expect(shellCode(await ended)).toBe(3);
  expect([printed().length, printed().endsWith('a'), printed().includes('end\n')]).toEqual([
    3_000_004,
    expect.any(Boolean),
    true,
  ]);
});

it('kills what listens to no signal, and its children', async () => {
  const kill = new AbortController();
  const stubborn =
    'trap "" TERM INT HUP; (trap "" TERM; while :; do sleep 0.05; done) & echo $! > "$AT/child"';
  const { ended } = started(`${stubborn}; echo > "$AT/ready"; while :; do sleep 0.05; done`, kill.signal);
  await expect.poll(() => existsSync(join(folder, 'ready'))).toBe(true);
  kill.abort();
  expect(shellCode(await ended)).toBe(137);
  const child = readFileSync(join(folder, 'child'), 'utf8').trim();
  await expect.poll(() => isRunning(child)).toBe(false);
});

it('does not wait for one that left the group and holds the streams', async () => {
  const { ended, printed } = started(
    'setsid sh -c \'echo $$ > "$AT/left"; sleep 60\' & echo begun; while ! test -s "$AT/left"; do sleep 0.05; done',
  );
  expect(shellCode(await ended)).toBe(0);
  expect(printed()).toBe('begun\n');
  process.kill(Number(readFileSync(join(folder, 'left'), 'utf8')), 'SIGKILL');
});
