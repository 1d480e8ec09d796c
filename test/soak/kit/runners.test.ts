/** No clone contains jest, so only `npm run safety -- kit` installs and tests it. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../house/source.js';
import { blocksOf, pageOf } from '../../support/readme.js';
import { packedProject, type Project } from '../../sandbox/testing/project.js';

const SOAK = process.env['SOAK'] !== undefined;
const ROUNDS = SOAK ? 20 : 1;
const LIMIT = { timeout: 600_000 };
const FILES = ['one', 'two'];
const JEST = 'jest@30.5.2';
const EQUAL = 'const equal = (one, other) => expect(one).toBe(other);\n';

let project: Project;
beforeAll(() => {
  project = packedProject();
});
afterAll(() => project.remove());

async function rounds(
  round: () => Promise<{ readonly code: number | null; readonly said: string }>,
  passed: RegExp,
) {
  for (let count = 0; count < ROUNDS; count += 1) {
    const { code, said } = await round();
    expect(code, said).toBe(0);
    expect(said).toMatch(passed);
  }
}

const PAGE = blocksOf('js', pageOf('docs/testing.md')).join('');
const ALL = PAGE.match(/^test\(/gm)!.length * FILES.length;

function shopFile(head: string): string {
  const file = PAGE.replaceAll(/^import .*\n/gm, '');
  const begins = /^const sandbox = await (.*);$/m;
  expect(file).toMatch(begins);
  return head + file.replace(begins, 'let sandbox;\nbefore(async () => void (sandbox = await $1));');
}

async function node(...args: string[]) {
  const { code, stdout, stderr } = await project.node(...args);
  return { code, said: stdout + stderr };
}

describe('the tests of the page', () => {
  it('in node:test', LIMIT, async () => {
    for (const name of FILES) project.put(`${name}.test.mjs`, PAGE);
    await rounds(
      () => node('--test', ...FILES.map((name) => `${name}.test.mjs`)),
      new RegExp(`pass ${String(ALL)}\\n`),
    );
  });

  it('in vitest', LIMIT, async () => {
    const index = JSON.stringify(join(ROOT, 'node_modules/vitest/dist/index.js'));
    const head = `import { afterAll as after, beforeAll as before, beforeEach, expect, test } from ${index}; import { startSandbox } from '@svc-cli/svc/testing'; ${EQUAL}`;
    for (const name of FILES) project.put(`${name}.spec.mjs`, shopFile(head));
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const passed = new RegExp(`${String(ALL)} passed`);
    await rounds(() => node(vitest, 'run', 'spec', '--root', project.folder, '--no-color'), passed);
  });

  it.runIf(SOAK)('in jest, as CommonJS', LIMIT, async () => {
    const install = ['install', '--no-audit', '--no-fund', '--save-dev', JEST];
    const { status, stderr } = spawnSync('npm', install, { cwd: project.folder, encoding: 'utf8' });
    expect(status, `${JEST} could not be installed: ${stderr}`).toBe(0);
    const head = `const { startSandbox } = require('@svc-cli/svc/testing'); const [before, after] = [beforeAll, afterAll]; ${EQUAL}`;
    for (const name of FILES) project.put(`${name}.case.cjs`, shopFile(head));
    const jest = join(project.folder, 'node_modules/jest/bin/jest.js');
    const asked = ['--rootDir', project.folder, '--testMatch', '**/*.case.cjs'];
    await rounds(() => node(jest, ...asked), new RegExp(`Tests: +${String(ALL)} passed`));
  });

  const hasPytest = spawnSync('python3', ['-m', 'pytest', '--version'], { stdio: 'ignore' }).status === 0;
  if (!hasPytest) process.stderr.write('No pytest here: svc sandbox exec is not tried with it.\n');

  it.skipIf(!hasPytest)('in pytest, beside two sandboxes', LIMIT, async () => {
    const from = join(import.meta.dirname, 'projects');
    for (const name of readdirSync(from).filter((file) => file.endsWith('.py')))
      project.put(name, readFileSync(join(from, name), 'utf8'));
    const svc = join(project.folder, 'node_modules/.bin/svc');
    const beside = async (file: string, ...flags: string[]) => {
      const pytest = '-- python3 -m pytest -q -p no:cacheprovider'.split(' ');
      const { code, stdout, stderr } = await project.run(svc, 'sandbox', 'exec', ...flags, ...pytest, file);
      return { code, said: stdout + stderr };
    };
    const both = async () => {
      const bank = beside('test_bank.py', '--settle-after', '172800');
      const ended = await Promise.all([beside('test_webhooks.py'), bank]);
      const code = Math.max(...ended.map((one) => one.code ?? 1));
      return { code, said: ended.map(({ said }) => said).join('\n') };
    };
    await rounds(both, /7 passed[^]*2 passed/);
  });
});
