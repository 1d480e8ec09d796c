import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../house/source.js';
import { environment } from '../support/program.js';
import { pageOf, blocksOf, linesOf, machine } from '../support/readme.js';

const PAGE = pageOf('docs/testing.md');

function only(language: string): string {
  const blocks = blocksOf(language, PAGE);
  expect(blocks).toHaveLength(1);
  return blocks[0]!;
}

function isHere(command: string, ...args: string[]): boolean {
  const { status } = spawnSync(command, args, { stdio: 'ignore', timeout: 20_000 });
  if (status !== 0) process.stderr.write(`No ${command} here: its part of docs/testing.md is not tried.\n`);
  return status === 0;
}

it('holds no block of a language that nothing here runs', () => {
  const languages = [...PAGE.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
  expect([...new Set(languages)]).toEqual(['js', 'sh', 'python', 'java', 'go']);
});

it('the tests in JavaScript pass', async () => {
  const at = machine();
  const text = blocksOf('js', PAGE).join('');
  at.put('transfer.test.mjs', text);
  mkdirSync(join(at.home, 'node_modules/@svc-cli'), { recursive: true });
  symlinkSync(ROOT, join(at.home, 'node_modules/@svc-cli/svc'));
  const { code, stdout } = await at.paste('node --test transfer.test.mjs');
  expect(code, stdout).toBe(0);
  const tests = text.match(/^test\(/gm) ?? [];
  expect(tests.length).toBeGreaterThan(10);
  expect(stdout).toContain(`pass ${String(tests.length)}\n`);
});

it('names everything that a sandbox has, and nothing else', () => {
  const types = readFileSync(join(ROOT, 'src/sandbox/testing/types.ts'), 'utf8');
  const [, body = ''] = /export interface TestSandbox .*?\{([^]*?)^\}/m.exec(types) ?? [];
  const members = [...body.matchAll(/^ {2}(?:readonly )?(\w+)[(:]/gm)].map(([, name]) => name!);
  expect(members.length).toBeGreaterThan(10);
  const table = /\| of a sandbox[^]*?\n\n/.exec(PAGE)![0];
  const named = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/(?<=`)[a-z]\w*(?=[`(])/gi)].map(([name]) => name),
  );
  const ofReceiver = ['next', 'events', 'rejected', 'url', 'twice', 'slow', 'cut'];
  expect([...new Set(named)].filter((name) => !ofReceiver.includes(name)).sort()).toEqual(members.sort());
});

it.each(linesOf(only('sh')))('%s', async (line) => {
  const { code, stdout, stderr } = await machine().paste(line);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toHaveProperty('balances');
});

it.skipIf(!isHere('python3', '--version'))('the test in Python passes', async () => {
  const at = machine();
  at.put('test_payins.py', only('python'));
  const pytest = isHere('python3', '-m', 'pytest', '--version');
  const command = pytest
    ? 'python3 -m pytest -q -p no:cacheprovider'
    : `python3 -c 'import test_payins as t; [f() for n, f in vars(t).items() if n.startswith("test_")]'`;
  const { code, stdout, stderr } = await at.paste(`svc sandbox exec -- ${command}`);
  expect(code, stdout + stderr).toBe(0);
});

it.skipIf(!isHere('javac', '-version'))('the test in Java passes, with a stand-in for JUnit', async () => {
  const at = machine();
  at.put('BalancesTest.java', only('java'));
  at.put('org/junit/jupiter/api/Test.java', 'package org.junit.jupiter.api;\npublic @interface Test {}\n');
  at.put(
    'org/junit/jupiter/api/Assertions.java',
    'package org.junit.jupiter.api;\npublic class Assertions {\n' +
      '  public static void assertEquals(int a, int b) { if (a != b) throw new AssertionError(a + " is not " + b); }\n}\n',
  );
  at.put(
    'Main.java',
    'class Main { public static void main(String[] a) throws Exception { new BalancesTest().theKeyIsGood(); } }\n',
  );
  const { code, stderr } = await at.paste('javac *.java && svc sandbox exec -- java -cp . Main');
  expect(code, stderr).toBe(0);
});

it.skipIf(!isHere('go', 'version'))('the test in Go passes', async () => {
  const at = machine();
  at.put('shop_test.go', only('go'));
  at.put('go.mod', 'module shop\n');
  const { code, stdout } = await at.paste('svc sandbox exec -- go test ./...');
  expect(code, stdout).toBe(0);
});

it('leads somewhere', () => {
  const links = [...PAGE.matchAll(/\]\((\.\.\/[^)]+)\)/g)].map(([, path = '']) => path);
  for (const path of links)
    expect(
      spawnSync('test', ['-e', join(ROOT, dirname('docs/x'), path)], { env: environment(ROOT) }).status,
    ).toBe(0);
});
