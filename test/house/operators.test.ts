/** docs/operators.md: what somebody types at night exists, to the last flag, and no exit code of a batch is left out. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArgv } from '../../src/cli/line/argv.js';
import { exitCodesOf } from '../../src/cli/help/exit-codes.js';
import { REGISTRY, VOCABULARY } from '../../src/commands/registry.js';
import { globalFlags } from '../../src/cli/line/flags.js';
import { ROOT } from './source.js';

const PAGE = readFileSync(join(ROOT, 'docs/operators.md'), 'utf8');

/** Every `svc ...` of the text, in blocks and in the middle of sentences. */
const COMMANDS = [
  ...new Set(
    [...PAGE.matchAll(/`(svc [^`]+)`/g), ...PAGE.matchAll(/^(svc [^#\n]+)/gm)].map(([, text = '']) =>
      text.trim(),
    ),
  ),
];

/** What stands in the table, by exit code. */
const TABLE = new Map(
  [...PAGE.matchAll(/^\| ([0-9, ]+?) *\| (.+?) *\| (.+?) *\|$/gm)].flatMap(
    ([, codes = '', means = '', types = '']) =>
      codes.split(', ').map((code) => [Number(code), { means, types }] as const),
  ),
);

describe('the commands', () => {
  it('are found', () => {
    expect(COMMANDS.length).toBeGreaterThan(15);
  });

  it.each(COMMANDS)('%s', async (command) => {
    const words = command
      .replaceAll(/'[^']*'/g, 'X')
      .split(/\s+/)
      .slice(1);
    const intent = readArgv(words, VOCABULARY);
    if (intent.kind !== 'run') throw new Error(`${command} is no command: ${JSON.stringify(intent)}`);
    const known = await REGISTRY[intent.id as keyof typeof REGISTRY]();
    const flags = { ...globalFlags, ...known.flags };
    const used = intent.argv
      .filter((word) => word.startsWith('--'))
      .map((word) => word.slice(2).split('=')[0]!);
    expect(used.filter((flag) => !(flag in flags))).toEqual([]);
    const isNamed = Object.entries(known.args as Record<string, { required?: boolean }>).some(
      ([, { required }]) => required,
    );
    if (isNamed) expect(intent.argv.filter((word) => !word.startsWith('-')).length).toBeGreaterThan(0);
  });
});

describe('the table', async () => {
  const ids = [
    ...['payouts batch', 'payins batch', 'batches resume', 'batches retry', 'batches resolve'],
    ...['batches drop', 'batches forget'],
  ] as const;
  const commands = await Promise.all(ids.map(async (id) => await REGISTRY[id]()));
  const codes = [...new Set(commands.flatMap(exitCodesOf))];

  it.each(codes)('says what %i means and what to do', (code) => {
    expect(TABLE.get(code)).toBeDefined();
    expect(TABLE.get(code)!.types.length).toBeGreaterThan(5);
  });

  it('has no code that no batch ends with, but for a kill', () => {
    expect([...TABLE.keys()].filter((code) => !codes.includes(code))).toEqual([137]);
  });
});
