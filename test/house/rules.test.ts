/** Holds every file to the house rules, and each rule to an example that it must catch. */
import { expect, it } from 'vitest';
import { floors, mocks, names, owners, parameters, substance, type Rule } from './rules.js';
import { sharing } from './sharing.js';
import { sourcesIn } from './source.js';

/** Which files each rule is about. */
const RULES: readonly (readonly [rule: Rule, ...folders: string[]])[] = [
  [floors, 'src'],
  [owners, 'src'],
  [names, 'src', 'test'],
  [substance, 'src'],
  [parameters, 'src'],
  [mocks, 'test'],
  [sharing, 'test'],
];

/** Path, text and a part of the message: a violation that the rule must see. */
const CAUGHT: readonly (readonly [rule: Rule, path: string, text: string, message: string])[] = [
  [floors, 'src/contract/a.ts', "import { b } from '../client/b.js';", 'imports point down only'],
  [
    floors,
    'src/client/a.ts',
    "import type { B } from '../journal/b.js';",
    'neighbours do not know each other',
  ],
  [floors, 'src/client/a.ts', "export const b = () => import('../sandbox/b.js');", 'src/client/a.ts:1'],
  [floors, 'src/client/a.ts', "export type B = import('../sandbox/b.js').B;", 'neighbours'],
  [floors, 'src/client/a.ts', "export { b } from '../cli/b.js';", 'imports point down only'],
  [floors, 'src/sandbox/store/a.ts', "import '../../../test/b.js';", 'outside src/'],
  [floors, 'src/cli/line/a.ts', "import { start } from '../../main.js';", 'imports point down only'],
  [floors, 'src/cli/session/a.ts', "import { b } from '../call/b.js';", 'imports point down only'],
  [floors, 'src/cli/bulk/a.ts', "import { b } from '../dialogue/b.js';", 'neighbours do not know each other'],
  [floors, 'src/cli/misc/a.ts', "import { b } from '../line/b.js';", 'stands on no floor'],
  [owners, 'src/events/a.ts', "import { request } from 'undici';", 'belongs to src/client/'],
  [owners, 'src/sandbox/http/a.ts', "const s = await import('node:sqlite');", 'belongs to src/runtime/'],
  [owners, 'src/output/a.ts', "import Table from '@oclif/table';", 'no owner'],
  [owners, 'src/client/a.ts', "import { Flags } from '@oclif/core/flags';", 'belongs to src/cli/'],
  [owners, 'src/client/a.ts', "const c = require('conf');", 'belongs to src/profile/'],
  [names, 'src/client/utils.ts', '', '"utils"'],
  [names, 'src/helpers/money.ts', '', '"helpers"'],
  [names, 'src/output/common-rows.ts', '', '"common"'],
  [names, 'src/profile/key-manager.ts', '', '"manager"'],
  [names, 'src/client/retryAfter.ts', '', 'kebab-case'],
  [
    substance,
    'src/client/index.ts',
    "/** All. */\nexport * from './a.js';\nexport { b } from './b.js';",
    'defines nothing',
  ],
  [
    parameters,
    'src/mirror/store/a.ts',
    "const sql = 'SELECT a FROM b WHERE c = ?1 OR d = ?1';",
    'parameter ?1',
  ],
  [
    mocks,
    'test/client/a.test.ts',
    "vi.mock('../../src/contract/retry.js');",
    'vi.mock replaces our own code',
  ],
  [
    sharing,
    'test/a.test.ts',
    "process.env['TZ'] = 'UTC';",
    "test/a.test.ts:1: process.env['TZ'] changes the process",
  ],
  [sharing, 'test/a.test.ts', "delete process.env['TZ'];", '*.alone.test.ts'],
  [sharing, 'test/a.test.ts', "Object.assign(process.env, { TZ: 'UTC' });", 'Object.assign'],
  [sharing, 'test/a.test.ts', "process.on('SIGINT', () => undefined);", 'process.on'],
  [sharing, 'test/a.test.ts', 'process.umask(0);', 'process.umask'],
  [sharing, 'test/support/a.ts', "process.chdir('/');", 'process.chdir'],
  [sharing, 'test/a.test.ts', 'process.exitCode = 1;', 'process.exitCode'],
  [sharing, 'test/a.test.ts', 'process.setuid?.(1);', 'process.setuid'],
  [sharing, 'test/a.test.ts', "vi.stubEnv('TZ', 'UTC');", 'vi.stubEnv'],
  [sharing, 'test/a.test.ts', 'vi.useFakeTimers();', 'vi.useFakeTimers'],
  [sharing, 'test/a.test.ts', "vi.spyOn(console, 'log');", 'vi.spyOn'],
  [sharing, 'test/a.test.ts', "import nock from 'nock';", 'import of nock'],
  [sharing, 'test/a.test.ts', "import fs from 'node:fs'; fs.openSync = () => 1;", 'fs.openSync'],
  [sharing, 'test/a.test.ts', 'globalThis.fetch = () => 1;', 'globalThis.fetch'],
  [sharing, 'test/a.test.ts', 'Date.prototype.getTime = () => 1;', 'Date.prototype.getTime'],
  [sharing, 'test/a.test.ts', 'Error.stackTraceLimit = 1;', 'Error.stackTraceLimit'],
  [sharing, 'test/a.test.ts', 'setGlobalDispatcher(agent);', 'setGlobalDispatcher'],
];

