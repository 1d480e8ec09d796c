import { expect, it } from 'vitest';

const child = process.getBuiltinModule('node:child_process');
const { createServer } = process.getBuiltinModule('node:net');
const { Worker } = process.getBuiltinModule('node:worker_threads');

it.runIf(process.env['TIER'] === 'quick').each([
  ['a program', () => child.spawn('true')],
  ['a program that is waited for', () => child.execFileSync('true')],
  ['a shell', () => child.exec('true')],
  ['a server', () => createServer().listen(0)],
  ['a thread', () => new Worker('', { eval: true })],
])('%s', (_what, start) => expect(start).toThrow('test/support/starting.ts'));
