import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { threadStarter, type Thread } from '../../src/runtime/thread.js';
import { bundle, run } from '../sandbox/store/program.js';
import { testFolder } from '../support/test-folder.js';

const folder = testFolder();

const SOURCE = `
import { answerQuestions } from './src/runtime/thread.js';
import { DatabaseUnusable } from './src/runtime/database-unusable.js';
answerQuestions((data) => {
  if (data === 'unfit') throw new DatabaseUnusable('damaged', { name: 'store' }, 'a.db');
  return {
  answer: (question) => {
    if (question === 'full') throw new DatabaseUnusable('full', { name: 'store' }, 'a.db');
    if (question === 'defect') throw new TypeError('a defect');
    if (question === 'die') process.exit(3);
    if (question === 'slow') for (const end = Date.now() + 100; Date.now() < end; );
    return [data, question];
  },
  close: () => undefined,
};});`;

let source = '';
beforeAll(async () => {
  source = await bundle(folder, SOURCE, '');
});

const start = (): Thread => threadStarter({ source, isCode: false })('echo', 'given');

it('answers in the order asked', async () => {
  const thread = start();
  const answers = await Promise.all([1, 2, 3].map((question) => thread.ask(question)));
  expect(answers).toEqual([
    ['given', 1],
    ['given', 2],
    ['given', 3],
  ]);
  await thread.end();
});

it('throws a failure as one, and goes on', async () => {
  const thread = start();
  await expect(thread.ask('full')).rejects.toMatchObject({
    kind: 'local_state',
    exitCode: 16,
    message: expect.stringContaining('the disk is full') as string,
    facts: { code: 'store_unusable', outcome: 'not_sent' },
  });
  await expect(thread.ask('defect')).rejects.toThrow('a defect');
  await expect(thread.ask(1)).resolves.toEqual(['given', 1]);
  await thread.end();
});

it('turns everybody away once it is gone', async () => {
  const thread = start();
  const asked = [thread.ask('die'), thread.ask(2)];
  const ends = await Promise.allSettled(asked);
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(thread.ask(3)).rejects.toThrow('ended');
  await thread.end();
});

it('is waited for to its end, whatever it still answers', async () => {
  const program = `
import { threadStarter } from './src/runtime/thread.js';
const thread = threadStarter({ source: ${JSON.stringify(source)}, isCode: false })('echo', 1);
thread.ask('slow').then(() => console.log('answered'));
await thread.end();
console.log('ended');`;
  const { stdout } = await run(await bundle(testFolder(), program, ''));
  expect(stdout).toBe('answered\nended\n');
});

it('answers with the reason where it cannot begin', async () => {
  const thread = threadStarter({ source, isCode: false })('echo', 'unfit');
  for (const question of [1, 2]) {
    await expect(thread.ask(question)).rejects.toMatchObject({ kind: 'local_state', exitCode: 16 });
  }
  await thread.end();
});

it('says that a file is missing', async () => {
  const thread = threadStarter({ source: join(folder, 'nobody.mjs'), isCode: false })('nobody', null);
  await expect(thread.ask(1)).rejects.toThrow();
});
