import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../../house/source.js';
import { endOf, environment, type Ended } from '../../support/program.js';

export type Project = ReturnType<typeof packedProject>;

export function packedProject() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kit '));
  const npm = (...args: string[]): void => {
    const cwd = args[0] === 'pack' ? ROOT : folder;
    const { status, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8', env: environment(folder) });
    expect(status, stderr).toBe(0);
  };
  npm('pack', '--ignore-scripts', '--pack-destination', folder);
  const put = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  put('package.json', '{"private":true}');
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  npm('install', '--offline', '--no-audit', '--no-fund', `./${tarball}`);
  const run = (program: string, ...args: string[]): Promise<Ended> => {
    const child = spawn(program, args, { cwd: folder, env: environment(folder) });
    child.stdin.end();
    return endOf(child);
  };
  return {
    ...{ folder, put, run },
    node: (...args: string[]) => run(process.execPath, ...args),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
