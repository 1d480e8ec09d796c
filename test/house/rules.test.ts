import { expect, it } from 'vitest';
import { doors, lazy, mocks, names, owners, parameters, placeOf, rooms, substance, values } from './rules.js';
import type { Rule } from './rules.js';
import { ROOF, ROOMS } from './rooms.js';
import { sharing } from './sharing.js';
import { circlesOf, filesOf } from '../../scripts/house/shape.js';
import { ROOT, sourcesIn } from './source.js';

const RULES: readonly (readonly [rule: Rule, ...folders: string[]])[] = [
  [rooms, 'src'],
  [doors, 'src'],
  [values, 'src'],
  [lazy, 'src'],
  [owners, 'src'],
  [names, 'src', 'test'],
  [substance, 'src'],
  [parameters, 'src'],
  [mocks, 'test'],
  [sharing, 'test'],
];

const CAUGHT: readonly (readonly [rule: Rule, path: string, text: string, message: string])[] = [
  [rooms, 'src/contract/a.ts', "import { b } from '../client/b.js';", 'contract may not know client'],
  [rooms, 'src/client/a.ts', "import type { B } from '../storage/b.js';", 'may not know storage'],
  [rooms, 'src/client/a.ts', "export const b = () => import('../sandbox/b.js');", 'src/client/a.ts:1'],
  [rooms, 'src/client/a.ts', "export type B = import('../sandbox/b.js').B;", 'may not know sandbox'],
  [rooms, 'src/client/a.ts', "export { b } from '../setup/b.js';", 'may not know setup'],
  [rooms, 'src/sandbox/store/a.ts', "import '../../../test/b.js';", 'outside src/'],
  [rooms, 'src/command/a.ts', "import { start } from '../main.js';", 'may not know main.ts'],
  [rooms, 'src/misc/a.ts', '', 'is no room'],
  [doors, 'src/batches/a.ts', "import { b } from '../payments/create.js';", 'create is no door of payments'],
  [doors, 'src/setup/a.ts', "import('../sandbox/http/lists.js');", 'http/lists is no door of sandbox'],
  [values, 'src/payments/decide.ts', 'export function a(then: () => Promise<void>) {}', 'takes then'],
  [
    lazy,
    'src/events/commands.ts',
    "import { b } from './follow-feed.js';",
    'loads src/events/follow-feed at once',
  ],
  [owners, 'src/events/a.ts', "import { request } from 'undici';", 'belongs to src/client/'],
  [owners, 'src/sandbox/http/a.ts', "const s = await import('node:sqlite');", 'belongs to src/runtime/'],
  [owners, 'src/output/a.ts', "import Table from '@oclif/table';", 'no owner'],
  [owners, 'src/client/a.ts', "import { Flags } from '@oclif/core/flags';", 'belongs to src/command/'],
  [owners, 'src/client/a.ts', "const c = require('conf');", 'belongs to src/session/'],
  [names, 'src/client/utils.ts', '', '"utils"'],
  [names, 'src/helpers/money.ts', '', '"helpers"'],
  [names, 'src/output/common-rows.ts', '', '"common"'],
  [names, 'src/session/key-manager.ts', '', '"manager"'],
  [names, 'src/client/retryAfter.ts', '', 'kebab-case'],
  [
    substance,
    'src/client/index.ts',
    "/** All. */\nexport * from './a.js';\nexport { b } from './b.js';",
    'defines nothing',
  ],
  [
    parameters,
    'src/storage/mirror/a.ts',
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

const PASSED: readonly (readonly [rule: Rule, path: string, text: string])[] = [
  [rooms, 'src/client/a.ts', "import '../contract/b.js'; import './c.js'; import 'node:fs';"],
  [rooms, 'src/main.ts', "import './registry.js'; import './setup/doctor/commands.js';"],
  [
    rooms,
    'src/client/a.ts',
    "// import '../sandbox/b.js'\nexport const text = \"import '../sandbox/b.js'\";",
  ],
  [
    doors,
    'src/batches/a.ts',
    "import '../payments/known/key.js'; import '../client/b.js'; import './c/d.js';",
  ],
  [
    lazy,
    'src/events/commands.ts',
    "import type { B } from './b.js'; import './a-flags.js'; await import('./c.js');",
  ],
  [values, 'src/payments/decide.ts', 'export function a(connect: () => Promise<void>, b: () => 1) {}'],
  [owners, 'src/client/a.ts', "import Pool from 'undici/lib/dispatcher/pool.js'; import 'node:net';"],
  [owners, 'src/main.ts', "import '@oclif/core/command';"],
  [names, 'src/client/retry-after.ts', ''],
  [names, 'test/house/rules.test.ts', ''],
  [names, 'src/client/undici-modules.d.ts', ''],
  [substance, 'src/client/a.ts', "export { b } from './b.js';\nexport const a = 1;"],
  [parameters, 'src/storage/mirror/a.ts', "const sql = 'SELECT a FROM b WHERE c = ? LIMIT 1';"],
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

it('no files import each other in a circle, types included', () => {
  expect(circlesOf(filesOf(ROOT))).toEqual([]);
});

it('no room has more lines than it may', () => {
  const lines = new Map<string, number>();
  for (const { path, text } of sourcesIn('src'))
    lines.set(placeOf(path), (lines.get(placeOf(path)) ?? 0) + text.split('\n').length - 1);
  const counted = [...lines].filter(([room]) => !ROOF.has(room));
  expect(counted.map(([room]) => room).sort()).toEqual(Object.keys(ROOMS).sort());
  expect(counted.filter(([room, count]) => count > ROOMS[room]!.linesMax)).toEqual([]);
});

it('an exported type is named once within its room', () => {
  const named = sourcesIn('src').flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
      ([, name]) => `${placeOf(path)} ${String(name)}`,
    ),
  );
  expect(named.filter((name, at) => named.indexOf(name) !== at)).toEqual([]);
});

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
