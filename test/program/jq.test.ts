import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { COMMAND, endOf, environment } from '../support/program.js';
import { testFolder } from '../support/test-folder.js';

const home = testFolder();

function run(words: readonly string[], signal?: NodeJS.Signals) {
  const [file, ...args] = [...COMMAND, ...words];
  const child = spawn(file, args, { env: environment(home), stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = signal === undefined ? undefined : setTimeout(() => child.kill(signal), 2000);
  return endOf(child).finally(() => clearTimeout(timer));
}

it.each([
  ['SIGINT', 130, 'methods', 'def f: f; f'],
  ['SIGTERM', 143, 'capabilities', 'last(range(1e15))'],
  ['SIGHUP', 129, 'balances', '[limit(1e15; repeat(1)) | select(. > 1)]'],
  ['SIGINT', 130, 'schema --commands', 'until(false; .)'],
] as const)('%s ends with %d %s --jq %s', async (signal, exitCode, line, filter) => {
  const { code, stdout, stderr } = await run([...line.split(' '), '--jq', filter], signal);
  expect([code, stdout], stderr).toEqual([exitCode, '']);
  const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as { error: { code: string } };
  expect(error.code).toBe('stopped');
});

it.each(['def f: 1 + f; f', 'def f: [f]; f', '. as $x | [range(1e12)]', 'range(1e12)'])(
  'too much is said: %s',
  async (filter) => {
    const { code, stdout, stderr } = await run(['methods', '--jq', filter]);
    expect([code, stdout], stderr).toEqual([1, '']);
    expect(stderr.trim().split('\n')).toHaveLength(2);
    expect(stderr).toMatch(
      /"jq_failed","message":"[^"]*--jq (needs too much memory for it|cannot filter it: [^"]*)\./,
    );
  },
);

it('filters as before', async () => {
  const { code, stdout } = await run(['methods', '--jq', '.methods | length']);
  expect([code, Number(stdout) > 5]).toEqual([0, true]);
  expect((await run(['methods', '--jq', '.methods['])).code).toBe(2);
  expect((await run(['methods', '--jq', 'error("x")'])).code).toBe(1);
});
