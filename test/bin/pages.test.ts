import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMAND_IDS } from '../../src/registry.js';
import { renderPage, type Screen } from '../../src/command/help/layout.js';
import { helpPage } from '../../src/main.js';
import { VERSION } from '../../src/runtime/version.js';
import { ROOT } from '../house/source.js';

interface Built {
  readonly files: object;
  load(chunk: string): unknown;
}

const bin = createRequire(import.meta.url);
const pages = bin('../../bin/pages.js') as {
  answerTo(argv: readonly string[], program: Built, screen?: Screen): string | undefined;
};
const files = bin('../../bin/files.js') as object;
const { openProgram } = bin('../../bin/program.js') as { openProgram(files: object): Pick<Built, 'load'> };
const program: Built = { files, load: openProgram(files).load };
const answerTo = (argv: readonly string[], screen?: Screen): string | undefined =>
  pages.answerTo(argv, program, screen);
const SCREEN: Screen = { isTTY: true, columns: 60, env: {}, noColour: false };
const PIPE: Screen = { ...SCREEN, isTTY: false };
const TOPICS = [...new Set(COMMAND_IDS.map((id) => id.split(' ')[0] ?? id))];

describe('the pages of help', () => {
  it.each(['', 'all', 'flags', ...new Set([...TOPICS, ...COMMAND_IDS])])(
    'are what the program shows: svc %s',
    async (path) => {
      const words = path === '' ? [] : path.split(' ');
      const page = renderPage(await helpPage(path), SCREEN);
      expect(page).toMatch(/\w/);
      expect(answerTo([...words, '--help'], SCREEN)).toBe(page);
      for (const env of [{}, { FORCE_COLOR: '1' }, { NO_COLOR: '1' }]) {
        const pipe = { ...PIPE, env };
        expect(answerTo([...words, '--help'], pipe)).toBe(renderPage(await helpPage(path), pipe));
      }
      expect(answerTo([...words, '-h'], SCREEN)).toBe(page);
      expect(answerTo(['help', ...words], SCREEN)).toBe(page);
    },
  );

  it.each([
    [[]],
    [['payins']],
    [['payin', '--help']],
    [['payins', 'nothing', '--help']],
    [['payins', 'create', '--help', '--json']],
    [['--json', 'payins', '--help']],
    [['..', '--help']],
    [['payins.create', '--help']],
    [['constructor', '--help']],
    [['svc_test_abc', '--help']],
  ])('are left to the program where it has to look: %j', (argv) => expect(answerTo(argv)).toBeUndefined());
});

it('the version is the one of the program', () => {
  expect(answerTo(['--version'])).toBe(`svc ${VERSION}\n`);
  expect(answerTo(['--version', '--json'])).toBeUndefined();
});

it('a reader that goes away is no error', () => {
  const script = `"${process.execPath}" bin/run.js --help | true; exit "\${PIPESTATUS[0]}"`;
  const { status, stderr } = spawnSync('bash', ['-c', script], { cwd: ROOT, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it('a start prints them', () => {
  const svc = (...args: string[]) =>
    spawnSync(process.execPath, [join(ROOT, 'bin/run.js'), ...args], { encoding: 'utf8' });
  expect(svc('--version')).toMatchObject({ status: 0, stdout: `svc ${VERSION}\n`, stderr: '' });
  expect(svc('payins', 'create', '--help')).toMatchObject({
    ...{ status: 0, stdout: answerTo(['payins', 'create', '--help'], PIPE), stderr: '' },
  });
});
