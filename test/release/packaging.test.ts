import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { VERSION } from '../../src/runtime/version.js';
import { ROOT } from '../house/source.js';

const FOLDER = join(ROOT, 'packaging');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

it('holds what is known here', () => {
  expect(readdirSync(FOLDER).sort()).toEqual([
    ...['Dockerfile', 'ci-other-platforms.yml', 'install.sh', 'licences', 'svc.rb'],
  ]);
});

it.each(['Dockerfile', 'svc.rb', 'ci-other-platforms.yml'])('%s says first that it was not run', (name) => {
  expect(read(name).split('\n')[0]).toMatch(/^# Written, and not (run|built) here/);
});

it.each(['Dockerfile', 'svc.rb', 'install.sh'])('%s names the version of the package alone', (name) => {
  const named = read(name)
    .replaceAll('127.0.0.1', '')
    .matchAll(/\b\d+\.\d+\.\d+\b/g);
  expect(new Set([...named].map(([text]) => text))).toEqual(new Set([VERSION]));
});

it('the Node of the other platforms is the one whose licence is here', () => {
  const [, node = ''] = /node-version: (\S+)/.exec(read('ci-other-platforms.yml')) ?? [];
  expect(readdirSync(join(FOLDER, 'licences'))).toEqual([`node-${node}.txt`]);
});

it('the formula installs what the archive holds', () => {
  for (const path of [
    '"svc"',
    '"man/man1/*.1"',
    '"completions/svc.bash"',
    '"completions/_svc"',
    '"completions/svc.fish"',
  ])
    expect(read('svc.rb')).toContain(path);
});
