/** Every run tests a part of the commands, and `npm run test:soak` tests all of them. */
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { command } from '../../../src/command/command.js';
import { COMMAND_IDS, REGISTRY, type CommandId } from '../../../src/registry.js';
import { writePrivate } from '../../../src/runtime/files.js';
import type { Ports } from '../../../src/runtime/ports.js';
import { recordFigures } from '../figures.js';
import { makeCage, SOURCES } from './cage.js';
import { ACCOUNT, CODE } from './canaries.js';
import { ENDINGS, type Ending } from './endings.js';
import { linesOf, SERVERS } from './lines.js';
import { IS_SOAK } from '../../support/soak.js';

const FLAGS = IS_SOAK ? [[], ['--debug'], ['--json', '--debug'], ['-o', 'table']] : [['--debug']];
const LIMIT = { timeout: 300_000 };

async function runAll(id: CommandId, name: Ending, turn: number) {
  const cage = await makeCage(name, SOURCES[turn % SOURCES.length]!);
  const leaks: string[] = [];
  let runs = 0;
  try {
    for (const flags of FLAGS) {
      for (const line of await linesOf(id, cage.ready)) {
        runs += 1;
        leaks.push(...(await cage.run(line, flags)));
      }
    }
  } finally {
    cage.remove();
  }
  return { runs, leaks: [...new Set(leaks)] };
}

const COMMANDS = COMMAND_IDS.filter((id) => !SERVERS.includes(id));
let runs = 0;
let leaked = 0;

describe.each(ENDINGS)('%s', (name) => {
  const mine = IS_SOAK ? COMMANDS : COMMANDS.filter((_, at) => at % ENDINGS.length === ENDINGS.indexOf(name));
  it.each(mine)('svc %s shows no canary', LIMIT, async (id) => {
    const done = await runAll(id, name, COMMANDS.indexOf(id) + ENDINGS.indexOf(name));
    runs += done.runs;
    leaked += done.leaks.length;
    expect(done.runs).toBeGreaterThan(0);
    expect(done.leaks).toEqual([]);
  });
});

it('that was every command, often enough', () => {
  expect(runs).toBeGreaterThanOrEqual(IS_SOAK ? 400 : COMMANDS.length);
  const counts = { 'command lines': runs, 'secrets seen': leaked };
  recordFigures({ suite: 'Secrets, searched for', run: 'in the process', counts });
});

describe('the harness sees', () => {
  const { balances } = REGISTRY;
  afterEach(() => void Object.assign(REGISTRY, { balances }));

  const leaksOf = async (leak: (ports: Ports) => Promise<void>, name: Ending = 'carried out') => {
    const leaky = command({ summary: '', examples: [], run: ({ ports }) => leak(ports) });
    Object.assign(REGISTRY, { balances: () => Promise.resolve(leaky) });
    const cage = await makeCage(name, 'variable');
    const found = await cage.run({ words: ['balances'] }, []).finally(() => cage.remove());
    return found.map((text) => text.split(' of: ')[0]).join('\n');
  };

  const kept = (folder: string, text = ''): Promise<void> => {
    writePrivate(join(folder, 'k'), text);
    return Promise.resolve();
  };
  const inBase64 = (text = ''): string => Buffer.from(`k=${text}`).toString('base64');

  it.each<[string, (ports: Ports) => Promise<void>, RegExp]>([
    ['prints all', ({ env, output }) => output.write(JSON.stringify(env)), /the API key \(plain\) in stdout/],
    [
      'logs all',
      ({ env, errors }) => errors.write(JSON.stringify(env)),
      /secret of the variable \(plain\) in stderr/,
    ],
    ['logs a key in base64', ({ env, errors }) => errors.write(inBase64(env['SVC_API_KEY'])), /base64/],
    [
      'keeps a key',
      ({ env, paths }) => kept(paths.cache, env['SVC_API_KEY']),
      /the API key \(plain\) in file/,
    ],
    ['keeps a code', ({ paths }) => kept(paths.state, CODE), /the one-time code \(plain\) in file/],
    [
      'logs an account',
      ({ errors }) => errors.write(`paid ${ACCOUNT}\n`),
      /account number \(plain\) in stderr/,
    ],
  ])('a command that %s', async (_name, leak, expected) => expect(await leaksOf(leak)).toMatch(expected));
});
