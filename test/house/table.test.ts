import { describe, expect, it } from 'vitest';
import { SCOPES } from '../../src/contract/access.js';
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../../src/contract/endpoints.js';
import { EXIT_MEANINGS, exitCodesOf } from '../../src/command/help/exit-codes.js';
import { FIRST_COMMANDS } from '../../src/command/help/help.js';
import { COMMAND_IDS, REGISTRY, VOCABULARY } from '../../src/registry.js';
import { CSV_COLUMNS } from '../../src/output/csv.js';
import { ANSWERS } from '../output/samples.js';
import { ALL_SCOPES, ROWS } from '../sandbox/support/endpoints.js';

const commands = await Promise.all(COMMAND_IDS.map(async (id) => ({ id, command: await REGISTRY[id]() })));

describe.each(ENDPOINT_IDS)('%s', (id) => {
  it('has a command of its own name that says so', () => {
    const own = commands.find((one) => one.id === id.replaceAll('.', ' '));
    expect(own?.command.endpoint, `\`endpoint: '${id}'\` of its command`).toBe(id);
  });

  it('is in the tests of the sandbox as the specification says it', () => {
    const row = ROWS.find((one) => one.id === id);
    const { method, path, scope } = endpoint(id);
    expect({ ...row, path: row?.path.split('?')[0] }, 'ROWS of test/sandbox/support/endpoints.ts').toEqual({
      ...{ id, method, path, scope },
    });
  });
});

describe.each([...new Set(ENDPOINT_IDS.map((id) => endpoint(id).result))])('the result %s', (result) => {
  const ids = ENDPOINT_IDS.filter((id) => endpoint(id).result === result);

  it('has a sample, from which its goldens are made', () => {
    const sampled = Object.keys(ANSWERS) as EndpointId[];
    expect(
      ids.filter((id) => sampled.includes(id)),
      'ANSWERS of test/output/samples.ts',
    ).not.toEqual([]);
  });

  it.runIf(ids.some((id) => endpoint(id).list !== null))('has its columns as csv', () => {
    expect(CSV_COLUMNS[result], 'src/output/csv.ts').toBeDefined();
  });
});

it('has every scope in the tests of the sandbox', () => {
  expect(ALL_SCOPES, 'test/sandbox/support/endpoints.ts').toEqual(SCOPES);
});

it.each(commands)('svc $id ends with codes that mean something, beside those of its row', ({ command }) => {
  const entailed = exitCodesOf({ endpoint: command.endpoint, exits: [] });
  const wrong = command.exits.filter((code) => !(code in EXIT_MEANINGS) || entailed.includes(code));
  expect(wrong, '`exits` of the command').toEqual([]);
});

it('hides no noun and no command behind a singular, another spelling or a habit', () => {
  const nouns = COMMAND_IDS.map((id) => id.split(' ')[0]);
  const known = new Set<string | undefined>([...nouns, ...COMMAND_IDS]);
  const { plurals, aliases, habits } = VOCABULARY;
  const others = [...plurals.keys(), ...aliases.keys(), ...habits.keys()];
  expect(
    others.filter((other) => known.has(other)),
    'src/registry.ts, src/command/line/habits.ts',
  ).toEqual([]);
});

it('shows twelve commands first, which exist', () => {
  const first = FIRST_COMMANDS.flatMap(([, ids]) => ids);
  expect(first).toHaveLength(12);
  expect(first.filter((id) => !COMMAND_IDS.some((one) => one === id))).toEqual([]);
});
