/** Every global flag works before the command, between its words and behind it, in every spelling that it has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArgv } from '../../src/cli/line/argv.js';
import { globalFlags } from '../../src/cli/line/flags.js';
import { VOCABULARY } from '../../src/commands/registry.js';
import { world } from '../support/svc.js';

interface GlobalFlag {
  readonly type: 'boolean' | 'option';
  readonly char?: string;
  readonly options?: readonly string[];
}

/** A value of its own where what it takes is a choice; anything else takes a text, if only to refuse it. */
const spellings = (Object.entries(globalFlags) as [string, GlobalFlag][]).flatMap(
  ([name, { type, char, options: [value = 'x'] = [] }]): string[][] => {
    if (type === 'boolean') return [[`--${name}`], ...(char === undefined ? [] : [[`-${char}`]])];
    const short =
      char === undefined ? [] : [[`-${char}`, value], [`-${char}${value}`], [`-${char}=${value}`]];
    return [[`--${name}`, value], [`--${name}=${value}`], ...short];
  },
);

const home = world();
beforeAll(() => home.svc('profiles add x --base-url https://api.example.com'));
afterAll(() => home.remove());

describe.each(spellings.map((flag) => ({ name: flag.join(' '), flag })))('$name', ({ flag }) => {
  it('is moved behind the command', () => {
    const run = { kind: 'run', id: 'profiles list', argv: flag };
    expect(readArgv([...flag, 'profiles', 'list'], VOCABULARY)).toEqual(run);
    expect(readArgv(['profiles', ...flag, 'list'], VOCABULARY)).toEqual(run);
    expect(readArgv(['profiles', 'list', ...flag], VOCABULARY)).toEqual(run);
  });

  it('means the same before and behind', async () => {
    const line = ['profiles', 'list'];
    const { exitCode, stdout, stderr } = await home.svc([...line, ...flag]);
    expect(stderr).not.toMatch(/unknown flag|no command/i);
    expect(await home.svc([...flag, ...line])).toMatchObject({ exitCode, stdout, stderr });
  });
});

it('finds every flag in every spelling', () => {
  const names = spellings.map(([name = '']) => name.split('=')[0]);
  expect(Object.keys(globalFlags).filter((name) => !names.includes(`--${name}`))).toEqual([]);
});
