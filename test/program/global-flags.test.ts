import { beforeAll, describe, expect, it } from 'vitest';
import { readArgv } from '../../src/command/line/argv.js';
import { globalFlags, PLACE_FLAGS } from '../../src/command/line/flags.js';
import { COMMAND_IDS, REGISTRY, VOCABULARY } from '../../src/registry.js';
import { world } from '../support/svc.js';

interface GlobalFlag {
  readonly type: 'boolean' | 'option';
  readonly char?: string;
  readonly options?: readonly string[];
}

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

const WHERE = new Map(
  PLACE_FLAGS.map((name) => [name, spellings.find(([one]) => one === `--${name}`) ?? []]),
);

describe.each(COMMAND_IDS)('svc %s', (id) => {
  it('refuses the flags that say where or what, if it ignores them', async () => {
    const command = await REGISTRY[id]();
    const {
      args,
      flags,
      heeds,
      words: started,
    } = command as unknown as {
      args: Record<string, { readonly required?: boolean; readonly options?: readonly string[] }>;
      flags: Record<string, GlobalFlag & { readonly required?: boolean }>;
      heeds: readonly string[];
      words: 'none' | 'needed';
    };
    const needed = Object.values(args).flatMap(({ required, options: [value = 'x'] = [] }) =>
      required === true ? [value] : [],
    );
    const given = Object.entries(flags).flatMap(([name, { required, options: [value = 'x'] = [] }]) =>
      required === true ? [`--${name}`, value] : [],
    );
    const behind = started === 'needed' ? ['--', 'true'] : [];
    for (const [name, words] of WHERE) {
      if (heeds.includes(name)) continue;
      const line = [...id.split(' '), ...needed, ...given, ...words, ...behind];
      const { exitCode, stderr, stdout } = await home.svc(line);
      expect({ exitCode, stdout }, name).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toContain(`"svc ${id}\\" ignores --${name}. Leave it out. Nothing was sent.`);
    }
  });
});

it('no command refuses a flag of the frame', () => {
  const places: readonly string[] = PLACE_FLAGS;
  expect(Object.keys(globalFlags).filter((name) => !places.includes(name))).toEqual([
    ...['output', 'json', 'jq', 'timeout', 'no-input', 'yes', 'quiet', 'debug', 'no-color', 'utc'],
  ]);
});

it('says that more than one is ignored', async () => {
  const { exitCode, stderr } = await home.svc('sandbox start --live -p x');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('ignores --profile and --live. Leave them out. Nothing was sent.');
});

it('finds every flag in every spelling', () => {
  const names = spellings.map(([name = '']) => name.split('=')[0]);
  expect(Object.keys(globalFlags).filter((name) => !names.includes(`--${name}`))).toEqual([]);
});
