import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { shell, type Ended } from '../support/program.js';
import { blocksOf, linesOf } from '../support/readme.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-examples '));
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const page = (name: string): string => readFileSync(join(ROOT, 'examples', name, 'README.md'), 'utf8');

function typed(name: string): Promise<Ended> {
  const lines = blocksOf('sh', page(name)).flatMap(linesOf);
  expect(lines.length).toBeGreaterThan(0);
  const { stdout } = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', `examples/${name}`],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  );
  const files = stdout.split('\0').filter(Boolean);
  for (const file of files) cpSync(join(ROOT, file), join(folder, file));
  const path = `export PATH="${dirname(process.execPath)}:$PATH" npm_config_offline=true npm_config_audit=false`;
  return shell(`${path}; set -e; cd '${join(folder, 'examples', name)}'; ${lines.join('\n')}`, folder);
}

it('Node: installed, and its tests pass', async () => {
  const { code, stdout, stderr } = await typed('node');
  expect(code, stdout + stderr).toBe(0);
  expect(stdout).toMatch(/pass 8\b[^]*fail 0\b/);
});

const python = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']);
if (python.status !== 0) process.stderr.write('No Python 3.8 here: examples/python is not tried.\n');

it.skipIf(python.status !== 0)(
  'Python: its tests pass beside a sandbox of their own, and in an exam',
  { timeout: 240_000 },
  async () => {
    const { code, stdout, stderr } = await typed('python');
    expect(code, stdout + stderr).toBe(0);
    expect(stderr).toMatch(/Ran 8 tests[^]*OK/);
    expect(JSON.parse(stdout)).toMatchObject({ exam: 'client', passed: true });
  },
);

it('there is no example that nothing runs', () => {
  expect(readdirSync(join(ROOT, 'examples')).sort()).toEqual(['node', 'python']);
});
