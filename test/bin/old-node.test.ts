import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../house/source.js';
import { makeProject } from './project.js';
import { packedProject } from '../sandbox/testing/project.js';

const FOLDERS = ['/usr/local/bin', '/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)];

const old = FOLDERS.map((folder) => {
  const path = join(folder, 'node');
  const { stdout } = spawnSync(path, ['-e', 'process.stdout.write(process.versions.node)'], {
    encoding: 'utf8',
  });
  return { path, version: stdout };
}).find(({ version }) => /^(1\d|20|21)\.|^22\.1?\d\./.test(version));

describe.skipIf(old === undefined)('on an old Node (skipped where there is none)', () => {
  it('the build says in one line what it needs, and builds nothing', () => {
    const argv = [join(ROOT, 'scripts/build.js'), '--if-stale'];
    const { status, stdout, stderr } = spawnSync(old?.path ?? '', argv, {
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(
      /^The build needs Node [\d.]+ or newer, and this is [\d.]+\. Use "npm run build".*\n$/,
    );
  });

  it('an installed package says in one line what it needs, and has brought no Node along', () => {
    const project = packedProject();
    onTestFinished(() => project.remove());
    const { folder } = project;
    const found = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
    expect(found).toEqual(['@svc-cli']);
    expect(readdirSync(join(folder, 'node_modules/@svc-cli'))).toEqual(['svc']);

    const started = spawnSync(old!.path, [join(folder, 'node_modules/.bin/svc'), '--version'], {
      encoding: 'utf8',
    });
    expect(started).toMatchObject({ status: 1, stdout: '' });
    expect(started.stderr).toMatch(/^svc needs Node 22\.20 or newer, .+\. Install a newer Node, .+\.\n$/);
    expect(started.stderr).toContain(`and this is ${old!.version} (`);
  });

  it('a clone goes on with the Node that it brought along', () => {
    const project = makeProject("console.log(process.version + ' ' + process.argv.slice(2));");
    const started = spawnSync(old!.path, [join(project.folder, 'bin/run.js'), 'a'], { encoding: 'utf8' });
    expect(started).toMatchObject({ status: 0, stdout: `${process.version} a\n`, stderr: '' });
  });
});
