import { ESLint } from 'eslint';
import { beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './source.js';

const eslint = new ESLint({ cwd: ROOT });
/** Rules about words need no types. ESLint would make the types anew for every text. */
const ofWords = new ESLint({
  cwd: ROOT,
  ruleFilter: ({ ruleId }) => ruleId.startsWith('no-restricted-'),
  overrideConfig: [{ languageOptions: { parserOptions: { projectService: false, project: null } } }],
});

async function complaints(
  text: string,
  filePath = 'src/contract/money.ts',
  linter = eslint,
): Promise<string[]> {
  const results = await linter.lintText(text, { filePath });
  return results.flatMap((result) =>
    result.messages.map((found) => `${found.ruleId ?? 'syntax'}: ${found.message}`),
  );
}

/** The first text loads the types of the whole project. */
const TYPES_MAX_MS = 120_000;
beforeAll(() => complaints('export const a = 1;'), TYPES_MAX_MS);

describe('what only src/runtime may touch', () => {
  it.each([
    ...['export const a = process.argv;', 'export const a = performance.now();'],
    ...['export const a = Date.now();', 'export const a = new Date();', 'export const a = Math.random();'],
    'export const a = setTimeout(() => undefined, 1);',
    ...['export const a = setInterval(() => undefined, 1);', 'export const a = globalThis.process.env;'],
    "import { env } from 'node:process';\nexport const a = env;",
    "import { setTimeout as wait } from 'node:timers/promises';\nexport const a = wait(1);",
    "import { randomUUID } from 'node:crypto';\nexport const a = randomUUID();",
  ])('elsewhere is an error: %s', async (text) => {
    const [elsewhere, there] = [
      await complaints(text, 'src/contract/money.ts', ofWords),
      await complaints(text, 'src/runtime/clock.ts', ofWords),
    ];
    expect(elsewhere.join('\n')).toContain('belongs to src/runtime');
    expect(there.join('\n')).not.toContain('belongs to src/runtime');
  });

  it.each([
    'export const a = new Date(0).toISOString();',
    "import { createHmac } from 'node:crypto';\nexport const a = createHmac('sha256', 'k');",
  ])('does not include %s', async (text) => expect(await complaints(text)).toEqual([]));
});

it.each([
  ["console.log('a');", 'no-console'],
  ['export default { a: 1 };', 'not a default object'],
  ["export * from './ids.js';", 'only re-exports'],
  ['export const a = async (): Promise<number> => 1;\na();', 'no-floating-promises'],
  ['export const a: any = 1;', 'no-explicit-any'],
  ['export const a = (b: number | null) => b!;', 'no-non-null-assertion'],
  ["import { Money } from './ids.js';\nexport type A = Money;", 'consistent-type-imports'],
])('style %s is an error', async (text, message) => {
  expect((await complaints(text)).join('\n')).toContain(message);
});

describe('the launcher', () => {
  const TOO_NEW = [
    ...['let a = 1;', 'var f = () => 1;', 'var s = `a`;', "import('./start.js');", 'var a = b?.c;'],
  ];
  it.each(TOO_NEW)('stays readable for an old Node: %s', async (text) => {
    expect((await complaints(text, 'bin/run.js')).join('\n')).toContain('Parsing error');
  });

  it.each(['var a = b?.c;', 'var a = b ?? c;', "import('./start.js');"])(
    'hands over in old words: %s',
    async (text) => {
      expect((await complaints(text, 'bin/launcher.js')).join('\n')).toContain('Parsing error');
    },
  );
});
