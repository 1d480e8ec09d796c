/** Holds every file to the house rules, and each rule to an example that it must catch. */
import { describe, expect, it } from 'vitest';
import { filesOf, sharedNames } from '../../scripts/house/shape.js';
import { floors, headers, mocks, names, owners, parameters, substance, type Rule } from './rules.js';
import { sharing } from './sharing.js';
import { ROOT, sourcesIn } from './source.js';

interface Case {
  readonly rule: Rule;
  readonly folders: readonly string[];
  /** Path, text and a part of the message: a violation that the rule must see. */
  readonly caught: readonly (readonly [path: string, text: string, message: string])[];
  /** Path and text of what it must let pass. */
  readonly passed: readonly (readonly [path: string, text: string])[];
}

const CASES: Readonly<Record<string, Case>> = {
  floors: {
    rule: floors,
    folders: ['src'],
    caught: [
      ['src/contract/a.ts', "import { b } from '../client/b.js';", 'imports point down only'],
      ['src/client/a.ts', "import type { B } from '../journal/b.js';", 'neighbours do not know each other'],
      ['src/client/a.ts', "export const b = () => import('../sandbox/b.js');", 'src/client/a.ts:1'],
      ['src/client/a.ts', "export type B = import('../sandbox/b.js').B;", 'neighbours'],
      ['src/client/a.ts', "export { b } from '../cli/b.js';", 'imports point down only'],
      ['src/sandbox/store/a.ts', "import '../../../test/b.js';", 'outside src/'],
      [
        'src/commands/batches/forgetting.ts',
        "import { b } from '../batches.js';",
        'jobs never import commands',
      ],
      ['src/commands/payins/a.ts', "import { b } from '../payouts/b.js';", 'nouns do not know each other'],
      ['src/commands/balances.ts', "import { b } from './payouts/b.js';", 'nouns do not know each other'],
      ['src/cli/line/a.ts', "import { start } from '../../main.js';", 'imports point down only'],
      ['src/cli/session/a.ts', "import { b } from '../call/b.js';", 'imports point down only'],
      ['src/cli/bulk/a.ts', "import { b } from '../dialogue/b.js';", 'neighbours do not know each other'],
      ['src/cli/misc/a.ts', "import { b } from '../line/b.js';", 'stands on no floor'],
      ['src/misc/a.ts', '', 'stands on no floor'],
    ],
    passed: [
      ['src/client/a.ts', "import '../contract/b.js'; import './c.js'; import 'node:fs';"],
      ['src/sandbox/http/a.ts', "import '../store/b.js'; import '../../runtime/clock.js';"],
      ['src/commands/registry.ts', "export const load = () => import('./payins/create.js');"],
      ['src/main.ts', "import '../src/commands/registry.js'; import './cli/line/argv.js';"],
      ['src/cli/call/a.ts', "import '../line/b.js'; import './c.js'; import '../command.js';"],
      [
        'src/commands/batches/retry.ts',
        "import { b } from './batches.js'; import '../../cli/call/ending.js';",
      ],
      ['src/client/a.ts', "// import '../sandbox/b.js'\nexport const text = \"import '../sandbox/b.js'\";"],
    ],
  },
  owners: {
    rule: owners,
    folders: ['src'],
    caught: [
      ['src/events/a.ts', "import { request } from 'undici';", 'belongs to src/client/'],
      ['src/sandbox/http/a.ts', "const s = await import('node:sqlite');", 'belongs to src/runtime/'],
      ['src/output/a.ts', "import Table from '@oclif/table';", 'no owner'],
      ['src/client/a.ts', "import { Flags } from '@oclif/core/flags';", 'belongs to src/cli/'],
      ['src/client/a.ts', "const c = require('conf');", 'belongs to src/profile/'],
    ],
    passed: [
      ['src/client/a.ts', "import Pool from 'undici/lib/dispatcher/pool.js'; import 'node:net';"],
      ['src/main.ts', "import '@oclif/core/command';"],
    ],
  },
  names: {
    rule: names,
    folders: ['src', 'test'],
    caught: [
      ['src/client/utils.ts', '', '"utils"'],
      ['src/helpers/money.ts', '', '"helpers"'],
      ['src/output/common-rows.ts', '', '"common"'],
      ['src/profile/key-manager.ts', '', '"manager"'],
      ['src/client/retryAfter.ts', '', 'kebab-case'],
    ],
    passed: [
      ['src/client/retry-after.ts', ''],
      ['test/house/rules.test.ts', ''],
      ['src/client/undici-modules.d.ts', ''],
    ],
  },
  headers: {
    rule: headers,
    folders: ['src'],
    caught: [
      ['src/client/a.ts', 'export const a = 1;', 'begins with no comment'],
      ['src/client/a.ts', '/** */\n', 'begins with no comment'],
    ],
    passed: [['src/client/a.ts', '/** Adds one. */\nexport const a = 1;']],
  },
  substance: {
    rule: substance,
    folders: ['src'],
    caught: [
      [
        'src/client/index.ts',
        "/** All. */\nexport * from './a.js';\nexport { b } from './b.js';",
        'defines nothing',
      ],
    ],
    passed: [['src/client/a.ts', "export { b } from './b.js';\nexport const a = 1;"]],
  },
  parameters: {
    rule: parameters,
    folders: ['src'],
    caught: [
      ['src/mirror/store/a.ts', "const sql = 'SELECT a FROM b WHERE c = ?1 OR d = ?1';", 'parameter ?1'],
    ],
    passed: [['src/mirror/store/a.ts', "const sql = 'SELECT a FROM b WHERE c = ? LIMIT 1';"]],
  },
  mocks: {
    rule: mocks,
    folders: ['test'],
    caught: [
      ['test/client/a.test.ts', "vi.mock('../../src/contract/retry.js');", 'vi.mock replaces our own code'],
    ],
    passed: [['test/client/a.test.ts', "const f = vi.fn(); f('vi.mock(1)');"]],
  },
  sharing: {
    rule: sharing,
    folders: ['test'],
    caught: [
      [
        'test/a.test.ts',
        "process.env['TZ'] = 'UTC';",
        "test/a.test.ts:1: process.env['TZ'] changes the process",
      ],
      ['test/a.test.ts', "delete process.env['TZ'];", '*.alone.test.ts'],
      ['test/a.test.ts', "Object.assign(process.env, { TZ: 'UTC' });", 'Object.assign'],
      ['test/a.test.ts', "process.on('SIGINT', () => undefined);", 'process.on'],
      ['test/a.test.ts', 'process.umask(0);', 'process.umask'],
      ['test/support/a.ts', "process.chdir('/');", 'process.chdir'],
      ['test/a.test.ts', 'process.exitCode = 1;', 'process.exitCode'],
      ['test/a.test.ts', 'process.setuid?.(1);', 'process.setuid'],
      ['test/a.test.ts', "vi.stubEnv('TZ', 'UTC');", 'vi.stubEnv'],
      ['test/a.test.ts', 'vi.useFakeTimers();', 'vi.useFakeTimers'],
      ['test/a.test.ts', "vi.spyOn(console, 'log');", 'vi.spyOn'],
      ['test/a.test.ts', "import nock from 'nock';", 'import of nock'],
      ['test/a.test.ts', "import fs from 'node:fs'; fs.openSync = () => 1;", 'fs.openSync'],
      ['test/a.test.ts', 'globalThis.fetch = () => 1;', 'globalThis.fetch'],
      ['test/a.test.ts', 'Date.prototype.getTime = () => 1;', 'Date.prototype.getTime'],
      ['test/a.test.ts', 'Error.stackTraceLimit = 1;', 'Error.stackTraceLimit'],
      ['test/a.test.ts', 'setGlobalDispatcher(agent);', 'setGlobalDispatcher'],
    ],
    passed: [
      ['test/a.alone.test.ts', 'process.umask(0); vi.useFakeTimers();'],
      [
        'test/a.test.ts',
        "const { TZ } = process.env; process.kill(1, 0); const script = 'process.umask(0)';",
      ],
      [
        'test/a.test.ts',
        "const f = vi.fn(); let a = 1; a++; const world = { env: {} }; world.env['TZ'] = 'UTC';",
      ],
    ],
  },
};

describe.each(Object.entries(CASES))('house rule: %s', (_name, { rule, folders, caught, passed }) => {
  it('is kept everywhere', () => {
    const sources = folders.flatMap(sourcesIn);
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.flatMap(rule)).toEqual([]);
  });

  it.each(caught)('example %#: sees what is wrong in %s', (path, text, message) => {
    expect(rule({ path, text }).join('\n')).toContain(message);
  });

  it.each(passed)('example %#: lets pass %s', (path, text) => {
    expect(rule({ path, text })).toEqual([]);
  });
});

it('one name is exported by one file: a reader who sees it knows what it is', () => {
  // Commands are classes of their own files, and their steps belong to one noun.
  const files = filesOf(ROOT).filter(({ path }) => !path.startsWith('src/commands/'));
  expect(sharedNames(files).map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([]);
});