/** Path and text of what it must let pass. */
const PASSED: readonly (readonly [rule: Rule, path: string, text: string])[] = [
  [floors, 'src/client/a.ts', "import '../contract/b.js'; import './c.js'; import 'node:fs';"],
  [floors, 'src/sandbox/http/a.ts', "import '../store/b.js'; import '../../runtime/clock.js';"],
  [floors, 'src/registry.ts', "export const load = () => import('./payins/create.js');"],
  [floors, 'src/main.ts', "import '../src/commands/registry.js'; import './cli/line/argv.js';"],
  [floors, 'src/cli/call/a.ts', "import '../line/b.js'; import './c.js'; import '../command.js';"],
  [
    floors,
    'src/commands/batches/retry.ts',
    "import { b } from './batches.js'; import '../../cli/call/ending.js';",
  ],
  [
    floors,
    'src/client/a.ts',
    "// import '../sandbox/b.js'\nexport const text = \"import '../sandbox/b.js'\";",
  ],
  [owners, 'src/client/a.ts', "import Pool from 'undici/lib/dispatcher/pool.js'; import 'node:net';"],
  [owners, 'src/main.ts', "import '@oclif/core/command';"],
  [names, 'src/client/retry-after.ts', ''],
  [names, 'test/house/rules.test.ts', ''],
  [names, 'src/client/undici-modules.d.ts', ''],
  [substance, 'src/client/a.ts', "export { b } from './b.js';\nexport const a = 1;"],
  [parameters, 'src/mirror/store/a.ts', "const sql = 'SELECT a FROM b WHERE c = ? LIMIT 1';"],
  [mocks, 'test/client/a.test.ts', "const f = vi.fn(); f('vi.mock(1)');"],
  [sharing, 'test/a.alone.test.ts', 'process.umask(0); vi.useFakeTimers();'],
  [
    sharing,
    'test/a.test.ts',
    "const { TZ } = process.env; process.kill(1, 0); const script = 'process.umask(0)';",
  ],
  [
    sharing,
    'test/a.test.ts',
    "const f = vi.fn(); let a = 1; a++; const world = { env: {} }; world.env['TZ'] = 'UTC';",
  ],
];

it.each(RULES.map((one) => [one[0].name, ...one] as const))(
  '%s is kept everywhere',
  (_name, rule, ...folders) => {
    const sources = folders.flatMap(sourcesIn);
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.flatMap(rule)).toEqual([]);
  },
);

it('each rule has an example that it sees, and one that it lets pass', () => {
  const all = RULES.map(([rule]) => rule);
  for (const examples of [CAUGHT, PASSED])
    expect(new Set(examples.map(([rule]) => rule))).toEqual(new Set(all));
});

it.each(CAUGHT)('example %#: %o sees what is wrong in %s', (rule, path, text, message) => {
  expect(rule({ path, text }).join('\n')).toContain(message);
});

it.each(PASSED)('example %#: %o lets pass %s', (rule, path, text) => {
  expect(rule({ path, text })).toEqual([]);
});
