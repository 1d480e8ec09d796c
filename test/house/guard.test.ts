import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from './source.js';

const WORKER = `
  const { spawn, once } = { ...require('node:child_process'), ...require('node:events') };
  (async () => {
    await once(spawn('true'), 'exit');
    const script = 'sleep 1000 & echo $$ $!; wait';
    for (const detached of [false, true])
      spawn('sh', ['-c', script], { detached, stdio: ['ignore', 'inherit', 'ignore'] });
    setImmediate(() => console.log('told'));
    setInterval(() => {}, 1000);
  })();`;

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function start(): Promise<{ worker: ChildProcess; pids: number[] }> {
  const guard = join(ROOT, 'test/support/guard.ts');
  const worker = fork('-e', [WORKER], {
    execArgv: ['--no-warnings', '--import', guard],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  let text = '';
  worker.stdout?.on('data', (chunk) => (text += String(chunk)));
  const words = () => text.match(/\S+/g) ?? [];
  await expect.poll(() => words().length, { timeout: 40_000 }).toBe(5);
  const pids = words().flatMap((word) => (word === 'told' ? [] : [Number(word)]));
  return { worker, pids };
}

it.each([
  ['is killed', (worker: ChildProcess) => void worker.kill('SIGKILL')],
  ['loses the process that started it', (worker: ChildProcess) => worker.disconnect()],
])('ends every process of a test that %s', async (_how, end) => {
  const { worker, pids } = await start();
  expect(pids.filter(isThere)).toEqual(pids);
  const ended = once(worker, 'exit');
  end(worker);
  await ended;
  await expect.poll(() => pids.filter(isThere), { timeout: 40_000 }).toEqual([]);
});
