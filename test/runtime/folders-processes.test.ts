import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundle, run } from '../sandbox/store/program.js';
import { testFolder } from '../support/test-folder.js';

const PROGRAM = `
const [root] = process.argv.slice(2);
for (let tree = 0; tree < 400; tree += 1) makeFolders(root + '/' + tree + '/of/several/names');
writeSync(1, 'made\\n');
`;
const PRELUDE = `
import { writeSync } from 'node:fs';
import { makeFolders } from './src/runtime/folders.js';
`;

const folder = testFolder();

it('finds a folder made that another svc made in between', async () => {
  const program = await bundle(folder, PROGRAM, PRELUDE);
  const runs = await Promise.all(Array.from({ length: 4 }, () => run(program, join(folder, 'trees'))));
  expect(runs.map(({ stdout }) => stdout)).toEqual(Array(4).fill('made\n'));
});
